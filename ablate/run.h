// One ablation from the first question to the profile: what `assay ablate` does.
#pragma once
#include "ablate/report.h"
#include "ablate/trial_oracle.h"
#include "probe/table.h"
#include <chrono>

namespace assay::ablate {

struct RunOptions {
    std::vector<std::string> goals; ///< at least one
    std::string folder;             ///< run.jsonl, stock.json and profile.json go here
    bool resume = false;
    unsigned repeats = 5;
    std::size_t budget = 0; ///< trials; 0: trial_budget()
    std::chrono::milliseconds kernel_deadline{30000};
    std::vector<std::string> worker; ///< argv; empty: this executable
    /// Told once, before the first trial: at most how many there will be.
    std::function<void(std::size_t candidates, std::size_t budget)> planned;
    std::function<void(const TrialProgress&)> progress;
};

struct RunOutcome {
    Ablation ablation;
    std::string profile; ///< its path; empty when nothing was chosen
    std::string profile_digest;
    std::vector<std::string> unpinned; ///< pins that this system does not state: the profile is a draft
};

/// Probes, plans, searches and writes. Errors: an unknown goal, a folder that cannot be used, a run record
/// that belongs to another plan, no device, a shim already active here. A search that had to stop is no
/// error: its result says so. A profile of an earlier attempt in the same folder is removed when this one
/// chooses nothing.
Result<RunOutcome> run_ablation(const RunOptions& options);

} // namespace assay::ablate
