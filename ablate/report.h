// An ablation in words: overrides and verdicts, hazards, gates, what was confirmed.
#pragma once
#include "ablate/search.h"
#include <string>

namespace assay::ablate {

/// A finished search with what a reader must know to place it.
struct Ablation {
    std::string device;             ///< name
    std::string system;             ///< "macOS 26.5.2 (25F84), Apple M1 Ultra (Virtual)"
    bool simulated = false;         ///< said once, plainly
    std::vector<std::string> goals; ///< in the order given
    unsigned repeats = 0;
    SearchResult result;
    std::vector<std::string> moved;    ///< answers that the chosen set moves besides its overrides
    std::vector<std::string> switches; ///< the goals' own switches for gates that stay closed: "GATE: SWITCH"
};

/// The failure rate that `repeats` clean repeats could have missed at 95 % confidence: 1 - 0.05^(1/n); 1 for
/// none.
double missed_rate(unsigned repeats);
/// "46 % at 95 % confidence", rounded up; "any" for no repeats.
std::string missed_rate_text(unsigned repeats);

/// Everything but the profile, for a terminal.
std::string ablation_text(const Ablation& ablation);

/// The same as one decision event of the run record.
json::object decision_event(const Ablation& ablation);

} // namespace assay::ablate
