// Parsing of JSON with a duplicate-key check.
//
// Boost.JSON keeps the last of two equal keys without a word, so the parser's events pass through a handler
// that remembers the keys of every open object before they reach Boost's value stack.
#include "base/json.h"
#include "base/file.h"

#include <boost/json/basic_parser_impl.hpp>
#include <locale>
#include <set>
#include <sstream>
#include <vector>

namespace assay {

namespace {

/// The double nearest to the text. Boost.JSON 1.81 is off by a unit in the last place for some, so that what
/// was written would not read back. A stream, because strtod() follows the locale of the program.
double nearest_double(const std::string& text, double fallback) {
    std::istringstream in(text);
    in.imbue(std::locale::classic());
    double value = 0;
    return in >> value ? value : fallback;
}

struct Handler {
    static constexpr std::size_t max_object_size = 1u << 20;
    static constexpr std::size_t max_array_size = 1u << 24;
    static constexpr std::size_t max_key_size = 1u << 20;
    static constexpr std::size_t max_string_size = std::size_t{1} << 26;

    json::value_stack stack;
    std::vector<std::set<std::string>> open_objects;
    std::string partial_key;
    std::string partial_number;
    std::string duplicate;

    bool fail(json::error_code& code, std::string key) {
        duplicate = std::move(key);
        code = make_error_code(boost::system::errc::invalid_argument);
        return false;
    }

    bool on_document_begin(json::error_code&) {
        stack.reset();
        return true;
    }
    bool on_document_end(json::error_code&) { return true; }
    bool on_object_begin(json::error_code&) {
        open_objects.emplace_back();
        return true;
    }
    bool on_object_end(std::size_t n, json::error_code&) {
        open_objects.pop_back();
        stack.push_object(n);
        return true;
    }
    bool on_array_begin(json::error_code&) { return true; }
    bool on_array_end(std::size_t n, json::error_code&) {
        stack.push_array(n);
        return true;
    }
    bool on_key_part(json::string_view s, std::size_t, json::error_code&) {
        partial_key += s;
        stack.push_chars(s);
        return true;
    }
    bool on_key(json::string_view s, std::size_t, json::error_code& code) {
        partial_key += s;
        stack.push_key(s);
        if (!open_objects.back().insert(partial_key).second)
            return fail(code, partial_key);
        partial_key.clear();
        return true;
    }
    bool on_string_part(json::string_view s, std::size_t, json::error_code&) {
        stack.push_chars(s);
        return true;
    }
    bool on_string(json::string_view s, std::size_t, json::error_code&) {
        stack.push_string(s);
        return true;
    }
    bool on_number_part(json::string_view s, json::error_code&) {
        partial_number += s;
        return true;
    }
    bool on_int64(std::int64_t i, json::string_view, json::error_code&) {
        partial_number.clear();
        stack.push_int64(i);
        return true;
    }
    bool on_uint64(std::uint64_t u, json::string_view, json::error_code&) {
        partial_number.clear();
        stack.push_uint64(u);
        return true;
    }
    bool on_double(double d, json::string_view s, json::error_code&) {
        partial_number += s;
        stack.push_double(nearest_double(partial_number, d));
        partial_number.clear();
        return true;
    }
    bool on_bool(bool b, json::error_code&) {
        stack.push_bool(b);
        return true;
    }
    bool on_null(json::error_code&) {
        stack.push_null();
        return true;
    }
    bool on_comment_part(json::string_view, json::error_code&) { return true; }
    bool on_comment(json::string_view, json::error_code&) { return true; }
};

std::string position(const std::string& name, std::string_view text, std::size_t offset) {
    std::size_t line = 1;
    std::size_t column = 1;
    for (const char c : text.substr(0, offset)) {
        if (c == '\n') {
            ++line;
            column = 1;
        } else {
            ++column;
        }
    }
    return name + ":" + std::to_string(line) + ":" + std::to_string(column);
}

} // namespace

Result<json::value> parse_json(std::string_view text, const std::string& name) {
    json::parse_options options;
    options.max_depth = 64;
    json::basic_parser<Handler> parser(options);
    json::error_code code;
    const std::size_t used = parser.write_some(false, text.data(), text.size(), code);
    if (!parser.handler().duplicate.empty())
        return bad_input(position(name, text, used), "duplicate key \"" + parser.handler().duplicate + "\"");
    if (code)
        return bad_input(position(name, text, used), "not valid JSON: " + code.message());
    if (text.find_first_not_of(" \t\r\n", used) != std::string_view::npos)
        return bad_input(position(name, text, used), "text after the end of the JSON document");
    return parser.handler().stack.release();
}

Result<json::value> read_json(const std::string& path) {
    auto text = read_file(path);
    if (!text)
        return text.error();
    return parse_json(*text, path == "-" ? "standard input" : path);
}

} // namespace assay
