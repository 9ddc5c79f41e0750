// From tables, gates and kernels to the search's problem.
#pragma once
#include "ablate/search.h"
#include "kernels/gate.h"

namespace assay::ablate {

/// The answers of a device as the search sees them: every answered query, by key, with the device's own name
/// and architecture where no query gave them.
AnswerSet answer_set(const Device& device);

/// Reads an answer set the way gates read a table.
Answers answers_of(const AnswerSet& answers, const Os& os);

/// The gates that matter to a search: fast paths, admissions and side effects that an expression states. The
/// search's client is the gate's goal. The result refers to `gates`.
std::vector<Gate> search_gates(const std::vector<assay::Gate>& gates, const Os& os);

} // namespace assay::ablate
