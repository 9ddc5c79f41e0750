// Aligned columns for terminals.
#include "base/text_table.h"

#include <algorithm>

namespace assay {

std::size_t display_width(std::string_view utf8) {
    return static_cast<std::size_t>(std::count_if(
        utf8.begin(), utf8.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

TextTable::TextTable(std::vector<std::string> header, std::vector<Align> align)
    : header_(std::move(header)), align_(std::move(align)) {}

void TextTable::add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

std::string TextTable::text(std::size_t indent) const {
    std::vector<std::vector<std::string>> lines;
    if (!header_.empty())
        lines.push_back(header_);
    lines.insert(lines.end(), rows_.begin(), rows_.end());
    std::vector<std::size_t> widths;
    for (const auto& line : lines) {
        widths.resize(std::max(widths.size(), line.size()));
        for (std::size_t i = 0; i < line.size(); ++i)
            widths[i] = std::max(widths[i], display_width(line[i]));
    }
    std::string out;
    for (const auto& line : lines) {
        std::string text(indent, ' ');
        for (std::size_t i = 0; i < line.size(); ++i) {
            const std::string padding(widths[i] - display_width(line[i]), ' ');
            const bool right = i < align_.size() && align_[i] == Align::right;
            text += right ? padding + line[i] : line[i] + padding;
            text += "  ";
        }
        text.erase(text.find_last_not_of(' ') + 1);
        out += text + '\n';
    }
    return out;
}

} // namespace assay
