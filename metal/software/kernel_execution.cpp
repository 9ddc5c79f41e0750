// The kernel of a dispatch on the CPU: from bindings to the executor.
#include "metal/software/kernel_execution.h"
#include "metal/software/buffer.h"
#include "metal/software/msl/executor.h"
#include "metal/software/msl/software_runtime.h"

namespace assay::software {

namespace {

/// Threadgroup memory starts at multiples of this, whatever the lengths in front of it.
constexpr std::uint32_t kThreadgroupAlignment = 16;

msl::Size3 narrow(metal::Size size) {
    return {static_cast<std::uint32_t>(size.width), static_cast<std::uint32_t>(size.height),
            static_cast<std::uint32_t>(size.depth)};
}

metal::UInteger groups(metal::UInteger threads, metal::UInteger group) {
    return (threads + group - 1) / group;
}

void* address(const Binding& binding) {
    if (const id buffer = binding.buffer.get())
        return buffer_of(buffer).memory.get() + binding.offset;
    // Kernels see bytes as constant memory: the type checker of the language keeps them from writing.
    return binding.bytes ? const_cast<std::byte*>(binding.bytes->data()) : nullptr;
}

} // namespace

const std::shared_ptr<const msl::Runtime>& kernel_runtime() {
    // Immortal: kernels may still run while the process ends.
    static const auto* runtime =
        new std::shared_ptr<const msl::Runtime>(std::make_shared<msl::SoftwareRuntime>());
    return *runtime;
}

Result<void> execute_kernel(const DispatchCommand& command) {
    const auto& pipeline = *pipeline_of(command.pipeline.get()).pipeline;
    std::array<void*, kBufferSlots> buffers{};
    for (std::size_t i = 0; i < kBufferSlots; ++i)
        buffers[i] = address(command.bindings[i]);
    std::array<std::uint32_t, kBufferSlots> offsets{};
    std::uint32_t bytes = 0;
    for (std::size_t i = 0; i < kBufferSlots; ++i) {
        offsets[i] = bytes;
        const auto length = static_cast<std::uint32_t>(command.threadgroup_memory[i]);
        bytes += (length + kThreadgroupAlignment - 1) / kThreadgroupAlignment * kThreadgroupAlignment;
    }
    msl::Dispatch dispatch;
    dispatch.entry = reinterpret_cast<msl::KernelEntry>(pipeline.entry());
    dispatch.buffers = buffers;
    dispatch.threadgroup_offsets = offsets;
    dispatch.dynamic_threadgroup_bytes = bytes;
    dispatch.static_threadgroup_bytes = pipeline.static_threadgroup_bytes();
    dispatch.threadgroups = narrow({groups(command.threads.width, command.group.width),
                                    groups(command.threads.height, command.group.height),
                                    groups(command.threads.depth, command.group.depth)});
    dispatch.threads_per_threadgroup = narrow(command.group);
    dispatch.threads_per_grid = narrow(command.threads);
    return msl::run(dispatch);
}

} // namespace assay::software
