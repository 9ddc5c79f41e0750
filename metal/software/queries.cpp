// The questions a software device can answer: looking keys up.
#include "metal/software/queries.h"
#include "metal/gpu_family.h"

#include <algorithm>
#include <charconv>

namespace assay::software {

std::optional<KeyParts> split_key(std::string_view key) {
    const auto open = key.find('(');
    if (open == std::string_view::npos || key.back() != ')')
        return {};
    return KeyParts{key.substr(0, open), key.substr(open + 1, key.size() - open - 2)};
}

const Query* find_query(std::string_view key) {
    const auto* row = std::ranges::find(kQueries, key, &Query::key);
    return row == std::end(kQueries) ? nullptr : row;
}

const ArgumentQuery* find_argument_query(std::string_view name) {
    const auto* row = std::ranges::find(kArgumentQueries, name, &ArgumentQuery::name);
    return row == std::end(kArgumentQueries) ? nullptr : row;
}

std::optional<std::uint64_t> argument_value(const ArgumentQuery& query, std::string_view argument) {
    const auto named = std::ranges::find(query.values, argument, &NamedValue::name);
    if (named != query.values.end())
        return named->value;
    std::uint64_t number = 0;
    const auto* end = argument.data() + argument.size();
    const auto [stopped, error] = std::from_chars(argument.data(), end, number);
    if (error != std::errc() || stopped != end)
        return {};
    return number;
}

bool is_known_key(std::string_view key) {
    if (find_query(key) || key == kCounterNamesKey || key.starts_with("new"))
        return true;
    const auto parts = split_key(key);
    if (!parts)
        return false;
    if (parts->name == "supportsFamily")
        return metal::gpu_family_value(parts->argument).has_value();
    const auto* row = find_argument_query(parts->name);
    return row && argument_value(*row, parts->argument);
}

std::vector<std::string_view> known_key_names() {
    std::vector<std::string_view> names;
    for (const auto& query : kQueries)
        names.push_back(query.key);
    for (const auto& query : kArgumentQueries)
        names.push_back(query.name);
    names.push_back("supportsFamily");
    return names;
}

} // namespace assay::software
