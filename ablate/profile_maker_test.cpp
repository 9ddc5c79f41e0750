// Profiles out of finished searches are what the shim accepts.
#include "ablate/profile_maker.h"
#include <algorithm>
#include <doctest/doctest.h>

using namespace assay;
using namespace assay::ablate;

namespace {

Table stock_table() {
    Table out;
    out.backend = "software";
    out.identity.os_build = "25F84";
    out.identity.chip = "Apple M1 Ultra (Virtual)";
    out.identity.metal_uuid = "a4088027-edae-8314-f2eb-1cc2dd9d330b";
    out.identity.driver_uuid = "7ffbb82d-6c25-0bf9-a031-da78a48889f3";
    Device device;
    device.name = "Apple Paravirtual device";
    device.class_name = "AppleParavirtDevice";
    out.devices.push_back(std::move(device));
    return out;
}

Ablation ablation() {
    Ablation out;
    out.goals = {"llama.cpp"};
    out.repeats = 5;
    out.result.chosen = {{"supportsFamily(Apple6)", true}, {"maxThreadgroupMemoryLength", 16384}};
    out.result.stock.answers = {{"supportsFamily(Apple6)", false}, {"maxThreadgroupMemoryLength", 32768}};
    out.result.best.outcomes["matmul/naive"] = {Outcome::Status::passed, "", "", 100};
    out.result.best.outcomes["matmul/tiled"] = {Outcome::Status::passed, "", "", 20};
    out.result.best.outcomes["matmul/other"] = {Outcome::Status::failed, "correct", "", 7};
    out.result.confirmations = 5;
    return out;
}

const std::string kDigest = "sha256:86e9a8bb8cb80b60bc16d415cf8ddd4abd72f6fd1ed1aa88cbcfe382b367c0ab";

} // namespace

TEST_CASE("a made profile reads back whole, pinned, with its stock answers and a digest that holds") {
    const std::string text = profile_text(made_profile(ablation(), stock_table(), kDigest, "2026-12-01"));
    const auto read = parse_profile(text, "profile");
    REQUIRE(read.has_value());
    CHECK(digest_holds(text, *read));
    CHECK(read->state == ProfileState::simulated);
    CHECK(read->pins.os_build == "25F84");
    CHECK(read->overrides.size() == 2);
    CHECK(read->stock.size() == 2);
    CHECK(read->evidence->inputs == 120); // what failed is no evidence
    CHECK(read->evidence->kernels == std::vector<std::string>{"matmul/naive", "matmul/tiled"});
    CHECK(read->evidence->repeats == 5);
    CHECK(read->evidence->miss_rate == "46 % at 95 % confidence");
}

TEST_CASE("on real Metal it is validated") {
    Table table = stock_table();
    table.backend = "metal";
    CHECK(made_profile(ablation(), table, kDigest, "2026-12-01").state == ProfileState::validated);
}

TEST_CASE("a system that does not state its build gets a draft") {
    Table table = stock_table();
    table.identity.os_build.clear();
    CHECK(unpinned(table) == std::vector<std::string>{"os_build"});
    const auto profile = made_profile(ablation(), table, kDigest, "2026-12-01");
    CHECK(profile.state == ProfileState::draft);
    CHECK(parse_profile(profile_text(profile), "profile").has_value());
}
