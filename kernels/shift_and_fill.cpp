// Lanes shifted by every distance and filled from a second value.
#include "embedded/kernels.h"
#include "kernels/catalogue.h"
#include "kernels/random.h"

#include <fmt/format.h>

namespace assay {

namespace {

constexpr std::uint32_t kLanes = 32;

/// Metal Shading Language Specification, "SIMD-group functions": shifted up, the upper lanes of `filling`
/// move into the lower lanes; shifted down, its lower lanes move into the upper ones.
Case shifts(const std::string& function, std::uint32_t simdgroups, Random& random) {
    std::vector<std::uint32_t> data(simdgroups * kLanes);
    std::vector<std::uint32_t> filling(data.size());
    for (std::size_t i = 0; i < data.size(); ++i) {
        data[i] = static_cast<std::uint32_t>(random.next());
        filling[i] = static_cast<std::uint32_t>(random.next());
    }
    auto expected = Expectation::exact(2, Element::u32);
    for (std::uint32_t group = 0; group < simdgroups; ++group) {
        const auto* value = &data[group * kLanes];
        const auto* fill = &filling[group * kLanes];
        for (std::uint32_t distance = 0; distance < kLanes; ++distance) {
            for (std::uint32_t lane = 0; lane < kLanes; ++lane)
                expected.bits.push_back(lane >= distance ? value[lane - distance]
                                                         : fill[kLanes + lane - distance]);
            for (std::uint32_t lane = 0; lane < kLanes; ++lane)
                expected.bits.push_back(lane + distance < kLanes ? value[lane + distance]
                                                                 : fill[lane + distance - kLanes]);
        }
    }
    Case result;
    result.label = fmt::format("{} SIMD-groups", simdgroups);
    result.function = function;
    result.arguments = {Argument::input(data), Argument::input(filling),
                        Argument::output(expected.size(), Element::u32)};
    result.grid = Grid::groups({simdgroups / 2, 1, 1}, {2 * kLanes, 1, 1});
    result.expectations = {std::move(expected)};
    return result;
}

Result<Plan> plan(const Variant& variant, const PlanRequest& request) {
    Random random(request.seed);
    Plan result;
    result.source = embedded::kernels::shift_and_fill_metal;
    result.simd_width = variant.name == "simd" ? kLanes : 0;
    const auto function = "shift_and_fill_" + std::string(variant.name);
    for (const std::uint32_t simdgroups : {2u, request.quick ? 16u : 130u})
        result.cases.push_back(shifts(function, simdgroups, random));
    result.cases.back().timed = true;
    return result;
}

} // namespace

const Kernel shift_and_fill_kernel{
    "shift_and_fill",
    "simd_shuffle_and_fill_up and _down by every distance",
    "exact",
    {{"threadgroup", {}, "", {}}, {"simd", {"simd_shift_and_fill"}, "threadgroup", {}}},
    plan};

} // namespace assay
