// MTLComputePipelineState.
#pragma once
#include "metal/software/class_builder.h"
#include "metal/software/device.h"
#include "metal/software/msl/library.h"
#include "metal/software/reference.h"
#include <memory>
#include <set>
#include <string>

namespace assay::software {

/// What a pipeline object holds.
struct PipelineBox {
    id device;
    std::shared_ptr<msl::Pipeline> pipeline;
    std::string kernel;             ///< name of the function
    std::set<std::string> features; ///< ids of what it uses
    metal::UInteger max_threads;    ///< per threadgroup
    Reference label = {};
};

void register_pipeline_class();
void add_pipeline_creation(ClassBuilder& builder, const Device& device);

inline PipelineBox& pipeline_of(id pipeline) { return *boxed<PipelineBox>(pipeline); }

} // namespace assay::software
