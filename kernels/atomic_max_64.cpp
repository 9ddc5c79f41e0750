// The largest of many 64-bit numbers, by atomics.
#include "embedded/kernels.h"
#include "kernels/catalogue.h"
#include "kernels/random.h"

#include <algorithm>
#include <fmt/format.h>

namespace assay {

namespace {

Case largest_per_slot(std::uint32_t count, std::uint32_t slots, Random& random) {
    std::vector<std::uint64_t> values(count);
    auto expected = Expectation::exact(1, Element::u64);
    expected.bits.assign(slots, 0);
    for (std::uint32_t i = 0; i < count; ++i) {
        // Few different upper halves: a device that compares halves one after the other, or the lower one
        // alone, or signed numbers, comes to another maximum.
        values[i] = (random.next() % 3) << 62 | (random.next() & 0xFFFFFFFFu);
        expected.bits[i % slots] = std::max(expected.bits[i % slots], values[i]);
    }
    Case result;
    result.label = fmt::format("{} numbers into {}", count, slots);
    result.function = "atomic_max_64";
    result.arguments = {Argument::input(values), Argument::in_out(std::vector<std::uint64_t>(slots, 0)),
                        Argument::inlined(std::vector{count, slots})};
    result.grid = Grid::threads({count, 1, 1}, {256, 1, 1});
    result.expectations = {std::move(expected)};
    return result;
}

Result<Plan> plan(const Variant&, const PlanRequest& request) {
    Random random(request.seed);
    Plan result;
    result.source = embedded::kernels::atomic_max_64_metal;
    result.cases.push_back(largest_per_slot(1, 1, random));
    result.cases.push_back(largest_per_slot(1000, 1, random));
    result.cases.push_back(largest_per_slot(4099, 65, random));
    if (!request.quick)
        result.cases.push_back(largest_per_slot(100003, 7, random));
    return result;
}

} // namespace

const Kernel atomic_max_64_kernel{"atomic_max_64",
                                  "atomic_max_explicit on device atomic_ulong, contended",
                                  "exact",
                                  {{"atomic", {"atomics_64bit"}, "", {}}},
                                  plan};

} // namespace assay
