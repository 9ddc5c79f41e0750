// Float matrix product: one thread per element, tiles in threadgroup memory, or SIMD-group matrices.
#include "embedded/kernels.h"
#include "kernels/catalogue.h"
#include "kernels/matmul.h"

namespace assay {

namespace {

Result<Plan> plan(const Variant& variant, const PlanRequest& request) {
    Random random(request.seed);
    Plan result;
    const bool simdgroup = variant.name == "simdgroup_matrix";
    if (simdgroup) {
        result.source = embedded::kernels::simdgroup_product_metal;
        result.simd_width = 32;
    }
    result.source += embedded::kernels::matmul_f32_metal;
    for (const auto& shape : product_shapes(request.quick)) {
        const auto a = uniform_values(std::size_t{shape.m} * shape.k, random);
        const auto b = uniform_values(std::size_t{shape.k} * shape.n, random);
        auto product =
            product_case(shape, Argument::input(a), Argument::input(b), expected_product(shape, a, b));
        product.function = "matmul_f32_" + std::string(variant.name);
        if (simdgroup)
            use_simdgroup_product(product, shape);
        else if (variant.name == "tiled")
            product.grid = Grid::groups({(shape.n + 15) / 16, (shape.m + 15) / 16, 1}, {16, 16, 1});
        else
            product.grid = product_grid_of_elements(shape);
        result.cases.push_back(std::move(product));
    }
    result.cases.back().timed = true;
    return result;
}

} // namespace

const Kernel matmul_f32_kernel{"matmul_f32",
                               "float matrix product",
                               "k products summed in any order: gamma(k + 1) times the sum of |a b|",
                               {{"naive", {}, "", {}},
                                {"tiled", {}, "naive", {}},
                                {"simdgroup_matrix", {"simdgroup_matrix"}, "tiled", {}}},
                               plan};

} // namespace assay
