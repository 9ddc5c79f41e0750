// Aligned columns for terminals.
#pragma once
#include <string>
#include <vector>

namespace assay {

/// Rows of cells, rendered with each column as wide as its widest cell and two spaces between columns.
class TextTable {
  public:
    enum class Align { left, right };

    /// An empty header prints none. Columns beyond `align` are left-aligned.
    explicit TextTable(std::vector<std::string> header = {}, std::vector<Align> align = {});
    void add(std::vector<std::string> row);
    bool empty() const { return rows_.empty(); }
    /// Every line starts with `indent` spaces and ends without trailing white space.
    std::string text(std::size_t indent = 0) const;

  private:
    std::vector<std::string> header_;
    std::vector<Align> align_;
    std::vector<std::vector<std::string>> rows_;
};

/// Number of code points: the width of text that has no wide or combining characters.
std::size_t display_width(std::string_view utf8);

} // namespace assay
