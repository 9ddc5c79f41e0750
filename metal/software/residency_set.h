// MTLResidencySet and its descriptor.
#pragma once
#include "metal/software/class_builder.h"
#include "metal/software/device.h"

namespace assay::software {

void register_residency_set_class();
void register_residency_set_descriptor_class();
void add_residency_set_creation(ClassBuilder& builder, const Device& device);

} // namespace assay::software
