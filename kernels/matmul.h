// What the matrix products share: shapes, inputs and the double-precision reference.
#pragma once
#include "kernels/plan.h"
#include "kernels/random.h"
#include <cstdint>
#include <span>
#include <vector>

namespace assay {

/// C (m x n) = A (m x k) B (k x n), row-major.
struct ProductShape {
    std::uint32_t m;
    std::uint32_t n;
    std::uint32_t k;
};

/// Shapes below, at and above a tile of 64, with 512, 1024 and 2048 crossed along each dimension in turn;
/// ragged ones among them. The last one is whole tiles, and is the one to time.
std::span<const ProductShape> product_shapes(bool quick);

/// `count` values in [-1, 1).
std::vector<float> uniform_values(std::size_t count, Random& random);

/// The product in double precision, for argument 2, and its bound: a product and its place in a sum of k
/// terms are at most k + 1 roundings (one less when fused), so gamma(k + 1) times the sum of the magnitudes.
Expectation expected_product(const ProductShape& shape, const std::vector<float>& a,
                             const std::vector<float>& b);

/// Label, expectation, output and shape arguments; A, B, function and grid are the caller's.
Case product_case(const ProductShape& shape, Argument a, Argument b, Expectation expected);

/// One thread per element of C.
Grid product_grid_of_elements(const ProductShape& shape);

/// Sets the grid and the constant of a function made with simdgroup_product.metal.
void use_simdgroup_product(Case& product, const ProductShape& shape);

} // namespace assay
