// From a confirmed set of overrides to the profile that the shim applies.
#pragma once
#include "ablate/report.h"
#include "probe/table.h"
#include "shim/profile.h"

namespace assay::ablate {

/// The profile of one trial: overrides, nothing validated.
Profile draft_profile(const OverrideSet& overrides, const std::string& backend);

/// The profile of a search that chose something: pinned to the table's system and first device, with the
/// stock answers, hazards and evidence. `run_digest` is the record's digest; `date` is YYYY-MM-DD. Its state
/// is `simulated` on the software backend, else `validated`.
Profile made_profile(const Ablation& ablation, const Table& stock, const std::string& run_digest,
                     const std::string& date);

/// The pins that this table cannot fill, because the system does not state them: "os_build", …
std::vector<std::string> unpinned(const Table& stock);

} // namespace assay::ablate
