// The values of MTLGPUFamily by name.
#pragma once
#include "metal/runtime.h"
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace assay::metal {

/// One named value of MTLGPUFamily.
struct GpuFamily {
    std::string_view name; ///< as in "MTLGPUFamily" + name
    Integer value;
};

/// Every named value, in ascending order. Source: MTLDevice.h of the macOS 27 SDK and Apple's documentation;
/// the number of Apple11 follows from the sequence and has not been observed.
std::span<const GpuFamily> gpu_families();

/// "Apple7" for 1007; the number as text for a value without a name.
std::string gpu_family_name(Integer value);

/// 1007 for "Apple7"; a number in decimal digits stands for itself.
std::optional<Integer> gpu_family_value(std::string_view name);

} // namespace assay::metal
