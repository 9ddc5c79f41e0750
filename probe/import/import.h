// Importers: logs of known clients become capability tables.
#pragma once
#include "probe/table.h"
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// Reads a log; which client wrote it is detected. Only what the log states (origin `logged`) or what the
/// client's own rules imply (`implied`) is recorded. An error names the line, or says what was looked for;
/// `name` is the file's name for messages.
Result<Table> import_log(std::string_view log, const std::string& name);

namespace import {

/// One line of a log.
struct LogLine {
    std::string_view text; ///< without its line end
    std::size_t number;    ///< from 1
    bool terminated;       ///< false: the log ends here without a line end, and may be cut
};

std::vector<LogLine> log_lines(std::string_view log);

/// "name:number", for error messages.
std::string line_place(const std::string& name, std::size_t number);

/// A client's log format.
struct Format {
    std::string_view name;  ///< recorded as the table's source
    std::string_view marks; ///< what its lines look like, for error messages
    bool (*detect)(std::string_view log);
    Result<Table> (*read)(std::string_view log, const std::string& name);
};

extern const Format ggml_format;

} // namespace import
} // namespace assay
