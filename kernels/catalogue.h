// The catalogue of micro-kernels: a row each.
#pragma once
#include "kernels/kernel.h"
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

extern const Kernel canary_kernel;
extern const Kernel reduction_kernel;
extern const Kernel matmul_f32_kernel;
extern const Kernel matmul_bf16_kernel;
extern const Kernel bfloat_conversion_kernel;
extern const Kernel shift_and_fill_kernel;
extern const Kernel atomic_max_64_kernel;
extern const Kernel threadgroup_memory_kernel;
extern const Kernel residency_set_kernel;

/// Every kernel, the canary first.
std::span<const Kernel* const> kernels();

/// The kernel, or null.
const Kernel* find_kernel(std::string_view name);

/// One variant of one kernel; its id is "kernel/variant".
struct KernelVariant {
    const Kernel* kernel = nullptr;
    const Variant* variant = nullptr;
    std::string id() const;
};

/// The variants that the names stand for, in catalogue order: "reduction" is all of its variants,
/// "reduction/simd" is one, no names are everything. An unknown name is an error with a suggestion.
Result<std::vector<KernelVariant>> select_kernels(const std::vector<std::string>& names);

/// Every variant that exercises a feature.
std::vector<KernelVariant> variants_exercising(std::string_view feature);

} // namespace assay
