// What a device and its system answered, as gates and feature rules read it.
#pragma once
#include "probe/table.h"
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace assay {

/// Three-valued: an answer that is not recorded is neither yes nor no. Ordered, so that "all" is the minimum
/// and "any" the maximum of its parts (Kleene's logic).
enum class Truth { no, unknown, yes };

std::string_view truth_name(Truth truth);
Truth truth_not(Truth truth);

/// Gives the value of an answered query, or nothing when it is unrecorded or has no answer.
using AnswerLookup = std::function<std::optional<json::value>(std::string_view key)>;

/// An operating system. Empty text means unrecorded.
struct Os {
    std::string name;    ///< "macOS"
    std::string version; ///< "26.5.2"
};

/// Whether `version` is `least` or newer, compared number by number ("15" equals "15.0"). Unknown when either
/// is not a dotted number.
Truth version_at_least(std::string_view version, std::string_view least);

/// Everything an expression may ask about.
struct Answers {
    AnswerLookup lookup;
    Os os;
    /// Whether the client's environment sets a variable; without it no variable is set.
    std::function<bool(std::string_view name)> environment;

    std::optional<json::value> find(std::string_view key) const;
    /// A boolean answer; unknown when unrecorded or not a boolean.
    Truth boolean(std::string_view key) const;
};

/// The answers of one device of a table. `name` and `architecture.name` fall back to the device's own fields.
/// The table must outlive the result.
Answers answers_of(const Table& table, const Device& device);

} // namespace assay
