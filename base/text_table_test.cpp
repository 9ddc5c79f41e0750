#include "base/text_table.h"

#include <doctest/doctest.h>

using namespace assay;

TEST_CASE("columns align, and no line ends in white space") {
    TextTable table({"name", "n", ""}, {TextTable::Align::left, TextTable::Align::right});
    table.add({"long name", "5"});
    table.add({"\xc3\xa9", "1234", "note"});
    CHECK(table.text(2) == "  name          n\n"
                           "  long name     5\n"
                           "  \xc3\xa9          1234  note\n");
    CHECK(TextTable().text().empty());
}
