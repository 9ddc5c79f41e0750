// One encoded dispatch, and running it on the CPU.
#pragma once
#include "metal/software/device.h"
#include "metal/software/pipeline.h"
#include "metal/software/reference.h"
#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace assay::software {

/// Entries of a kernel's buffer and threadgroup memory tables, by Apple's feature tables.
inline constexpr std::size_t kBufferSlots = 31;

/// What is bound at one buffer index: a buffer, bytes, or nothing.
struct Binding {
    Reference buffer;
    metal::UInteger offset = 0;
    std::shared_ptr<const std::vector<std::byte>> bytes;
};

/// Everything a dispatch was encoded with.
struct DispatchCommand {
    Reference pipeline;
    std::array<Binding, kBufferSlots> bindings;
    std::array<metal::UInteger, kBufferSlots> threadgroup_memory{}; ///< bytes, by index
    metal::Size threads;                                            ///< of the whole grid
    metal::Size group;                                              ///< of one full threadgroup

    /// Threadgroup memory of the kernel's own variables and of all indices, in bytes.
    metal::UInteger threadgroup_bytes() const;
    metal::UInteger thread_count() const { return threads.width * threads.height * threads.depth; }
};

/// How one command ended.
struct CommandOutcome {
    enum class Kind { done, failed, never };
    Kind kind = Kind::done;
    metal::Integer code = 0; ///< MTLCommandBufferError
    std::string message = {};

    static CommandOutcome failure(metal::Integer code, std::string message) {
        return {Kind::failed, code, std::move(message)};
    }
};

/// Runs the dispatch with the faults of the device file. Blocks until it is done.
CommandOutcome run_dispatch(id device, const DispatchCommand& command);

} // namespace assay::software
