#include "kernels/catalogue.h"
#include "kernels/execute.h"
#include "kernels/feature.h"

#include <algorithm>
#include <cstring>
#include <doctest/doctest.h>
#include <set>

using namespace assay;

static Answers reporting(double threadgroup_memory) {
    Answers answers;
    answers.os = {"macOS", "26.5"};
    answers.lookup = [threadgroup_memory](std::string_view key) -> std::optional<json::value> {
        if (key == "maxThreadgroupMemoryLength")
            return json::value(threadgroup_memory);
        return json::value(key == "supportsFamily(Apple7)");
    };
    return answers;
}

static Plan plan_of(const KernelVariant& what, bool quick, std::uint64_t seed = 1) {
    const auto answers = reporting(32768);
    auto plan = what.kernel->plan(*what.variant, {seed, quick, answers});
    REQUIRE_MESSAGE(plan.has_value(), what.id());
    return std::move(*plan);
}

static std::vector<KernelVariant> every_variant() { return select_kernels({}).value(); }

/// Writes one element that is off by twice its bound, or, where the element is exact, by its lowest bits.
static void plant_error(Bytes& bytes, const Expectation& expected, std::size_t i) {
    if (expected.approximate()) {
        const auto value = static_cast<float>(expected.values[i] + 2 * expected.bounds[i]);
        std::memcpy(bytes.data() + i * 4, &value, sizeof value);
        return;
    }
    const auto size = element_size(expected.element);
    std::uint64_t bits = expected.bits[i] ^ 1;
    if (expected.rule(i) == Rule::or_zero)
        bits = expected.bits[i] ^ 3; // one bit away might be zero, which is as correct
    if (expected.rule(i) == Rule::any_nan)
        bits = expected.element == Element::bf16 ? 0x7F80 : 0x7F800000; // an infinity
    std::memcpy(bytes.data() + i * size, &bits, size);
}

TEST_CASE("a planted error of twice its bound is flagged in every kernel, wherever it is") {
    for (const auto& what : every_variant())
        for (const auto& one : plan_of(what, true).cases)
            for (const auto& expected : one.expectations) {
                const auto perfect = perfect_output(expected);
                CHECK_MESSAGE(compare(expected, perfect).wrong == 0, what.id(), " ", one.label);
                for (const std::size_t i : {std::size_t{0}, expected.size() / 2, expected.size() - 1}) {
                    auto bytes = perfect;
                    plant_error(bytes, expected, i);
                    CHECK_MESSAGE(compare(expected, bytes).wrong == 1, what.id(), " ", one.label, " at ", i);
                }
            }
}

TEST_CASE("an output that still holds its poison is flagged in every kernel") {
    for (const auto& what : every_variant())
        for (const auto& one : plan_of(what, true).cases)
            for (const auto& expected : one.expectations) {
                const auto size = element_size(expected.element) * expected.size();
                const auto a = compare(expected, Bytes(size, std::byte{0xFF}));
                const auto b = compare(expected, Bytes(size, std::byte{0xA5}));
                // An element can equal one of the two poisons, but not both.
                CHECK_MESSAGE(a.wrong + b.wrong >= expected.size(), what.id(), " ", one.label);
            }
}

TEST_CASE("plans are consistent: outputs are as large as their references, and groups fit every device") {
    for (const bool quick : {true, false})
        for (const auto& what : every_variant()) {
            const auto plan = plan_of(what, quick);
            CHECK(!plan.cases.empty());
            CHECK(std::count_if(plan.cases.begin(), plan.cases.end(),
                                [](const Case& c) { return c.timed; }) <= 1);
            for (const auto& one : plan.cases) {
                CHECK(plan.source.find(one.function.substr(0, one.function.find('_'))) != std::string::npos);
                CHECK(one.grid.group_threads() <= 256);
                for (const auto& expected : one.expectations) {
                    const auto& output = one.arguments.at(expected.argument);
                    CHECK(output.kind != Argument::Kind::input);
                    CHECK(output.bytes.size() == expected.size() * element_size(expected.element));
                    if (expected.approximate())
                        CHECK(expected.bounds.size() == expected.values.size());
                    CHECK((expected.rules.empty() || expected.rules.size() == expected.bits.size()));
                }
            }
        }
}

TEST_CASE("the same seed gives the same inputs, another seed others") {
    const auto what = select_kernels({"reduction/tree"}).value().front();
    const auto first = plan_of(what, true, 1).cases.back().arguments[0].bytes;
    CHECK(first == plan_of(what, true, 1).cases.back().arguments[0].bytes);
    CHECK(first != plan_of(what, true, 2).cases.back().arguments[0].bytes);
}

TEST_CASE("the canary's source is a new one every time") {
    const auto canary = select_kernels({"canary"}).value().front();
    CHECK(plan_of(canary, true).source != plan_of(canary, true).source);
}

TEST_CASE("full sizes cross the sizes at which clients change kernels") {
    const auto labels = [](const char* name) {
        std::string all;
        for (const auto& one : plan_of(select_kernels({name}).value().front(), false).cases)
            all += one.label + "\n";
        return all;
    };
    for (const char* size :
         {"=63", "=64", "=65", "=511", "=512", "=1024", "=1025", "=2047", "=2048", "=2049"})
        CHECK_MESSAGE(labels("reduction/simd").find(size) != std::string::npos, size);
    for (const char* size : {"=63", "=64", "=65", "=511", "=513", "=1025", "=2048", "=2050"})
        CHECK_MESSAGE(labels("matmul_f32/simdgroup_matrix").find(size) != std::string::npos, size);
}

TEST_CASE("every kernel is described, and its features and fallbacks exist") {
    std::set<std::string> ids;
    for (const auto& what : every_variant()) {
        CHECK(ids.insert(what.id()).second);
        CHECK(!what.kernel->summary.empty());
        CHECK(!what.kernel->bound.empty());
        for (const auto feature : what.variant->features)
            CHECK_MESSAGE(find_feature(feature), feature);
        if (!what.variant->fallback.empty())
            CHECK(what.kernel->find_variant(what.variant->fallback));
    }
    CHECK(kernels().front() == &canary_kernel);
}

TEST_CASE("names select kernels and variants, and a wrong name is an error with a suggestion") {
    CHECK(select_kernels({"reduction"}).value().size() == 2);
    CHECK(select_kernels({"matmul_f32/tiled"}).value().front().id() == "matmul_f32/tiled");
    const auto wrong = select_kernels({"reductoin"});
    REQUIRE(!wrong);
    CHECK(wrong.error().text().find("did you mean \"reduction\"?") != std::string::npos);
    CHECK(variants_exercising("bfloat16").size() == 2);
}

TEST_CASE("a figure of threadgroup memory that cannot be tried makes no plan") {
    const auto what = select_kernels({"threadgroup_memory"}).value().front();
    for (const double bytes : {0.0, 8.0, 1e12}) {
        const auto answers = reporting(bytes);
        CHECK(!what.kernel->plan(*what.variant, {1, true, answers}));
    }
    const auto answers = reporting(65536);
    const auto plan = what.kernel->plan(*what.variant, {1, true, answers});
    REQUIRE(plan.has_value());
    CHECK(plan->cases.back().threadgroup_bytes == 65536);
}

TEST_CASE("a variant is reported when all its features are promised") {
    const auto answers = reporting(32768); // Apple7
    const auto is = [&](const char* name) {
        return reported(*select_kernels({name}).value().front().variant, answers);
    };
    CHECK(is("canary/saxpy") == Truth::yes);
    CHECK(is("matmul_bf16/simdgroup_matrix") == Truth::yes);
    CHECK(is("shift_and_fill/simd") == Truth::no);
    CHECK(is("threadgroup_memory/reported") == Truth::yes);
    CHECK(promise_text(*select_kernels({"matmul_bf16/simdgroup_matrix"}).value().front().variant, answers) ==
          "Apple6 or Metal3 on macOS 14 (bfloat16), Apple7 or Metal4 (simdgroup_matrix)");
}
