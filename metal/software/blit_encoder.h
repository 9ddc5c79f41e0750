// MTLBlitCommandEncoder: copies and fills.
#pragma once
#include "metal/runtime.h"

namespace assay::software {

void register_blit_encoder_class();

/// An autoreleased encoder of that command buffer.
id make_blit_encoder(id command_buffer);

} // namespace assay::software
