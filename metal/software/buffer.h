// MTLBuffer: memory that kernels and the program share.
#pragma once
#include "metal/software/block.h"
#include "metal/software/class_builder.h"
#include "metal/software/device.h"
#include "metal/software/reference.h"
#include <cstddef>
#include <memory>

namespace assay::software {

/// What a buffer object holds. Its memory never moves.
struct Buffer {
    id device;
    metal::UInteger length;
    metal::UInteger options;           ///< MTLResourceOptions
    std::shared_ptr<std::byte> memory; ///< what kernels see
    Reference label = {};

    ~Buffer() { device_of(device).allocated -= length; }
    /// MTLStorageModePrivate: the program cannot look inside.
    bool is_private() const { return ((options >> 4) & 0xf) == 2; }
};

void register_buffer_class();
void add_buffer_creation(ClassBuilder& builder, const Device& device);

/// The state behind a buffer object.
inline Buffer& buffer_of(id buffer) { return *boxed<Buffer>(buffer); }

} // namespace assay::software
