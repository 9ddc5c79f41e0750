// The kernel of a dispatch on the CPU, without limits and faults.
#pragma once
#include "base/error.h"
#include "metal/software/dispatch.h"
#include "metal/software/msl/runtime.h"
#include <memory>

namespace assay::software {

/// The runtime that compiled kernels of this process run on.
const std::shared_ptr<const msl::Runtime>& kernel_runtime();

/// Runs all threads and waits for them.
Result<void> execute_kernel(const DispatchCommand& command);

} // namespace assay::software
