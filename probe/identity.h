// The identity of the system that is being probed.
#pragma once
#include "metal/framework.h"
#include "probe/table.h"
#include <string>
#include <vector>

namespace assay {

/// Reads the identity of this process and system. On the software backend operating system, model, chip,
/// memory and virtual machine are those that the device file states. Call it in a worker; `device` may be
/// nil.
Identity read_identity(const metal::Framework& framework, id device);

/// Which library changes Metal's answers in a process with this environment ("NAME=value" strings): ours
/// (ASSAY_PROFILE and our library inserted), a known one by its variables (LUME_METAL_*, TART_METAL_*,
/// VEERTU_ANKA_GPU_*), or any other inserted library by its file name.
ActiveShim shim_in(const std::vector<std::string>& environment);

/// What identity_linux.cpp and identity_macos.cpp read from the system itself.
Identity system_identity(id device);

} // namespace assay
