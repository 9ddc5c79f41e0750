#include "base/json.h"
#include "base/json_reader.h"

#include <doctest/doctest.h>

using namespace assay;

TEST_CASE("duplicate keys are refused with their place") {
    const auto result = parse_json("{\n  \"a\": 1,\n  \"a\": 2\n}", "x.json");
    REQUIRE(result.has_error());
    CHECK(result.error().where.starts_with("x.json:3:"));
    CHECK(result.error().message == "duplicate key \"a\"");
    CHECK(parse_json(R"([{"a":1},{"a":2}])", "x").has_value());
    CHECK(parse_json(R"({"a":{"b":1},"b":2})", "x").has_value());
}

TEST_CASE("truncated, trailing, too deep and non-UTF-8 input is refused") {
    const std::string text = R"({"a": [1, 2.5, "x\u00e9", null, true]})";
    for (std::size_t n = 0; n < text.size(); ++n)
        CHECK(parse_json(text.substr(0, n), "x").has_error());
    CHECK(parse_json(text + " x", "x").has_error());
    CHECK(parse_json(std::string(100, '['), "x").has_error());
    CHECK(parse_json("\"\xff\"", "x").has_error());
}

TEST_CASE("numbers are written as the shortest text that reads back") {
    CHECK(write_json_line(parse_json("[1.5, 0.1, 3, -2, 2e3, 1e300, 18446744073709551615]", "x").value()) ==
          "[1.5,0.1,3,-2,2000.0,1e+300,18446744073709551615]");
}

TEST_CASE("a number is read as the double nearest to it") {
    CHECK(parse_json("2.3456789012345678e+28", "x").value() == 2.3456789012345678e+28);
    CHECK(parse_json("1.2345678901234969e+29", "x").value() == 1.2345678901234969e+29);
}

TEST_CASE("what is written reads back equal") {
    const auto value = parse_json(R"({"b":[1,{"c":"q\"\n\u0001"}],"a":{},"d":[],"e":2.25})", "x").value();
    CHECK(parse_json(write_json(value), "x").value() == value);
    CHECK(write_json(value).starts_with("{\n  \"b\": [\n    1,\n"));
}

TEST_CASE("all problems of one document are reported together") {
    const auto value =
        parse_json(R"({"schema":"assay.b/1","nmae":"x","count":-1,"list":["a",2]})", "x").value();
    Problems problems("f.json");
    {
        ObjectReader reader(value, "", problems);
        reader.schema("assay.a/1");
        CHECK(!reader.optional_string("name"));
        CHECK(!reader.optional_uint("count"));
        CHECK(reader.strings("list") == std::vector<std::string>{"a"});
        CHECK(reader.string("missing").empty());
    }
    CHECK(problems.error().text() ==
          "f.json: 5 problems\n"
          "  /schema: expected \"assay.a/1\", found \"assay.b/1\"\n"
          "  /count: expected a whole number that is not negative, found a number\n"
          "  /list/1: expected a string, found a number\n"
          "  the document: missing key \"missing\"\n"
          "  /nmae: unknown key (did you mean \"name\"?)");
}
