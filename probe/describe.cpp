// Answers in words, for people.
#include "probe/describe.h"
#include "base/text.h"

#include <fmt/format.h>

namespace assay {

namespace {

std::string scalar(const json::value& value) {
    if (const auto* flag = value.if_bool())
        return *flag ? "yes" : "no";
    if (const auto* text = value.if_string())
        return std::string(*text);
    return write_json_line(value);
}

std::string number(const Answer& answer, const Query* query) {
    const auto text = scalar(answer.value);
    const bool bytes = query && query->unit == "bytes";
    if (answer.precision) {
        const auto value = answer.value.to_number<double>();
        return bytes ? fmt::format("about {:.2f} MB", value / 1e6) : "about " + text;
    }
    const bool whole = answer.value.is_uint64() || (answer.value.is_int64() && answer.value.get_int64() >= 0);
    if (!query || !whole)
        return text;
    const auto value = answer.value.to_number<std::uint64_t>();
    for (const auto& [named, name] : query->names)
        if (named == value)
            return text + " (" + name + ")";
    const auto size = bytes ? binary_size(value) : std::string{};
    return size.empty() ? text : text + " (" + size + ")";
}

} // namespace

std::string binary_size(std::uint64_t bytes) {
    static constexpr std::string_view kUnits[] = {"KiB", "MiB", "GiB", "TiB"};
    std::string best;
    double size = static_cast<double>(bytes);
    for (const auto unit : kUnits) {
        size /= 1024;
        if (size < 1)
            break;
        // Only what two decimals say exactly: "10.67 GiB" of a figure that is not would be a new rounding.
        if (size * 100 == static_cast<double>(static_cast<std::uint64_t>(size * 100)))
            best = fmt::format("{:g} {}", size, unit);
    }
    return best;
}

std::string describe(const Answer& answer, const Query* query) {
    if (!answer.answered())
        return std::string(answer.status == AnswerStatus::not_asked ? "not asked"
                                                                    : status_name(answer.status));
    if (const auto* array = answer.value.if_array()) {
        std::vector<std::string> parts;
        for (const auto& element : *array)
            parts.push_back(scalar(element));
        const bool size = query ? query->kind == "size3" : !array->empty() && array->begin()->is_number();
        return parts.empty() ? "none" : join(parts, size ? " x " : ", ");
    }
    return answer.value.is_number() ? number(answer, query) : scalar(answer.value);
}

} // namespace assay
