// What happens around the creation of a device.
#pragma once
#include <objc/runtime.h>

namespace assay::shim {

/// Before the stock creation function runs: hooks initGPUFamilySupport, if it exists. `metal_function` is
/// that function.
void before_creation(const void* metal_function) noexcept;

/// After it returned a device (or nil).
void after_creation(id device, const void* metal_function) noexcept;

/// After it returned an array of devices.
void after_creation_of_all(id devices, const void* metal_function) noexcept;

} // namespace assay::shim
