// The ladder on the software device, with kernels made to fall off each rung.
#include "kernels/execute.h"

#include <doctest/doctest.h>

using namespace assay;

namespace {

const std::string kHead = "#include <metal_stdlib>\nusing namespace metal;\n";

std::string g_source;     // plans are plain functions: what they return is set here
std::size_t g_width = 0;  // Plan::simd_width
std::size_t g_group = 32; // threads per threadgroup

/// Writes 1 to each of 64 elements, if the source does.
Result<Plan> plan(const Variant&, const PlanRequest&) {
    auto expected = Expectation::exact(0, Element::u32);
    expected.bits.assign(64, 1);
    Case one;
    one.label = "n=64";
    one.function = "fill";
    one.arguments = {Argument::output(64, Element::u32)};
    one.grid = Grid::threads({64, 1, 1}, {g_group, 1, 1});
    one.expectations = {expected};
    Plan result;
    result.source = kHead + g_source;
    result.cases = {one};
    result.simd_width = g_width;
    return result;
}

const Kernel kFill{"fill", "", "", {{"only", {}, "", {}}, {"future", {"atomics_64bit"}, "", {}}}, plan};

KernelResult run(const std::string& body, const char* variant = "only") {
    static const auto gpu = Gpu::open();
    REQUIRE_MESSAGE(gpu.has_value(), gpu.error().text());
    g_source = "kernel void fill(device uint* out [[buffer(0)]], uint at [[thread_position_in_grid]]) {" +
               body + "}";
    return execute(*gpu, {&kFill, kFill.find_variant(variant)}, {});
}

} // namespace

TEST_CASE("a kernel that writes what it must passes") {
    const auto result = run("out[at] = 1;");
    CHECK_MESSAGE(result.status == KernelStatus::passed, result.detail);
    CHECK(result.inputs == 64);
    CHECK(!result.worst);
}

TEST_CASE("a kernel that writes beyond its output is not correct") {
    const auto result = run("out[at] = 1; out[64] = 1;");
    CHECK(result.rung == Rung::correct);
    CHECK(result.detail == "n=64: wrote beyond the end of a buffer");
}

TEST_CASE("a kernel that leaves an element out is not correct") {
    const auto result = run("if (at != 63) out[at] = 1;");
    CHECK(result.rung == Rung::correct);
    CHECK(result.detail == "n=64: 1 of 64 elements wrong; element 63: got 0xffffffff, expected 0x00000001");
}

TEST_CASE("an element that happens to hold one poison is found out by the other") {
    // What is not written reads as the poison, here all ones.
    const auto result = run("out[at] = at == 5 && out[at] != 0xFFFFFFFFu ? out[at] : 1;");
    CHECK(result.rung == Rung::correct);
    CHECK(result.detail == "n=64: 1 of 64 elements wrong; element 5: got 0xa5a5a5a5, expected 0x00000001");
}

TEST_CASE("source that does not compile fails at compiles, in the compiler's words") {
    const auto result = run("out[at] = nonsense;");
    CHECK(result.status == KernelStatus::failed);
    CHECK(result.rung == Rung::compiles);
    CHECK_MESSAGE(result.detail.find("program_source:3:") != std::string::npos, result.detail);
    CHECK(result.detail.find("nonsense") != std::string::npos);
}

TEST_CASE("a threadgroup larger than the pipeline allows fails at compiles, before anything is dispatched") {
    g_group = 2048;
    const auto result = run("out[at] = 1;");
    g_group = 32;
    CHECK(result.rung == Rung::compiles);
    CHECK(result.detail == "pipeline fill allows 1024 threads per threadgroup, it needs 2048");
}

TEST_CASE("another SIMD width than the reference assumes says nothing about the device") {
    g_width = 64;
    const auto result = run("out[at] = 1;");
    g_width = 0;
    CHECK(result.verdict() == Verdict::inconclusive);
    CHECK(result.detail == "SIMD-groups are 32 wide, the reference assumes 64");
}

TEST_CASE("what is not reported is not run unless it is forced") {
    const auto result = run("out[at] = 1;", "future");
    CHECK(result.status == KernelStatus::skipped);
    CHECK(result.reported == Truth::no);
}
