// The canary: saxpy from a source that no cache has seen.
#include "embedded/kernels.h"
#include "kernels/catalogue.h"
#include "kernels/random.h"

#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <unistd.h>

namespace assay {

namespace {

constexpr std::size_t kGroup = 256;

/// Differs between any two calls on one machine, whatever the seed.
std::uint32_t fresh_salt() {
    static std::uint64_t calls = 0;
    const auto now = std::chrono::system_clock::now().time_since_epoch().count();
    return static_cast<std::uint32_t>(
        Random(static_cast<std::uint64_t>(now) ^ (static_cast<std::uint64_t>(::getpid()) << 40) ^ ++calls)
            .next());
}

Case saxpy(std::uint32_t count, std::uint32_t salt, Random& random) {
    std::vector<float> x(count);
    std::vector<float> y(count);
    const float a = random.uniform() * 3;
    auto sums = Expectation::approximate_floats(1);
    auto salts = Expectation::exact(2, Element::u32);
    for (std::uint32_t i = 0; i < count; ++i) {
        x[i] = random.uniform();
        y[i] = random.uniform();
        const double product = static_cast<double>(a) * x[i];
        sums.values.push_back(product + y[i]);
        sums.bounds.push_back(gamma(2) * (std::abs(product) + std::abs(y[i])));
        salts.bits.push_back(salt ^ i);
    }
    Case result;
    result.label = fmt::format("n={}", count);
    result.function = "canary_saxpy";
    result.arguments = {Argument::input(x), Argument::in_out(y), Argument::output(count, Element::u32),
                        Argument::inlined(std::vector{a}), Argument::inlined(std::vector{count})};
    result.grid = Grid::threads({count, 1, 1}, {kGroup, 1, 1});
    result.expectations = {std::move(sums), std::move(salts)};
    return result;
}

Result<Plan> plan(const Variant&, const PlanRequest& request) {
    const auto salt = fresh_salt();
    Random random(request.seed);
    Plan result;
    result.source =
        fmt::format("#define ASSAY_SALT {}u\n", salt) + std::string(embedded::kernels::canary_metal);
    for (const std::uint32_t count : {1u, 255u, 4099u})
        result.cases.push_back(saxpy(count, salt, random));
    return result;
}

} // namespace

const Kernel canary_kernel{
    "canary",
    "saxpy from a freshly salted source: compiling and running anything at all",
    "a product and a sum, fused or not: at most gamma(2) (|a x| + |y|); the salt exactly",
    {{"saxpy", {}, "", {}}},
    plan};

} // namespace assay
