// Reading typed members out of JSON while collecting every problem of the input.
#pragma once
#include "base/json.h"
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// All problems of one input, reported together.
class Problems {
  public:
    explicit Problems(std::string file) : file_(std::move(file)) {}
    void add(const std::string& pointer, const std::string& message);
    bool empty() const { return lines_.empty(); }
    /// One error that lists every problem, a line each. Call only when not empty.
    Error error() const;

  private:
    std::string file_;
    std::vector<std::string> lines_;
};

/// Reads the members of one JSON object. A wrong type, a missing required member or an unknown member becomes
/// a problem at its JSON pointer; reading goes on, so that all problems are found in one pass.
class ObjectReader {
  public:
    /// `value` that is not an object is a problem; every read then yields its default.
    ObjectReader(const json::value& value, std::string pointer, Problems& problems);
    /// Reports members that nothing has asked for, with a spelling suggestion.
    ~ObjectReader();
    ObjectReader(const ObjectReader&) = delete;
    ObjectReader& operator=(const ObjectReader&) = delete;

    /// The member, or null when absent. Asking marks it as known.
    const json::value* find(std::string_view key);
    /// The member; absent is a problem.
    const json::value* require(std::string_view key);

    std::string string(std::string_view key);                         ///< required
    std::optional<std::string> optional_string(std::string_view key); ///< null counts as absent
    std::optional<bool> optional_bool(std::string_view key);
    std::optional<std::uint64_t> optional_uint(std::string_view key);
    std::optional<double> optional_number(std::string_view key);
    std::vector<std::string> strings(std::string_view key); ///< absent: empty
    const json::array& array(std::string_view key);         ///< absent: empty
    const json::object& object(std::string_view key);       ///< absent: empty
    /// A required string that must be one of `values`; otherwise a problem and the first of them.
    std::string one_of(std::string_view key, std::initializer_list<std::string_view> values);
    /// Requires `"schema": name`.
    void schema(std::string_view name);
    /// Accepts every remaining member.
    void accept_rest() { accept_rest_ = true; }

    std::string pointer(std::string_view key) const;
    Problems& problems() { return problems_; }

  private:
    void wrong(std::string_view key, std::string_view expected, const json::value& got);
    const json::object* object_ = nullptr;
    std::string pointer_;
    Problems& problems_;
    std::vector<std::string_view> known_;
    bool accept_rest_ = false;
};

/// "a string", "an object", … for error messages.
std::string_view kind_name(const json::value& value);

/// Escapes "~" and "/" as JSON pointers want it (RFC 6901).
std::string pointer_escape(std::string_view key);

} // namespace assay
