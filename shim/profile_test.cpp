#include "base/platform.h"
#include "shim/profile.h"
#include "tests/end_to_end.h"

#include <doctest/doctest.h>

using namespace assay;
using namespace assay::testing;

namespace {

Profile example() {
    Profile profile;
    profile.name = "example";
    profile.state = ProfileState::simulated;
    profile.goal = {"llama.cpp"};
    profile.pins = {
        "Class", "Name", "25F84", "Chip", "uuid-a", "uuid-b", HostPins{"Apple M1 Ultra", "", "", false}};
    profile.overrides = {{"supportsFamily(Apple7)", true},
                         {"maxThreadgroupMemoryLength", std::uint64_t{65536}}};
    profile.stock = {{"supportsFamily(Apple7)", false}, {"maxThreadgroupMemoryLength", std::uint64_t{32768}}};
    profile.hazards = {
        {{"supportsFamily(Apple7)"}, "residency_sets", "residency_set", "", "answers", {"mlx"}, {}, ""}};
    profile.evidence = Evidence{"sha256:0", {"canary"}, 5, 30, "10 %", "2026-12-01"};
    return profile;
}

std::string error_of(const std::string& text) {
    const auto profile = parse_profile(text, "p.json");
    REQUIRE(!profile.has_value());
    return profile.error().text();
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

std::string draft(const std::string& members) {
    return R"-({"schema":"assay.profile/1","name":"n","state":"draft","backend":"software",)-" + members +
           "}";
}

} // namespace

TEST_CASE("what is written reads back the same, and its digest holds") {
    const auto text = profile_text(example());
    const auto profile = parse_profile(text, "p.json");
    REQUIRE(profile.has_value());
    CHECK(digest_holds(text, *profile));
    CHECK(profile_text(*profile) == text);
    CHECK(profile->pins.host->chip == "Apple M1 Ultra");
    CHECK(profile->hazards.at(0).clients == std::vector<std::string>{"mlx"});
}

TEST_CASE("the digest is the SHA-256 of the file without the digest's digits") {
    auto text = profile_text(example());
    const auto place = text.find("sha256:", text.find("\"digest\"")) + 7;
    const auto digits = text.substr(place, 64);
    text.erase(place, 64);
    CHECK(sha256_hex(text) == digits);
}

TEST_CASE("no damaged copy of a profile passes for whole") {
    const auto text = profile_text(example());
    int accepted = 0;
    for_each_damage(text, [&](const std::string& damaged) {
        const auto profile = parse_profile(damaged, "p.json");
        accepted += profile && digest_holds(damaged, *profile) && damaged != text;
    });
    CHECK(accepted == 0);
}

TEST_CASE("all problems of a profile are reported together") {
    const auto error = error_of(draft(
        R"-("overrides":{"supportsFamily(Appel7)":true,"name":"x","maxBufferLength":true,"peerCount":4294967296},"extra":1)-"));
    CHECK(contains(
        error,
        "/overrides/supportsFamily(Appel7): there is no GPU family \"Appel7\" (did you mean \"Apple7\"?)"));
    CHECK(contains(error, "/overrides/name: cannot be overridden: only booleans and whole numbers can"));
    CHECK(contains(error, "/overrides/maxBufferLength: expected a whole number"));
    CHECK(contains(error, "/overrides/peerCount: expected a whole number from 0 to 4294967295"));
    CHECK(contains(error, "/extra: unknown key"));
}

TEST_CASE(
    "queries with an argument other than a family cannot be overridden, and misspelt ones get a suggestion") {
    CHECK(contains(error_of(draft(R"-("overrides":{"supportsTextureSampleCount(4)":true})-")),
                   "of the queries with an argument only supportsFamily(...) can"));
    CHECK(contains(error_of(draft(R"-("overrides":{"maxBuferLength":1})-")),
                   "did you mean \"maxBufferLength\"?"));
    CHECK(contains(error_of(draft(R"-("overrides":{"supportsFamily(Apple7)":true,"supportsFamily(1007)":true
    })-")),
                   "names a query that another key names as well"));
    CHECK(contains(error_of(draft(R"-("overrides":{"hasUnifiedMemory":true,"hasUnifiedMemory":false})-")),
                   "duplicate"));
    CHECK(contains(error_of(draft(R"-("overrides":{},"callers":["@main"])-")), "/callers"));
}

TEST_CASE("a profile that is no draft must have pins, stock answers and a digest") {
    const auto error = error_of(
        R"-({"schema":"assay.profile/1","name":"n","state":"validated","backend":"metal","pins":{"chip":"c"},)-"
        R"-("overrides":{"hasUnifiedMemory":true}})-");
    CHECK(contains(error, "/pins/os_build: a profile that is no draft must pin it"));
    CHECK(contains(error, "/stock: lacks the stock answer of the override hasUnifiedMemory"));
    CHECK(contains(error, "missing key \"digest\""));
    CHECK(parse_profile(draft(R"-("overrides":{"hasUnifiedMemory":true})-"), "p.json").has_value());
}

TEST_CASE("simulated and real profiles cannot pass for each other") {
    auto profile = example();
    profile.backend = "metal";
    CHECK(contains(error_of(profile_text(profile)), "/state: a simulated profile comes from the backend"));
    profile.state = ProfileState::validated;
    profile.backend = "software";
    CHECK(contains(error_of(profile_text(profile)), "/state: only the backend \"metal\""));
}
