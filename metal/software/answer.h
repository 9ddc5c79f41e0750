// What a device file reports for one query key.
#pragma once
#include "metal/runtime.h"
#include <cstdint>
#include <string>
#include <variant>

namespace assay::software {

enum class AnswerStatus { answered, absent, raised, aborted, timeout, not_asked };

/// One reported answer, or the way in which the query fails.
struct Answer {
    AnswerStatus status = AnswerStatus::answered;
    std::string detail; ///< for raised and aborted: the reason, without the exception's name
    std::variant<bool, std::uint64_t, std::string, metal::Size> value;

    /// A boolean counts as 0 or 1; text and sizes as 0.
    std::uint64_t number() const {
        if (const auto* flag = std::get_if<bool>(&value))
            return *flag ? 1 : 0;
        const auto* number = std::get_if<std::uint64_t>(&value);
        return number ? *number : 0;
    }
    std::string text() const {
        const auto* text = std::get_if<std::string>(&value);
        return text ? *text : std::string();
    }
    metal::Size size() const {
        const auto* size = std::get_if<metal::Size>(&value);
        return size ? *size : metal::Size{};
    }
    bool answered() const { return status == AnswerStatus::answered; }
    /// Whether the class has a method for it at all.
    bool has_method() const { return status != AnswerStatus::absent && status != AnswerStatus::not_asked; }
};

} // namespace assay::software
