// Runs compiled kernels: one fiber per thread, SIMD groups of 32 lanes, threadgroups over all cores.
#pragma once
#include "base/error.h"
#include "metal/software/msl/include/abi.h"
#include <array>
#include <cstdint>
#include <span>

namespace assay::msl {

using KernelEntry = void (*)(assay_fiber*);
using Size3 = std::array<std::uint32_t, 3>;

/// In which order threads that could all run are run. A correct kernel does not notice. Whatever the order,
/// the lowest lane of a rendezvous continues first.
enum class Order { ascending, descending, shuffled };

struct Dispatch {
    KernelEntry entry = nullptr;
    std::span<void* const> buffers;                     ///< by buffer index
    std::span<const std::uint32_t> threadgroup_offsets; ///< byte offset by threadgroup memory index
    std::uint32_t dynamic_threadgroup_bytes = 0;
    std::uint32_t static_threadgroup_bytes = 0;
    Size3 threadgroups{1, 1, 1};
    Size3 threads_per_threadgroup{1, 1, 1};
    /// Threads in the grid; all zero: threadgroups * threads_per_threadgroup. Smaller: the threadgroups at
    /// the upper edges are smaller.
    Size3 threads_per_grid{0, 0, 0};
    Order order = Order::ascending;
    std::uint64_t seed = 0; ///< of the shuffled order
    unsigned workers = 0;   ///< how many cores take part; 0: all
};

/// The table that kernels are attached to.
const assay_runtime& kernel_runtime();

/// Runs the whole grid and returns when it has finished. A grid without threads does nothing. More than 1024
/// threads per threadgroup, or a grid that its threadgroups cannot cover, is bad_input. A kernel that crashes
/// takes the process with it. One dispatch runs at a time; callable from any thread.
Result<void> run(const Dispatch& dispatch);

} // namespace assay::msl
