#include "base/file.h"
#include "base/text.h"
#include "probe/catalogue.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <set>

using namespace assay;

static std::set<std::string> question_keys() {
    std::set<std::string> keys;
    for (const auto& question : Catalogue::get().questions())
        CHECK_MESSAGE(keys.insert(question.key).second, "asked twice: ", question.key);
    return keys;
}

TEST_CASE("every selector that answers without an argument has a row") {
    std::set<std::string> asked;
    for (const auto& query : Catalogue::get().queries()) {
        std::string path;
        for (const auto& selector : query.path) {
            path += (path.empty() ? "" : ".") + selector;
            asked.insert(path);
        }
    }
    const auto list = read_file(ASSAY_SOURCE_DIR "/tests/data/device-selectors.txt");
    REQUIRE(list.has_value());
    int selectors = 0;
    for (const auto line : split(*list, '\n')) {
        if (line.empty() || line[0] == '#')
            continue;
        ++selectors;
        CHECK_MESSAGE(asked.count(std::string(line)) == 1, "no row asks ", line);
    }
    CHECK(selectors > 40);
}

TEST_CASE("families are asked by name, and the numbers around them without one") {
    const auto keys = question_keys();
    for (const auto* key : {"supportsFamily(Apple1)", "supportsFamily(Apple11)", "supportsFamily(Mac2)",
                            "supportsFamily(Common3)", "supportsFamily(MacCatalyst1)",
                            "supportsFamily(Metal4)", "supportsFamily(1012)", "supportsFamily(1021)",
                            "supportsFamily(2003)", "supportsFamily(3006)", "supportsFamily(5006)"})
        CHECK_MESSAGE(keys.count(key) == 1, key);
    CHECK(keys.count("supportsFamily(1007)") == 0);
}

TEST_CASE("a question carries the number that its key names") {
    for (const auto& question : Catalogue::get().questions())
        if (question.key == "supportsFamily(Apple7)")
            CHECK(question.arguments == std::vector<long>{1007});
}

TEST_CASE("a key finds its row whatever its arguments") {
    const auto& catalogue = Catalogue::get();
    REQUIRE(catalogue.find("supportsFamily(9999)"));
    CHECK(catalogue.find("supportsFamily(9999)")->kind == "bool");
    CHECK(catalogue.find("architecture.name")->compare == Compare::exact);
    CHECK(catalogue.find("maxBufferLength")->compare == Compare::higher);
    CHECK(catalogue.find("currentAllocatedSize")->is_volatile);
    CHECK(catalogue.find("noSuchQuery") == nullptr);
}

TEST_CASE("the kind of every row fits its encoding") {
    for (const auto& query : Catalogue::get().queries()) {
        const std::set<std::string> encodings = query.kind == "bool"    ? std::set<std::string>{"B"}
                                                : query.kind == "size3" ? std::set<std::string>{"{?=QQQ}"}
                                                : query.kind == "uint" || query.kind == "enum"
                                                    ? std::set<std::string>{"Q", "I"}
                                                    : std::set<std::string>{"@"};
        CHECK_MESSAGE(encodings.count(query.encoding) == 1, query.key);
        CHECK_MESSAGE((query.kind != "enum" || !query.names.empty()), query.key);
    }
}

TEST_CASE("every row says what it means and where that is known from") {
    const auto& catalogue = Catalogue::get();
    for (const auto& query : catalogue.queries()) {
        CHECK_MESSAGE(!query.meaning.empty(), query.key);
        CHECK_MESSAGE(!query.source.empty(), query.key);
        for (const auto& source : query.source) {
            const auto& all = catalogue.sources();
            CHECK_MESSAGE(
                std::any_of(all.begin(), all.end(), [&](const auto& s) { return s.first == source; }),
                query.key, " names the unknown source ", source);
        }
    }
}

TEST_CASE("a row that is wrong is refused at its place") {
    const auto catalogue = Catalogue::parse(
        R"({"schema":"assay.queries/1","queries":[{"key":"a","group":"g","kind":"bool","encoding":"Z",
            "macos":"1","meaning":"m","compare":"higher"}]})",
        "q.json");
    REQUIRE(catalogue.has_error());
    CHECK(catalogue.error().text().find("q.json: /queries/0/encoding: expected one of") == 0);
}
