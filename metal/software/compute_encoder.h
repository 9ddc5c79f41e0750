// MTLComputeCommandEncoder: bindings, validation and dispatches.
#pragma once
#include "metal/runtime.h"

namespace assay::software {

void register_compute_encoder_class();

/// An autoreleased encoder of that command buffer.
id make_compute_encoder(id command_buffer);

} // namespace assay::software
