// The catalogue of micro-kernels: a row each.
#include "kernels/catalogue.h"
#include "base/text.h"

#include <algorithm>

namespace assay {

std::span<const Kernel* const> kernels() {
    static constexpr const Kernel* kKernels[] = {
        &canary_kernel,        &reduction_kernel,          &matmul_f32_kernel,
        &matmul_bf16_kernel,   &bfloat_conversion_kernel,  &shift_and_fill_kernel,
        &atomic_max_64_kernel, &threadgroup_memory_kernel, &residency_set_kernel,
    };
    return kKernels;
}

const Variant* Kernel::find_variant(std::string_view variant_name) const {
    for (const auto& variant : variants)
        if (variant.name == variant_name)
            return &variant;
    return nullptr;
}

const Kernel* find_kernel(std::string_view name) {
    for (const auto* kernel : kernels())
        if (kernel->name == name)
            return kernel;
    return nullptr;
}

std::string KernelVariant::id() const { return std::string(kernel->name) + '/' + std::string(variant->name); }

static std::vector<KernelVariant> all_variants() {
    std::vector<KernelVariant> all;
    for (const auto* kernel : kernels())
        for (const auto& variant : kernel->variants)
            all.push_back({kernel, &variant});
    return all;
}

Result<std::vector<KernelVariant>> select_kernels(const std::vector<std::string>& names) {
    const auto all = all_variants();
    if (names.empty())
        return all;
    std::vector<std::string> ids;
    for (const auto* kernel : kernels())
        ids.emplace_back(kernel->name);
    for (const auto& one : all)
        ids.push_back(one.id());
    for (const auto& name : names)
        if (std::find(ids.begin(), ids.end(), name) == ids.end())
            return bad_input(
                name, "there is no such kernel or variant" + did_you_mean(name, {ids.begin(), ids.end()}),
                "assay kernels list shows them");
    std::vector<KernelVariant> selected;
    for (const auto& one : all)
        if (std::find(names.begin(), names.end(), one.kernel->name) != names.end() ||
            std::find(names.begin(), names.end(), one.id()) != names.end())
            selected.push_back(one);
    return selected;
}

std::vector<KernelVariant> variants_exercising(std::string_view feature) {
    std::vector<KernelVariant> found;
    for (const auto& one : all_variants()) {
        const auto& features = one.variant->features;
        if (std::find(features.begin(), features.end(), feature) != features.end())
            found.push_back(one);
    }
    return found;
}

} // namespace assay
