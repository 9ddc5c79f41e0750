// What the compiler half of this library asks of the half that kernels run on.
#pragma once
#include "metal/software/msl/driver.h"
#include <memory>
#include <string>
#include <vector>

namespace assay::msl {

/// A feature that a compiled kernel uses; the ids are those of the tables of Metal features.
struct FeatureUse {
    std::string id;
    std::string intrinsic =
        {}; ///< the function the hardware's compiler could not lower, e.g. "air.simd_sum.f32"
    bool operator==(const FeatureUse&) const = default;
};

/// The runtime's header (Toolkit::headers) must define what rewritten source and entries are made of:
/// - `device`, `constant`, `threadgroup`, `thread`, and `kernel`: what precedes a kernel's return type,
/// internal
///   linkage and not inlined;
/// - `MSL_THREADGROUP(type, n)`: an lvalue of `type`, the n-th threadgroup variable, shared by the
/// threadgroup;
/// - `MSL_ENTRY_BEGIN`, `MSL_ENTRY_END`: around the call of the kernel, a function of external linkage;
/// - `MSL_BUFFER(n)`: converts to any pointer, the memory bound at buffer index n;
/// - `MSL_BUFFER_REFERENCE(n)`: converts to any reference, the same memory;
/// - `MSL_THREADGROUP_MEMORY(n)`, `MSL_THREADGROUP_MEMORY_REFERENCE(n)`: the same for threadgroup memory;
/// - `MSL_BUILT_IN(name)`: converts to scalars and vectors, e.g. of `thread_position_in_grid`.
class Runtime {
  public:
    explicit Runtime(Toolkit toolkit, std::string cache_folder = Cache::default_folder())
        : toolkit_(std::move(toolkit)), cache_folder_(std::move(cache_folder)) {}
    virtual ~Runtime() = default;
    Runtime(const Runtime&) = delete;
    Runtime& operator=(const Runtime&) = delete;

    /// Connects a kernel just loaded from `handle` (of dlopen) to the running program.
    virtual Result<void> attach(void* handle) const = 0;
    /// The function that MSL_ENTRY_BEGIN defined; null when it is not there.
    virtual void* entry(void* handle) const = 0;
    /// Bytes of threadgroup memory that the kernel's own variables take.
    virtual std::uint32_t static_threadgroup_bytes(void* handle) const = 0;
    /// The features of the kernel, bfloat16 excepted.
    virtual std::vector<FeatureUse> used_features(void* handle) const = 0;

    /// One driver for all libraries of this runtime, made at first use.
    Driver& driver() const;

  private:
    Toolkit toolkit_;
    std::string cache_folder_;
    mutable std::mutex mutex_;
    mutable std::unique_ptr<Driver> driver_;
};

} // namespace assay::msl
