// JSON values: parsing with a duplicate-key check, and pretty-printing with shortest numbers.
#pragma once
#include "base/error.h"
#include <boost/json.hpp>
#include <string>
#include <string_view>

namespace assay {

namespace json = boost::json;

/// Parses one JSON document. Duplicate keys, trailing text, nesting deeper than 64 levels and invalid UTF-8
/// are errors; an error's `where` is "name:line:column".
Result<json::value> parse_json(std::string_view text, const std::string& name);

/// Reads and parses a file ("-" is standard input).
Result<json::value> read_json(const std::string& path);

/// Pretty-prints with two spaces, LF and a final newline. Arrays of scalars that fit stay on one line.
/// Numbers are the shortest text that reads back as the same value; members keep their order.
std::string write_json(const json::value& value);

/// One line without spaces, for JSON lines.
std::string write_json_line(const json::value& value);

} // namespace assay
