// Conversion between float and bfloat: every bfloat, and floats around every rounding boundary.
#include "embedded/kernels.h"
#include "kernels/bfloat.h"
#include "kernels/catalogue.h"

#include <algorithm>
#include <fmt/format.h>

namespace assay {

namespace {

constexpr std::uint32_t kSignMask = 0x80000000u;
constexpr std::uint32_t kInfinity = 0x7F800000u;
constexpr std::uint32_t kSmallestNormal = 0x00800000u;

Rule rule_for(std::uint32_t float_bits) {
    const auto magnitude = float_bits & ~kSignMask;
    if (magnitude > kInfinity)
        return Rule::any_nan;
    return magnitude < kSmallestNormal ? Rule::or_zero : Rule::exact;
}

Case conversions(const std::string& function, std::uint32_t step) {
    // Below, at and above the tie between two bfloats, and next to the bfloats themselves.
    constexpr std::uint32_t kLowHalves[] = {0x0000, 0x0001, 0x7FFF, 0x8000, 0x8001, 0xFFFF};
    std::vector<std::uint32_t> floats;
    std::vector<std::uint16_t> bfloats;
    auto narrowed = Expectation::exact(1, Element::bf16);
    auto widened = Expectation::exact(3, Element::u32);
    for (std::uint32_t high = 0; high < 0x10000u; high += step) {
        bfloats.push_back(static_cast<std::uint16_t>(high));
        widened.bits.push_back(high << 16);
        widened.rules.push_back(rule_for(high << 16));
        for (const auto low : kLowHalves) {
            const auto bits = high << 16 | low;
            floats.push_back(bits);
            narrowed.bits.push_back(bfloat_from_float_bits(bits));
            narrowed.rules.push_back(rule_for(bits));
        }
    }
    const auto float_count = static_cast<std::uint32_t>(floats.size());
    const auto bfloat_count = static_cast<std::uint32_t>(bfloats.size());
    Case result;
    result.label = fmt::format("{} floats, {} bfloats", float_count, bfloat_count);
    result.function = function;
    result.arguments = {Argument::input(floats), Argument::output(float_count, Element::bf16),
                        Argument::input(bfloats), Argument::output(bfloat_count, Element::u32),
                        Argument::inlined(std::vector{float_count, bfloat_count})};
    result.grid = Grid::threads({float_count, 1, 1}, {256, 1, 1});
    result.expectations = {std::move(narrowed), std::move(widened)};
    return result;
}

Result<Plan> plan(const Variant& variant, const PlanRequest& request) {
    Plan result;
    result.source = embedded::kernels::bfloat_conversion_metal;
    const auto function = "bfloat_conversion_" + std::string(variant.name);
    result.cases.push_back(conversions(function, 251)); // ragged, and coprime to every power of two
    if (!request.quick)
        result.cases.push_back(conversions(function, 1));
    result.cases.back().timed = true;
    return result;
}

} // namespace

const Kernel bfloat_conversion_kernel{
    "bfloat_conversion",
    "float to bfloat with rounding, and bfloat to float",
    "exact: nearest, ties to even; subnormal numbers may be flushed to zero, and any NaN serves for a NaN",
    {{"integer", {}, "", {}}, {"bfloat", {"bfloat16"}, "integer", {}}},
    plan};

} // namespace assay
