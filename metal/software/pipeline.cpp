// MTLComputePipelineState: what the device does not execute fails here, as in a driver's compiler.
#include "metal/software/pipeline.h"
#include "metal/foundation.h"
#include "metal/software/creation.h"
#include "metal/software/failure.h"
#include "metal/software/library.h"
#include "metal/software/ns_error.h"

#include <algorithm>

namespace assay::software {

namespace {

using metal::Integer;
using metal::UInteger;

constexpr UInteger kSimdWidth = 32;
/// Codes that drivers give with kDriverErrorDomain.
constexpr Integer kUnloweredCall = 2;
constexpr Integer kInternalError = 3;

id new_pipeline(id self, SEL selector, id function, id* error) {
    Device& device = device_of(self);
    if (!function)
        fail_assertion("-[" + device.file.class_name + " " + sel_getName(selector) + "]",
                       "computeFunction must not be nil.");
    if (creation_refused(self, selector))
        return nullptr;
    const FunctionBox& box = *boxed<FunctionBox>(function);
    const auto made = msl::Pipeline::make(box.library, box.name, box.constants);
    if (!made)
        return fail(error, kLibraryErrorDomain, kLibraryCompileFailure, made.error().message);
    const auto& pipeline = *made;
    std::set<std::string> features;
    for (const auto& use : pipeline->features())
        features.insert(use.id);

    const Occasion occasion{.device = self, .kernel = box.name, .features = &features};
    if (device.faults.strikes(Effect::compiler_dies, occasion))
        return fail(error, kDriverErrorDomain, kUnloweredCall, "XPC_ERROR_CONNECTION_INTERRUPTED");
    if (device.faults.strikes(Effect::nil_without_error, occasion))
        return nullptr;
    if (device.faults.strikes(Effect::pipeline_error, occasion))
        return fail(error, kDriverErrorDomain, kInternalError, "Compiler encountered an internal error");
    for (const auto& use : pipeline->features())
        if (!device.executes(use.id))
            return fail(error, kDriverErrorDomain, kUnloweredCall,
                        "Encountered unlowered function call to " +
                            (use.intrinsic.empty() ? "air." + use.id : use.intrinsic));

    const auto allowed = metal::send<UInteger>(self, "maxThreadgroupMemoryLength");
    if (pipeline->static_threadgroup_bytes() > allowed)
        return fail(error, kDriverErrorDomain, kInternalError,
                    "Threadgroup memory size (" + std::to_string(pipeline->static_threadgroup_bytes()) +
                        ") exceeds the maximum threadgroup memory allowed (" + std::to_string(allowed) + ")");
    const UInteger max_threads = std::min<UInteger>({pipeline->max_total_threads(), device.cached_max_threads,
                                                     device.file.limits.max_threads_per_threadgroup});
    return make<PipelineBox>(self, pipeline, box.name, std::move(features), max_threads);
}

} // namespace

void register_pipeline_class() {
    ClassBuilder("AssayComputePipelineState", reinterpret_cast<Class>(metal::class_named("NSObject")))
        .boxes<PipelineBox>()
        .method(
            "maxTotalThreadsPerThreadgroup",
            +[](id self, SEL) -> UInteger { return pipeline_of(self).max_threads; })
        .method(
            "threadExecutionWidth", +[](id, SEL) -> UInteger { return kSimdWidth; })
        .method(
            "staticThreadgroupMemoryLength",
            +[](id self, SEL) -> UInteger { return pipeline_of(self).pipeline->static_threadgroup_bytes(); })
        .method(
            "device", +[](id self, SEL) -> id { return pipeline_of(self).device; })
        .method(
            "label", +[](id self, SEL) -> id { return pipeline_of(self).label.get(); })
        .finish();
}

void add_pipeline_creation(ClassBuilder& builder, const Device& device) {
    add_creation(builder, device, "newComputePipelineStateWithFunction:error:", new_pipeline);
}

} // namespace assay::software
