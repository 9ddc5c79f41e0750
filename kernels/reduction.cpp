// Sums of rows: a tree in threadgroup memory, or simd_sum.
#include "embedded/kernels.h"
#include "kernels/catalogue.h"
#include "kernels/random.h"

#include <cmath>
#include <fmt/format.h>

namespace assay {

namespace {

constexpr std::uint32_t kThreads = 256;

struct Shape {
    std::uint32_t rows;
    std::uint32_t columns;
};
// Columns cross 64, 512, 1024 and 2048, where clients change kernels, and the 32 and 256 of this one.
constexpr Shape kQuick[] = {{1, 1}, {3, 31}, {5, 65}, {33, 1025}, {64, 4096}};
constexpr Shape kFull[] = {{1, 1},    {3, 31},    {2, 32},    {7, 33},    {5, 63},   {5, 64},
                           {5, 65},   {9, 511},   {4, 512},   {6, 1023},  {2, 1024}, {33, 1025},
                           {3, 2047}, {17, 2048}, {11, 2049}, {3, 10007}, {64, 4096}};

Case sums_of_rows(const std::string& function, Shape shape, Random& random) {
    std::vector<float> x(std::size_t{shape.rows} * shape.columns);
    auto expected = Expectation::approximate_floats(1);
    // A thread adds ceil(columns / 256) numbers one by one. What remains is 256 partial sums: eight
    // SIMD-groups of 32, then 8; in whatever order, no path through them is longer than 31 + 31 additions.
    const double longest_path = (shape.columns + kThreads - 1) / kThreads + 62;
    for (std::uint32_t row = 0; row < shape.rows; ++row) {
        double sum = 0;
        double magnitude = 0;
        for (std::uint32_t column = 0; column < shape.columns; ++column) {
            const float value = x[std::size_t{row} * shape.columns + column] = random.uniform();
            sum += value;
            magnitude += std::abs(value);
        }
        expected.values.push_back(sum);
        expected.bounds.push_back(gamma(longest_path) * magnitude);
    }
    Case result;
    result.label = fmt::format("rows={} columns={}", shape.rows, shape.columns);
    result.function = function;
    result.arguments = {Argument::input(x), Argument::output(shape.rows, Element::f32),
                        Argument::inlined(std::vector{shape.columns})};
    result.grid = Grid::groups({shape.rows, 1, 1}, {kThreads, 1, 1});
    result.expectations = {std::move(expected)};
    return result;
}

Result<Plan> plan(const Variant& variant, const PlanRequest& request) {
    Random random(request.seed);
    Plan result;
    result.source = embedded::kernels::reduction_metal;
    const auto function = "reduction_" + std::string(variant.name);
    if (variant.name == "simd")
        result.simd_width = 32;
    const auto shapes = request.quick ? std::span<const Shape>(kQuick) : std::span<const Shape>(kFull);
    for (const auto shape : shapes)
        result.cases.push_back(sums_of_rows(function, shape, random));
    result.cases.back().timed = true;
    return result;
}

} // namespace

const Kernel reduction_kernel{"reduction",
                              "sums of rows, as in softmax and normalisation",
                              "the longest path of additions has ceil(columns / 256) + 62 of them: "
                              "gamma(that) times the sum of magnitudes",
                              {{"tree", {}, "", {}}, {"simd", {"simd_reduction"}, "tree", {}}},
                              plan};

} // namespace assay
