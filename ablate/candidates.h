// Which changed answers are worth a verdict: what the goals' gates read, and what others have published.
#pragma once
#include "ablate/search.h"
#include "kernels/gate.h"

namespace assay::ablate {

/// The query keys of the Apple families from low to high: a "yes" implies every lower one.
std::vector<std::string> apple_ladder();

/// Changed answers that would help to open the fast paths and admissions among `gates` that are closed under
/// `stock`, with the ladder steps between. Only answers that can be overridden: booleans and whole numbers
/// that the device gives.
std::vector<Candidate> gate_candidates(const std::vector<assay::Gate>& gates,
                                       const std::set<std::string>& goals, const Answers& stock);

/// What three published injection libraries and one public trial raised (published_candidates.json). They
/// always get a verdict; those that the device does not answer are left out.
std::vector<Candidate> published_candidates(const Answers& stock);

/// Both, each key and value once, ladder steps in order and before everything else. Where a key of the first
/// has another value in the second, both stay.
std::vector<Candidate> merged(std::vector<Candidate> first, std::vector<Candidate> second);

/// Reads published_candidates.json's form; every problem is in the one error.
Result<std::vector<Candidate>> candidates_from_json(const json::value& value, const std::string& name);

} // namespace assay::ablate
