// The runtime that the compiler half compiles for and loads kernels into.
#pragma once
#include "metal/software/msl/runtime.h"

namespace assay::msl {

/// Headers, flags and version of this runtime.
Toolkit software_toolkit();

/// Kernels that run on the executor (executor.h).
class SoftwareRuntime final : public Runtime {
  public:
    explicit SoftwareRuntime(std::string cache_folder = Cache::default_folder())
        : Runtime(software_toolkit(), std::move(cache_folder)) {}

    Result<void> attach(void* handle) const override;
    void* entry(void* handle) const override;
    std::uint32_t static_threadgroup_bytes(void* handle) const override;
    std::vector<FeatureUse> used_features(void* handle) const override;
};

} // namespace assay::msl
