#include "base/text.h"

#include <doctest/doctest.h>

using namespace assay;

TEST_CASE("splitting keeps empty parts") {
    CHECK(split("a,,b", ',') == std::vector<std::string_view>{"a", "", "b"});
    CHECK(split("", ',') == std::vector<std::string_view>{""});
}

TEST_CASE("trimming removes white space at both ends only") {
    CHECK(trim("  a b\t\n") == "a b");
    CHECK(trim(" \n ").empty());
}

TEST_CASE("a typing mistake finds the word that was meant") {
    CHECK(closest("overide", {"name", "override", "pins"}) == "override");
    CHECK(closest("xyz", {"name", "override"}).empty());
    CHECK(did_you_mean("nmae", {"name"}) == " (did you mean \"name\"?)");
}
