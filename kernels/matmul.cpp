// What the matrix products share: shapes, inputs and the double-precision reference.
#include "kernels/matmul.h"

#include <cmath>
#include <fmt/format.h>

namespace assay {

std::span<const ProductShape> product_shapes(bool quick) {
    static constexpr ProductShape kQuick[] = {{1, 1, 1},    {7, 13, 5},    {65, 63, 33},
                                              {64, 64, 64}, {130, 66, 70}, {128, 128, 128}};
    static constexpr ProductShape kFull[] = {
        {1, 1, 1},     {7, 13, 5},     {64, 1, 64},    {1, 65, 511},   {63, 63, 63},   {64, 64, 64},
        {65, 65, 65},  {65, 63, 33},   {128, 64, 72},  {130, 66, 70},  {33, 64, 1025}, {64, 2048, 64},
        {513, 65, 40}, {31, 1027, 31}, {64, 64, 2050}, {192, 320, 96}, {256, 256, 256}};
    return quick ? std::span<const ProductShape>(kQuick) : std::span<const ProductShape>(kFull);
}

std::vector<float> uniform_values(std::size_t count, Random& random) {
    std::vector<float> values(count);
    for (auto& value : values)
        value = random.uniform();
    return values;
}

Expectation expected_product(const ProductShape& shape, const std::vector<float>& a,
                             const std::vector<float>& b) {
    const auto [m, n, k] = shape;
    auto expected = Expectation::approximate_floats(2);
    expected.values.assign(std::size_t{m} * n, 0);
    expected.bounds.assign(std::size_t{m} * n, 0);
    for (std::size_t row = 0; row < m; ++row) {
        double* const values = &expected.values[row * n];
        double* const magnitudes = &expected.bounds[row * n];
        for (std::size_t i = 0; i < k; ++i) {
            const double left = a[row * k + i];
            const float* const right = &b[i * n];
            for (std::size_t column = 0; column < n; ++column) {
                const double term = left * right[column];
                values[column] += term;
                magnitudes[column] += std::abs(term);
            }
        }
    }
    for (auto& bound : expected.bounds)
        bound *= gamma(k + 1.0);
    return expected;
}

Case product_case(const ProductShape& shape, Argument a, Argument b, Expectation expected) {
    Case result;
    result.label = fmt::format("m={} n={} k={}", shape.m, shape.n, shape.k);
    result.arguments = {std::move(a), std::move(b), Argument::output(expected.size(), Element::f32),
                        Argument::inlined(std::vector{shape.m, shape.n, shape.k})};
    result.expectations = {std::move(expected)};
    return result;
}

Grid product_grid_of_elements(const ProductShape& shape) {
    return Grid::threads({shape.n, shape.m, 1}, {16, 16, 1});
}

void use_simdgroup_product(Case& product, const ProductShape& shape) {
    constexpr std::uint32_t kTile = 64;
    constexpr std::size_t kThreads = 128;
    const bool whole = shape.m % kTile == 0 && shape.n % kTile == 0 && shape.k % 8 == 0;
    product.constants = {{0, whole}};
    product.grid =
        Grid::groups({(shape.n + kTile - 1) / kTile, (shape.m + kTile - 1) / kTile, 1}, {kThreads, 1, 1});
}

} // namespace assay
