#include "kernels/check.h"

#include <cmath>
#include <doctest/doctest.h>
#include <limits>

using namespace assay;

static Expectation floats(std::vector<double> values, std::vector<double> bounds) {
    auto expected = Expectation::approximate_floats(0);
    expected.values = std::move(values);
    expected.bounds = std::move(bounds);
    return expected;
}

static Comparison compare_floats(const Expectation& expected, const std::vector<float>& got) {
    return compare(expected, bytes_of<float>(got));
}

TEST_CASE("an error within its bound passes, and the worst share of a bound is kept") {
    const auto result = compare_floats(floats({1, 2}, {0.5, 0.25}), {1.25f, 2.125f});
    CHECK(result.wrong == 0);
    CHECK(result.elements == 2);
    CHECK(result.worst == 0.5);
}

TEST_CASE("an error beyond its bound is wrong, and the first wrong element is named") {
    const auto result = compare_floats(floats({1, 2, 3}, {0.5, 0.25, 0.25}), {1, 2.5f, 4});
    CHECK(result.wrong == 2);
    CHECK(result.worst == 4);
    CHECK(result.first == "element 1: got 2.5, expected 2 within 0.25");
}

TEST_CASE("NaN and infinity never pass, whatever the bound") {
    const double infinite = std::numeric_limits<double>::infinity();
    CHECK(compare_floats(floats({1}, {1e30}), {std::nanf("")}).wrong == 1);
    CHECK(compare_floats(floats({1}, {infinite}), {std::nanf("")}).wrong == 1);
    CHECK(compare_floats(floats({1}, {1e30}), {std::numeric_limits<float>::infinity()}).wrong == 1);
}

TEST_CASE("elements that were not written are wrong") {
    CHECK(compare_floats(floats({1, 1, 1}, {1, 1, 1}), {1}).wrong == 2);
}

TEST_CASE("exact elements must equal, save where zero or any NaN is as correct") {
    auto expected = Expectation::exact(0, Element::bf16);
    expected.bits = {0x3F80, 0x0001, 0x7FC0};
    expected.rules = {Rule::exact, Rule::or_zero, Rule::any_nan};
    const auto wrong = [&](std::vector<std::uint16_t> got) {
        return compare(expected, bytes_of<std::uint16_t>(got)).wrong;
    };
    CHECK(wrong({0x3F80, 0x0001, 0x7FC0}) == 0);
    CHECK(wrong({0x3F80, 0x8000, 0xFFFF}) == 0);
    CHECK(wrong({0x3F81, 0x0001, 0x7FC0}) == 1);
    CHECK(wrong({0x0000, 0x0002, 0x7F80}) == 3);
}

TEST_CASE("comparisons add up") {
    auto all = compare_floats(floats({1}, {0.5}), {1.25f});
    all.add(compare_floats(floats({1, 1}, {1, 1}), {1, 3}));
    CHECK(all.elements == 3);
    CHECK(all.wrong == 1);
    CHECK(all.worst == 2);
    CHECK(all.first == "element 1: got 3, expected 1 within 1");
}
