#include "kernels/feature.h"

#include <doctest/doctest.h>
#include <map>

using namespace assay;

static Answers macos(const std::string& version, std::map<std::string, bool> families) {
    Answers answers;
    answers.os = {"macOS", version};
    answers.lookup = [families](std::string_view key) -> std::optional<json::value> {
        const auto found = families.find(std::string(key));
        return found == families.end() ? json::value(false) : json::value(found->second);
    };
    return answers;
}

static Truth promise_of(const char* feature, const Answers& answers) {
    const auto* row = find_feature(feature);
    REQUIRE(row);
    return promise(*row, answers);
}

TEST_CASE("an Apple family promises its own features and those of every lower family") {
    const auto apple8 = macos("26.5", {{"supportsFamily(Apple8)", true}});
    CHECK(promise_of("simdgroup_matrix", apple8) == Truth::yes);    // Apple7
    CHECK(promise_of("simd_shift_and_fill", apple8) == Truth::yes); // Apple8
    CHECK(promise_of("atomics_64bit", apple8) == Truth::no);        // Apple9
}

TEST_CASE("Metal3 promises bfloat and SIMD reductions, but neither SIMD-group matrices nor residency sets") {
    const auto metal3 = macos("26.5", {{"supportsFamily(Metal3)", true}});
    CHECK(promise_of("bfloat16", metal3) == Truth::yes);
    CHECK(promise_of("simd_reduction", metal3) == Truth::yes);
    CHECK(promise_of("simdgroup_matrix", metal3) == Truth::no);
    CHECK(promise_of("residency_sets", metal3) == Truth::no);
}

TEST_CASE("Mac and Common families promise nothing") {
    const auto unions = macos("26.5", {{"supportsFamily(Mac2)", true}, {"supportsFamily(Common3)", true}});
    for (const auto& feature : features())
        CHECK_MESSAGE(promise(feature, unions) == Truth::no, feature.id);
}

TEST_CASE("a feature that came with a macOS release is promised from that release on") {
    const std::map<std::string, bool> apple6 = {{"supportsFamily(Apple6)", true}};
    CHECK(promise_of("residency_sets", macos("15.0", apple6)) == Truth::yes);
    CHECK(promise_of("residency_sets", macos("14.7.2", apple6)) == Truth::no);
    CHECK(promise_of("residency_sets", macos("", apple6)) == Truth::unknown);
    CHECK(promise_of("residency_sets", macos("", {})) == Truth::no);
}

TEST_CASE("an unrecorded answer leaves a promise unknown unless another one decides") {
    Answers answers;
    answers.lookup = [](std::string_view) { return std::nullopt; };
    CHECK(promise_of("simd_reduction", answers) == Truth::unknown);
    answers.lookup = [](std::string_view key) -> std::optional<json::value> {
        return key == "supportsFamily(Apple10)" ? std::optional<json::value>(true) : std::nullopt;
    };
    CHECK(promise_of("simd_reduction", answers) == Truth::yes);
}

TEST_CASE("versions compare number by number") {
    CHECK(version_at_least("26.5.2", "26.2") == Truth::yes);
    CHECK(version_at_least("26.10", "26.9") == Truth::yes);
    CHECK(version_at_least("15", "15.0") == Truth::yes);
    CHECK(version_at_least("14.9", "15") == Truth::no);
    CHECK(version_at_least("", "15") == Truth::unknown);
    CHECK(version_at_least("15b2", "15") == Truth::unknown);
}

TEST_CASE("the table's rows are those of Apple's tables") {
    CHECK(features().size() == 137); // of 139 rows, two are for Mac2 alone
    const auto* row = find_feature("bfloat16");
    REQUIRE(row);
    CHECK(row->min_apple_family == "Apple6");
    CHECK(row->min_metal_family == "Metal3");
    CHECK(find_feature("texture_barriers") == nullptr);
}

TEST_CASE("every problem of a feature table is reported") {
    const auto value = parse_json(R"({"schema": "assay.features/1", "rule": "", "sources": {}, "features": [
        {"id": "a", "min_apple_family": "Apple77", "min_metal_family": "Mac2", "source": []},
        {"id": 3, "source": []}]})",
                                  "t")
                           .value();
    const auto result = features_from_json(value, "t");
    REQUIRE(!result);
    const auto text = result.error().text();
    CHECK(text.find("/features/0/min_apple_family") != std::string::npos);
    CHECK(text.find("/features/0/min_metal_family") != std::string::npos);
    CHECK(text.find("/features/1/id") != std::string::npos);
}
