// Which answers the shim can change: looking keys up.
#include "shim/overridable.h"
#include "base/text.h"
#include "metal/gpu_family.h"

#include <vector>

namespace assay {

namespace {

constexpr std::string_view kFamilyPrefix = "supportsFamily(";

bool resolve_family(std::string_view key, OverrideTarget& target, std::string& why) {
    const auto argument = key.substr(kFamilyPrefix.size(), key.size() - kFamilyPrefix.size() - 1);
    const auto value = metal::gpu_family_value(argument);
    if (!value) {
        std::vector<std::string_view> names;
        for (const auto& family : metal::gpu_families())
            names.push_back(family.name);
        why = "there is no GPU family \"" + std::string(argument) + "\"" + did_you_mean(argument, names);
        return false;
    }
    target = {OverrideTarget::kFamily, *value, AnswerKind::boolean};
    return true;
}

/// Why a key that is in no row cannot be overridden.
std::string explain(std::string_view key) {
    if (key.find('(') != key.npos || key.find(':') != key.npos)
        return "cannot be overridden: of the queries with an argument only supportsFamily(...) can";
    if (key == "name" || key == "architecture.name" || key == "counterSets" ||
        key == "maxThreadsPerThreadgroup")
        return "cannot be overridden: only booleans and whole numbers can";
    std::vector<std::string_view> names{"supportsFamily(Apple7)"};
    for (const auto& query : kOverridableQueries)
        names.push_back(query.selector);
    return "is not a query that can be overridden" + did_you_mean(key, names);
}

} // namespace

std::string to_text(const ShimAnswer& answer) {
    if (const auto* flag = std::get_if<bool>(&answer))
        return *flag ? "true" : "false";
    return std::to_string(std::get<std::uint64_t>(answer));
}

bool resolve_override(std::string_view key, OverrideTarget& target, std::string& why) {
    if (key.substr(0, kFamilyPrefix.size()) == kFamilyPrefix && key.back() == ')')
        return resolve_family(key, target, why);
    for (std::size_t row = 0; row < kOverridableCount; ++row)
        if (key == kOverridableQueries[row].selector) {
            target = {row, 0, kOverridableQueries[row].kind};
            return true;
        }
    why = explain(key);
    return false;
}

} // namespace assay
