// What a device and its system answered, as gates and feature rules read it.
#include "kernels/answers.h"
#include "base/text.h"

#include <algorithm>
#include <charconv>

namespace assay {

std::string_view truth_name(Truth truth) {
    switch (truth) {
    case Truth::no:
        return "no";
    case Truth::unknown:
        return "unknown";
    case Truth::yes:
        return "yes";
    }
    return "unknown";
}

Truth truth_not(Truth truth) {
    if (truth == Truth::unknown)
        return truth;
    return truth == Truth::yes ? Truth::no : Truth::yes;
}

static std::optional<std::vector<unsigned>> version_numbers(std::string_view version) {
    std::vector<unsigned> numbers;
    for (const auto part : split(version, '.')) {
        unsigned number = 0;
        const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), number);
        if (error != std::errc{} || end != part.data() + part.size())
            return {};
        numbers.push_back(number);
    }
    while (!numbers.empty() && numbers.back() == 0)
        numbers.pop_back();
    return numbers;
}

Truth version_at_least(std::string_view version, std::string_view least) {
    const auto have = version_numbers(version);
    const auto want = version_numbers(least);
    if (!have || !want)
        return Truth::unknown;
    return *have >= *want ? Truth::yes : Truth::no;
}

std::optional<json::value> Answers::find(std::string_view key) const {
    return lookup ? lookup(key) : std::nullopt;
}

Truth Answers::boolean(std::string_view key) const {
    const auto value = find(key);
    const bool* flag = value ? value->if_bool() : nullptr;
    if (!flag)
        return Truth::unknown;
    return *flag ? Truth::yes : Truth::no;
}

Answers answers_of(const Table& table, const Device& device) {
    Answers answers;
    answers.os = {table.identity.os_name, table.identity.os_version};
    answers.lookup = [&device](std::string_view key) -> std::optional<json::value> {
        if (auto value = device.answer_value(key))
            return value;
        const std::string* own = key == "name"                ? &device.name
                                 : key == "architecture.name" ? &device.architecture
                                                              : nullptr;
        if (!own || own->empty())
            return {};
        return json::value(*own);
    };
    return answers;
}

} // namespace assay
