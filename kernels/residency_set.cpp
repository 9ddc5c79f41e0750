// A residency set: made, filled, committed, and used by a dispatch.
//
// A set that cannot be made counts as failed at `runs`: the selector answers (a missing one fails at
// `answers`), and the program that relies on it gets nothing to run with.
#include "embedded/kernels.h"
#include "kernels/catalogue.h"
#include "kernels/random.h"

#include <fmt/format.h>

namespace assay {

namespace {

Case resident_work(std::uint32_t count, Random& random) {
    std::vector<std::uint32_t> values(count);
    auto expected = Expectation::exact(1, Element::u32);
    for (auto& value : values) {
        value = static_cast<std::uint32_t>(random.next());
        expected.bits.push_back(value * 2 + 1);
    }
    Case result;
    result.label = fmt::format("n={}", count);
    result.function = "residency_set";
    result.arguments = {Argument::input(values), Argument::output(count, Element::u32),
                        Argument::inlined(std::vector{count})};
    result.grid = Grid::threads({count, 1, 1}, {256, 1, 1});
    result.expectations = {std::move(expected)};
    result.residency_set = true;
    return result;
}

Result<Plan> plan(const Variant&, const PlanRequest& request) {
    Random random(request.seed);
    Plan result;
    result.source = embedded::kernels::residency_set_metal;
    for (const std::uint32_t count : {1u, 4099u})
        result.cases.push_back(resident_work(count, random));
    return result;
}

} // namespace

const Kernel residency_set_kernel{"residency_set",
                                  "newResidencySetWithDescriptor:error:, and a dispatch on what is resident",
                                  "exact",
                                  {{"set", {"residency_sets"}, "", {}}},
                                  plan};

} // namespace assay
