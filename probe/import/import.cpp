// Importers: logs of known clients become capability tables.
#include "probe/import/import.h"

#include <algorithm>

namespace assay {

namespace import {

std::vector<LogLine> log_lines(std::string_view log) {
    std::vector<LogLine> lines;
    for (std::size_t begin = 0; begin < log.size();) {
        const auto end = log.find('\n', begin);
        const bool terminated = end != std::string_view::npos;
        auto text = log.substr(begin, terminated ? end - begin : std::string_view::npos);
        begin += text.size() + 1;
        if (!text.empty() && text.back() == '\r')
            text.remove_suffix(1);
        lines.push_back({text, lines.size() + 1, terminated});
    }
    return lines;
}

std::string line_place(const std::string& name, std::size_t number) {
    return name + ":" + std::to_string(number);
}

} // namespace import

Result<Table> import_log(std::string_view log, const std::string& name) {
    static constexpr const import::Format* kFormats[] = {&import::ggml_format};
    std::string looked_for;
    for (const auto* format : kFormats) {
        if (format->detect(log)) {
            auto table = format->read(log, name);
            if (table) {
                table->source = format->name;
                table->identity.tool = ASSAY_VERSION;
            }
            return table;
        }
        looked_for +=
            (looked_for.empty() ? "" : "; ") + std::string(format->name) + ": " + std::string(format->marks);
    }
    const auto lines = std::count(log.begin(), log.end(), '\n') + (log.empty() || log.back() == '\n' ? 0 : 1);
    return bad_input(name, "none of its " + std::to_string(lines) + " lines states a capability of a device",
                     "looked for " + looked_for);
}

} // namespace assay
