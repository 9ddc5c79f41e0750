// Reading typed members out of JSON while collecting every problem of the input.
#include "base/json_reader.h"
#include "base/text.h"

#include <algorithm>

namespace assay {

namespace {
constexpr std::size_t kMostProblems = 50;

// Made on first use: the injected library reads JSON before constructors of other files have run.
const json::array& no_elements() {
    static const json::array none;
    return none;
}
const json::object& no_members() {
    static const json::object none;
    return none;
}
} // namespace

void Problems::add(const std::string& pointer, const std::string& message) {
    if (lines_.size() == kMostProblems)
        lines_.push_back("further problems are not listed");
    if (lines_.size() < kMostProblems)
        lines_.push_back((pointer.empty() ? "the document" : pointer) + ": " + message);
}

Error Problems::error() const {
    if (lines_.size() == 1)
        return bad_input(file_, lines_.front());
    return bad_input(file_, std::to_string(lines_.size()) + " problems\n  " + join(lines_, "\n  "));
}

std::string_view kind_name(const json::value& value) {
    switch (value.kind()) {
    case json::kind::null:
        return "null";
    case json::kind::bool_:
        return "a boolean";
    case json::kind::int64:
    case json::kind::uint64:
    case json::kind::double_:
        return "a number";
    case json::kind::string:
        return "a string";
    case json::kind::array:
        return "an array";
    case json::kind::object:
        return "an object";
    }
    return "something unknown";
}

std::string pointer_escape(std::string_view key) {
    std::string out;
    for (const char c : key) {
        if (c == '~')
            out += "~0";
        else if (c == '/')
            out += "~1";
        else
            out += c;
    }
    return out;
}

ObjectReader::ObjectReader(const json::value& value, std::string pointer, Problems& problems)
    : object_(value.if_object()), pointer_(std::move(pointer)), problems_(problems) {
    if (!object_)
        problems_.add(pointer_, "expected an object, found " + std::string(kind_name(value)));
}

ObjectReader::~ObjectReader() {
    if (!object_ || accept_rest_)
        return;
    for (const auto& member : *object_) {
        const std::string_view key = member.key();
        if (std::find(known_.begin(), known_.end(), key) == known_.end())
            problems_.add(pointer(key), "unknown key" + did_you_mean(key, known_));
    }
}

std::string ObjectReader::pointer(std::string_view key) const { return pointer_ + "/" + pointer_escape(key); }

const json::value* ObjectReader::find(std::string_view key) {
    if (std::find(known_.begin(), known_.end(), key) == known_.end())
        known_.push_back(key);
    return object_ ? object_->if_contains(key) : nullptr;
}

const json::value* ObjectReader::require(std::string_view key) {
    const auto* value = find(key);
    if (!value && object_)
        problems_.add(pointer_, "missing key \"" + std::string(key) + "\"");
    return value;
}

void ObjectReader::wrong(std::string_view key, std::string_view expected, const json::value& got) {
    problems_.add(pointer(key),
                  "expected " + std::string(expected) + ", found " + std::string(kind_name(got)));
}

std::string ObjectReader::string(std::string_view key) {
    const auto* value = require(key);
    if (!value)
        return {};
    if (const auto* text = value->if_string())
        return std::string(*text);
    wrong(key, "a string", *value);
    return {};
}

std::optional<std::string> ObjectReader::optional_string(std::string_view key) {
    const auto* value = find(key);
    if (!value || value->is_null())
        return {};
    if (const auto* text = value->if_string())
        return std::string(*text);
    wrong(key, "a string", *value);
    return {};
}

std::optional<bool> ObjectReader::optional_bool(std::string_view key) {
    const auto* value = find(key);
    if (!value || value->is_null())
        return {};
    if (const auto* flag = value->if_bool())
        return *flag;
    wrong(key, "a boolean", *value);
    return {};
}

std::optional<std::uint64_t> ObjectReader::optional_uint(std::string_view key) {
    const auto* value = find(key);
    if (!value || value->is_null())
        return {};
    if (value->is_uint64())
        return value->get_uint64();
    if (value->is_int64() && value->get_int64() >= 0)
        return static_cast<std::uint64_t>(value->get_int64());
    wrong(key, "a whole number that is not negative", *value);
    return {};
}

std::optional<double> ObjectReader::optional_number(std::string_view key) {
    const auto* value = find(key);
    if (!value || value->is_null())
        return {};
    if (value->is_number())
        return value->to_number<double>();
    wrong(key, "a number", *value);
    return {};
}

std::vector<std::string> ObjectReader::strings(std::string_view key) {
    std::vector<std::string> out;
    std::size_t index = 0;
    for (const auto& element : array(key)) {
        if (const auto* text = element.if_string())
            out.emplace_back(*text);
        else
            problems_.add(pointer(key) + "/" + std::to_string(index),
                          "expected a string, found " + std::string(kind_name(element)));
        ++index;
    }
    return out;
}

const json::array& ObjectReader::array(std::string_view key) {
    const auto* value = find(key);
    if (!value || value->is_null())
        return no_elements();
    if (const auto* elements = value->if_array())
        return *elements;
    wrong(key, "an array", *value);
    return no_elements();
}

const json::object& ObjectReader::object(std::string_view key) {
    const auto* value = find(key);
    if (!value || value->is_null())
        return no_members();
    if (const auto* members = value->if_object())
        return *members;
    wrong(key, "an object", *value);
    return no_members();
}

std::string ObjectReader::one_of(std::string_view key, std::initializer_list<std::string_view> values) {
    const auto* value = require(key);
    if (!value)
        return std::string(*values.begin());
    const auto* text = value->if_string();
    if (text && std::find(values.begin(), values.end(), std::string_view(*text)) != values.end())
        return std::string(*text);
    std::string expected;
    for (const auto name : values)
        expected += (expected.empty() ? "\"" : ", \"") + std::string(name) + "\"";
    problems_.add(pointer(key), "expected one of " + expected +
                                    (text ? did_you_mean(*text, std::vector<std::string_view>(values)) : ""));
    return std::string(*values.begin());
}

void ObjectReader::schema(std::string_view name) {
    const auto found = string("schema");
    if (!found.empty() && found != name)
        problems_.add(pointer("schema"), "expected \"" + std::string(name) + "\", found \"" + found + "\"");
}

} // namespace assay
