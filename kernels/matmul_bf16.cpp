// Product of bfloat matrices, summed in float: widened with integer operations, or bfloat SIMD-group
// matrices.
#include "embedded/kernels.h"
#include "kernels/bfloat.h"
#include "kernels/catalogue.h"
#include "kernels/matmul.h"

namespace assay {

namespace {

std::vector<std::uint16_t> rounded(std::vector<float>& values) {
    std::vector<std::uint16_t> bits;
    bits.reserve(values.size());
    for (auto& value : values) {
        bits.push_back(bfloat_from_float(value));
        value = float_from_bfloat(bits.back());
    }
    return bits;
}

Result<Plan> plan(const Variant& variant, const PlanRequest& request) {
    Random random(request.seed);
    Plan result;
    const bool simdgroup = variant.name == "simdgroup_matrix";
    if (simdgroup) {
        result.source = embedded::kernels::simdgroup_product_metal;
        result.simd_width = 32;
    }
    result.source += embedded::kernels::matmul_bf16_metal;
    for (const auto& shape : product_shapes(request.quick)) {
        auto a = uniform_values(std::size_t{shape.m} * shape.k, random);
        auto b = uniform_values(std::size_t{shape.k} * shape.n, random);
        const auto a_bits = rounded(a);
        const auto b_bits = rounded(b);
        auto product = product_case(shape, Argument::input(a_bits), Argument::input(b_bits),
                                    expected_product(shape, a, b));
        product.function = "matmul_bf16_" + std::string(variant.name);
        if (simdgroup)
            use_simdgroup_product(product, shape);
        else
            product.grid = product_grid_of_elements(shape);
        result.cases.push_back(std::move(product));
    }
    result.cases.back().timed = true;
    return result;
}

} // namespace

const Kernel matmul_bf16_kernel{
    "matmul_bf16",
    "matrix product of bfloat inputs, summed in float",
    "products of bfloats are exact in float; k of them summed in any order: gamma(k + 1) times the sum of |a "
    "b|",
    {{"float", {}, "", {}}, {"simdgroup_matrix", {"bfloat16", "simdgroup_matrix"}, "float", {}}},
    plan};

} // namespace assay
