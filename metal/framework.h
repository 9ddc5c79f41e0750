// The Metal library of this process: Apple's framework or the software device.
#pragma once
#include "metal/runtime.h"
#include <string>
#include <vector>

namespace assay::metal {

enum class Backend { metal, software };
std::string backend_name(Backend backend);

/// The loaded Metal library. Loading it is deferred until a worker needs it, because it brings Foundation
/// along.
class Framework {
  public:
    /// Loads Metal once per process. The library is ASSAY_METAL_LIBRARY if set, else Apple's framework or, on
    /// Linux, libMetal.so in ../lib beside the executable.
    static Result<const Framework*> load();

    Backend backend() const { return software_device_ ? Backend::software : Backend::metal; }
    /// MTLCreateSystemDefaultDevice(); empty when there is no device.
    Object default_device() const;
    /// MTLCopyAllDevices().
    std::vector<Object> all_devices() const;
    /// The device file of the software device as JSON text; empty on Apple's Metal.
    std::string software_device() const;

  private:
    id (*create_default_)() = nullptr;
    id (*copy_all_)() = nullptr;
    const char* (*software_device_)() = nullptr;
};

} // namespace assay::metal
