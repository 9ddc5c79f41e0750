// The features of Apple's tables, and which of them the reported answers promise.
#pragma once
#include "kernels/answers.h"
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// One row of Apple's feature set tables (features.json says where each comes from).
struct Feature {
    std::string id;
    std::string min_apple_family; ///< "Apple7"; empty: no Apple family promises it
    std::string min_metal_family; ///< "Metal3" or "Metal4"; empty: neither promises it
    std::string min_macos;        ///< release that brought the interface; empty: every one with Metal
    std::vector<std::string> sources;
    std::string note;
    bool unsure = false; ///< the source itself is in doubt
};

/// Every feature that some Apple or Metal family promises, in table order.
const std::vector<Feature>& features();

/// The feature, or null.
const Feature* find_feature(std::string_view id);

/// The query keys any of which promises the feature: every Apple family from min_apple_family on and every
/// Metal family from min_metal_family on. Mac and Common families promise nothing: Apple silicon answers yes
/// to them as unions, not as hardware generations.
std::vector<std::string> promising_queries(const Feature& feature);

/// Whether the answers promise the feature. Unknown when no recorded answer does but an unrecorded one might,
/// or when the feature needs a macOS release and the answers do not say which one runs.
Truth promise(const Feature& feature, const Answers& answers);
inline bool promised(const Feature& feature, const Answers& answers) {
    return promise(feature, answers) == Truth::yes;
}

/// Reads features.json; every problem is in the one error.
Result<std::vector<Feature>> features_from_json(const json::value& value, const std::string& name);

} // namespace assay
