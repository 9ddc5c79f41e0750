// Pretty-printing of JSON. Boost.JSON 1.81 prints 1.5 as 1.5E0, hence a writer of our own.
#include "base/json.h"

#include <cmath>
#include <fmt/format.h>

namespace assay {

namespace {

constexpr std::size_t kLineWidth = 100;

void write_string(std::string& out, std::string_view text) {
    out += '"';
    for (const char c : text) {
        switch (c) {
        case '"':
            out += "\\\"";
            break;
        case '\\':
            out += "\\\\";
            break;
        case '\n':
            out += "\\n";
            break;
        case '\r':
            out += "\\r";
            break;
        case '\t':
            out += "\\t";
            break;
        default:
            if (static_cast<unsigned char>(c) < 0x20)
                out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
            else
                out += c;
        }
    }
    out += '"';
}

/// A double stays a double when it is read back; JSON has no word for infinity.
void write_double(std::string& out, double number) {
    if (!std::isfinite(number)) {
        out += "null";
        return;
    }
    const auto text = fmt::format("{}", number);
    out += text;
    if (text.find_first_of(".e") == std::string::npos)
        out += ".0";
}

void write_scalar(std::string& out, const json::value& value) {
    switch (value.kind()) {
    case json::kind::bool_:
        out += value.get_bool() ? "true" : "false";
        break;
    case json::kind::int64:
        out += fmt::format("{}", value.get_int64());
        break;
    case json::kind::uint64:
        out += fmt::format("{}", value.get_uint64());
        break;
    case json::kind::double_:
        write_double(out, value.get_double());
        break;
    case json::kind::string:
        write_string(out, value.get_string());
        break;
    default:
        out += "null";
        break;
    }
}

void write_compact(std::string& out, const json::value& value) {
    if (const auto* array = value.if_array()) {
        out += '[';
        for (const auto& element : *array) {
            if (&element != array->data())
                out += ',';
            write_compact(out, element);
        }
        out += ']';
    } else if (const auto* object = value.if_object()) {
        out += '{';
        for (const auto& member : *object) {
            if (&member != &*object->begin())
                out += ',';
            write_string(out, member.key());
            out += ':';
            write_compact(out, member.value());
        }
        out += '}';
    } else {
        write_scalar(out, value);
    }
}

/// "[1, 2, 3]" when every element is a scalar and the line stays short; otherwise empty.
std::string one_line(const json::array& array, std::size_t indent) {
    std::string out = "[";
    for (const auto& element : array) {
        if (element.is_structured())
            return {};
        if (out.size() > 1)
            out += ", ";
        write_scalar(out, element);
        if (out.size() + indent > kLineWidth)
            return {};
    }
    return out + "]";
}

void write_pretty(std::string& out, const json::value& value, std::size_t indent) {
    const std::string inner(indent + 2, ' ');
    const std::string outer(indent, ' ');
    if (const auto* array = value.if_array()) {
        if (const auto line = one_line(*array, indent); !line.empty()) {
            out += line;
            return;
        }
        out += "[\n";
        for (const auto& element : *array) {
            if (&element != array->data())
                out += ",\n";
            out += inner;
            write_pretty(out, element, indent + 2);
        }
        out += '\n' + outer + ']';
    } else if (const auto* object = value.if_object()) {
        if (object->empty()) {
            out += "{}";
            return;
        }
        out += "{\n";
        for (const auto& member : *object) {
            if (&member != &*object->begin())
                out += ",\n";
            out += inner;
            write_string(out, member.key());
            out += ": ";
            write_pretty(out, member.value(), indent + 2);
        }
        out += '\n' + outer + '}';
    } else {
        write_scalar(out, value);
    }
}

} // namespace

std::string write_json(const json::value& value) {
    std::string out;
    write_pretty(out, value, 0);
    return out + '\n';
}

std::string write_json_line(const json::value& value) {
    std::string out;
    write_compact(out, value);
    return out;
}

} // namespace assay
