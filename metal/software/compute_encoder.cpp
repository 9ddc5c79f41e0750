// MTLComputeCommandEncoder: what Metal asserts about encoders, it asserts here too.
#include "metal/software/compute_encoder.h"
#include "metal/software/buffer.h"
#include "metal/software/command_buffer.h"
#include "metal/software/dispatch.h"
#include "metal/software/failure.h"

namespace assay::software {

namespace {

using metal::Size;
using metal::UInteger;

/// Limits of Apple's feature tables that hold for every family.
constexpr UInteger kMostInlineBytes = 4096;
constexpr UInteger kThreadgroupMemoryAlignment = 16;

struct ComputeEncoder {
    Reference object; ///< the command buffer
    DispatchCommand next = {};
    bool ended = false;

    ~ComputeEncoder() {
        if (!ended)
            fail_assertion("-[MTLComputeCommandEncoder dealloc]",
                           "Command encoder released without endEncoding");
    }
    CommandBuffer& command_buffer() const { return *command_buffer_of(object.get()); }
};

[[noreturn]] void fail_in(const char* method, const std::string& message) {
    fail_assertion(std::string("-[MTLComputeCommandEncoder ") + method + "]", message);
}

ComputeEncoder& encoding(id self, const char* method) {
    ComputeEncoder& encoder = *boxed<ComputeEncoder>(self);
    if (encoder.ended)
        fail_in(method, "encoding has ended");
    return encoder;
}

void check_index(const char* method, UInteger index) {
    if (index >= kBufferSlots)
        fail_in(method,
                "index(" + std::to_string(index) + ") must be < " + std::to_string(kBufferSlots) + ".");
}

void set_pipeline(id self, SEL, id pipeline) {
    ComputeEncoder& encoder = encoding(self, "setComputePipelineState:");
    if (!pipeline)
        fail_in("setComputePipelineState:", "pipelineState must not be nil.");
    encoder.next.pipeline = Reference(pipeline);
}

void set_buffer(id self, SEL, id buffer, UInteger offset, UInteger index) {
    constexpr const char* kMethod = "setBuffer:offset:atIndex:";
    ComputeEncoder& encoder = encoding(self, kMethod);
    check_index(kMethod, index);
    if (buffer && offset >= buffer_of(buffer).length)
        fail_in(kMethod, "offset(" + std::to_string(offset) + ") must be < [buffer length](" +
                             std::to_string(buffer_of(buffer).length) + ").");
    encoder.next.bindings[index] = Binding{Reference(buffer), offset, nullptr};
}

void set_buffer_offset(id self, SEL, UInteger offset, UInteger index) {
    constexpr const char* kMethod = "setBufferOffset:atIndex:";
    ComputeEncoder& encoder = encoding(self, kMethod);
    check_index(kMethod, index);
    const id buffer = encoder.next.bindings[index].buffer.get();
    if (!buffer)
        fail_in(kMethod, "no buffer is set at index " + std::to_string(index));
    set_buffer(self, nullptr, buffer, offset, index);
}

void set_bytes(id self, SEL, const void* bytes, UInteger length, UInteger index) {
    constexpr const char* kMethod = "setBytes:length:atIndex:";
    ComputeEncoder& encoder = encoding(self, kMethod);
    check_index(kMethod, index);
    if (length == 0 || length > kMostInlineBytes)
        fail_in(kMethod, "length(" + std::to_string(length) +
                             ") must be > 0 and <= " + std::to_string(kMostInlineBytes) + ".");
    const auto* first = static_cast<const std::byte*>(bytes);
    encoder.next.bindings[index] =
        Binding{Reference(), 0, std::make_shared<const std::vector<std::byte>>(first, first + length)};
}

void set_threadgroup_memory(id self, SEL, UInteger length, UInteger index) {
    constexpr const char* kMethod = "setThreadgroupMemoryLength:atIndex:";
    ComputeEncoder& encoder = encoding(self, kMethod);
    check_index(kMethod, index);
    if (length % kThreadgroupMemoryAlignment != 0)
        fail_in(kMethod, "length(" + std::to_string(length) + ") must be a multiple of 16.");
    const auto allowed =
        metal::send<UInteger>(encoder.command_buffer().device(), "maxThreadgroupMemoryLength");
    if (length > allowed)
        fail_in(kMethod,
                "length(" + std::to_string(length) + ") must be <= " + std::to_string(allowed) + ".");
    encoder.next.threadgroup_memory[index] = length;
}

UInteger product(Size size) { return size.width * size.height * size.depth; }

void check_dispatch(const char* method, const ComputeEncoder& encoder, Size group) {
    const DispatchCommand& command = encoder.next;
    if (!command.pipeline.get())
        fail_in(method, "no compute pipeline state is set");
    const UInteger threads = product(group);
    if (threads == 0)
        fail_in(method, "threadsPerThreadgroup must not be zero in any dimension");
    const PipelineBox& pipeline = pipeline_of(command.pipeline.get());
    if (threads > pipeline.max_threads)
        fail_in(method, "(threadsPerThreadgroup.width(" + std::to_string(group.width) +
                            ") * threadsPerThreadgroup.height(" + std::to_string(group.height) +
                            ") * threadsPerThreadgroup.depth(" + std::to_string(group.depth) + "))(" +
                            std::to_string(threads) + ") must be <= " + std::to_string(pipeline.max_threads) +
                            ". (kernel threadgroup size limit)");
    const auto allowed =
        metal::send<UInteger>(encoder.command_buffer().device(), "maxThreadgroupMemoryLength");
    if (command.threadgroup_bytes() > allowed)
        fail_in(method, "total threadgroup memory(" + std::to_string(command.threadgroup_bytes()) +
                            ") must be <= " + std::to_string(allowed) + ".");
}

void dispatch(const char* method, id self, Size threads, Size group) {
    ComputeEncoder& encoder = encoding(self, method);
    CommandBuffer& buffer = encoder.command_buffer();
    const id device = buffer.device();
    const Device& state = device_of(device);
    check_dispatch(method, encoder, group);
    const bool uniform = threads.width % group.width == 0 && threads.height % group.height == 0 &&
                         threads.depth % group.depth == 0;
    if (!uniform && !state.executes("nonuniform_threadgroup_size"))
        fail_in(method, "Dispatch Threads with Non-Uniform Threadgroup Size is not supported on this device");
    const PipelineBox& pipeline = pipeline_of(encoder.next.pipeline.get());
    const Occasion occasion{.device = device,
                            .kernel = pipeline.kernel,
                            .features = &pipeline.features,
                            .threads = product(threads)};
    if (state.faults.strikes(Effect::raise, occasion))
        raise("NSInternalInconsistencyException", "cannot encode " + pipeline.kernel);
    if (state.faults.strikes(Effect::abort, occasion))
        fail_in(method, "unexpected state of the device while encoding " + pipeline.kernel);
    if (product(threads) == 0)
        return;
    DispatchCommand command = encoder.next;
    command.threads = threads;
    command.group = group;
    buffer.add([device, command = std::move(command)] { return run_dispatch(device, command); });
}

void dispatch_threads(id self, SEL, Size threads, Size group) {
    dispatch("dispatchThreads:threadsPerThreadgroup:", self, threads, group);
}

void dispatch_threadgroups(id self, SEL, Size groups, Size group) {
    dispatch("dispatchThreadgroups:threadsPerThreadgroup:", self,
             {groups.width * group.width, groups.height * group.height, groups.depth * group.depth}, group);
}

void end_encoding(id self, SEL) {
    ComputeEncoder& encoder = encoding(self, "endEncoding");
    encoder.ended = true;
    encoder.command_buffer().end_encoding();
}

} // namespace

void register_compute_encoder_class() {
    ClassBuilder("AssayComputeCommandEncoder", reinterpret_cast<Class>(metal::class_named("NSObject")))
        .boxes<ComputeEncoder>()
        .method("setComputePipelineState:", set_pipeline)
        .method("setBuffer:offset:atIndex:", set_buffer)
        .method("setBufferOffset:atIndex:", set_buffer_offset)
        .method("setBytes:length:atIndex:", set_bytes)
        .method("setThreadgroupMemoryLength:atIndex:", set_threadgroup_memory)
        .method("dispatchThreads:threadsPerThreadgroup:", dispatch_threads)
        .method("dispatchThreadgroups:threadsPerThreadgroup:", dispatch_threadgroups)
        .method(
            "memoryBarrierWithScope:", +[](id, SEL, UInteger) {})
        .method(
            "memoryBarrierWithResources:count:", +[](id, SEL, const id*, UInteger) {})
        .method(
            "useResource:usage:", +[](id, SEL, id, UInteger) {})
        .method(
            "pushDebugGroup:", +[](id, SEL, id) {})
        .method(
            "popDebugGroup", +[](id, SEL) {})
        .method(
            "setLabel:", +[](id, SEL, id) {})
        .method("endEncoding", end_encoding)
        .finish();
}

id make_compute_encoder(id command_buffer) {
    command_buffer_of(command_buffer)->begin_encoding();
    return autorelease(make<ComputeEncoder>(Reference(command_buffer)));
}

} // namespace assay::software
