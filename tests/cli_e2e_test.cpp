#include "base/json.h"
#include "tests/end_to_end.h"

using namespace assay;
using namespace assay::testing;

TEST_CASE("assay alone teaches, and exits 0") {
    const auto done = run_assay({});
    CHECK(done.status.code == 0);
    CHECK(done.output.find("Usage: assay COMMAND") != std::string::npos);
    CHECK(run_assay({"--help"}).output == done.output);
}

TEST_CASE("a misspelt command is a usage error with a suggestion") {
    const auto done = run_assay({"prob"});
    CHECK(done.status.code == 2);
    CHECK(done.output ==
          "assay: there is no command \"prob\" (did you mean \"probe\"?) (assay alone lists the commands)\n");
}

TEST_CASE("a misspelt option is a usage error that says where the options are listed") {
    const auto done = run_assay({"probe", "--devcie", "1"});
    CHECK(done.status.code == 2);
    CHECK(done.output.find("assay probe --help lists the options") != std::string::npos);
}

TEST_CASE("damaged JSON never crashes the parser, and what parses writes back") {
    const std::string text =
        "{\n  \"a\": [1, -2.5e3, \"\\u00e9\\n\", null],\n  \"b\": {\"c\": {}, \"d\": true}\n}\n";
    for_each_damage(text, [](const std::string& damaged) {
        if (const auto value = parse_json(damaged, "damaged"))
            CHECK(parse_json(write_json(*value), "again").value() == *value);
    });
}
