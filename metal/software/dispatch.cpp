// Running a dispatch: limits, faults, and the kernel itself.
#include "metal/software/dispatch.h"
#include "metal/software/buffer.h"
#include "metal/software/failure.h"
#include "metal/software/kernel_execution.h"

#include <chrono>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <thread>

namespace assay::software {

namespace {

/// MTLCommandBufferError.
constexpr metal::Integer kInternal = 1;
constexpr metal::Integer kTimeout = 2;
constexpr metal::Integer kPageFault = 3;

CommandOutcome internal_error() {
    return CommandOutcome::failure(kInternal, "Internal Error (0000000e:Internal Error)");
}
CommandOutcome gpu_hang() {
    return CommandOutcome::failure(kTimeout,
                                   "Caused GPU Hang Error (00000003:kIOGPUCommandBufferCallbackErrorHang)");
}
CommandOutcome page_fault() {
    return CommandOutcome::failure(kPageFault, "Caused GPU Address Fault Error "
                                               "(0000000b:kIOGPUCommandBufferCallbackErrorPageFault)");
}

/// The contents of the bound buffers, to find out afterwards what the kernel wrote.
class Snapshot {
  public:
    void take(const DispatchCommand& command) {
        for (const auto& binding : command.bindings)
            if (const id object = binding.buffer.get()) {
                const Buffer& buffer = buffer_of(object);
                const auto* first = buffer.memory.get();
                before_.push_back({&buffer, std::vector<std::byte>(first, first + buffer.length)});
            }
    }

    /// Changes every 32-bit word that the kernel changed to what `alter` makes of it.
    template <class F>
    void alter_written(F alter) const {
        for (const auto& [buffer, bytes] : before_) {
            std::byte* memory = buffer->memory.get();
            for (std::size_t at = 0; at + sizeof(std::uint32_t) <= bytes.size();
                 at += sizeof(std::uint32_t)) {
                if (std::memcmp(memory + at, bytes.data() + at, sizeof(std::uint32_t)) == 0)
                    continue;
                std::uint32_t word = 0;
                std::memcpy(&word, memory + at, sizeof word);
                word = alter(word);
                std::memcpy(memory + at, &word, sizeof word);
            }
        }
    }

  private:
    struct Before {
        const Buffer* buffer;
        std::vector<std::byte> bytes;
    };
    std::vector<Before> before_;
};

bool everything_is_bound(const DispatchCommand& command, const PipelineBox& pipeline) {
    for (const auto& argument : pipeline.pipeline->arguments()) {
        if (argument.kind != msl::Argument::Kind::buffer)
            continue;
        if (argument.index >= kBufferSlots)
            return false;
        const Binding& binding = command.bindings[argument.index];
        if (!binding.buffer.get() && !binding.bytes)
            return false;
    }
    return true;
}

/// Faults that end a command buffer before its kernel runs.
CommandOutcome strike_before(const Faults& faults, const Occasion& occasion) {
    if (const auto* wedge = faults.strikes(Effect::wedge, occasion)) {
        std::ofstream(wedge->file) << "wedged\n";
        return gpu_hang();
    }
    if (faults.strikes(Effect::hang, occasion))
        hang();
    if (faults.strikes(Effect::never_completes, occasion))
        return {.kind = CommandOutcome::Kind::never};
    if (faults.strikes(Effect::command_error, occasion))
        return gpu_hang();
    return {};
}

} // namespace

metal::UInteger DispatchCommand::threadgroup_bytes() const {
    metal::UInteger total = pipeline_of(pipeline.get()).pipeline->static_threadgroup_bytes();
    for (const auto length : threadgroup_memory)
        total += length;
    return total;
}

CommandOutcome run_dispatch(id device, const DispatchCommand& command) {
    const Device& state = device_of(device);
    const PipelineBox& pipeline = pipeline_of(command.pipeline.get());
    const Occasion occasion{.device = device,
                            .kernel = pipeline.kernel,
                            .features = &pipeline.features,
                            .threads = command.thread_count()};
    if (auto struck = strike_before(state.faults, occasion); struck.kind != CommandOutcome::Kind::done)
        return struck;
    // Validation saw what was reported; the hardware has what it has.
    if (command.threadgroup_bytes() > state.file.limits.max_threadgroup_memory)
        return internal_error();
    if (!everything_is_bound(command, pipeline))
        return page_fault();

    const bool zeros = state.faults.strikes(Effect::zeros, occasion) != nullptr;
    const bool wrong = state.faults.strikes(Effect::wrong_result, occasion) ||
                       state.faults.strikes(Effect::intermittent, occasion);
    Snapshot before;
    if (zeros || wrong)
        before.take(command);
    const auto start = std::chrono::steady_clock::now();
    const auto ran = execute_kernel(command);
    if (!ran)
        return CommandOutcome::failure(kInternal, ran.error().text());
    if (state.faults.strikes(Effect::slow, occasion)) {
        constexpr auto kLeast = std::chrono::milliseconds(50);
        constexpr int kFactor = 20;
        const auto took = std::chrono::steady_clock::now() - start;
        std::this_thread::sleep_for(std::max<std::chrono::steady_clock::duration>(kLeast, took * kFactor));
    }
    if (zeros)
        before.alter_written([](std::uint32_t) { return 0u; });
    else if (wrong)
        // Bits that matter in a float, in both halves of a pair, and in both bfloats of a pair.
        before.alter_written([](std::uint32_t word) { return word ^ 0x02400240u; });
    return {};
}

} // namespace assay::software
