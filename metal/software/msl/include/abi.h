// What a compiled kernel and the executor share: layouts, and the table of functions a kernel may call.
//
// A kernel is a shared object without undefined symbols. It exports
//   assay_attach(table)              must be called once, before anything else runs
//   assay_entry(fiber)               runs threads, one after the other, until none is left
//   assay_static_threadgroup_bytes() size of the kernel's own threadgroup variables
//   assay_feature_records(&begin, &end) "feature intrinsic" strings, each ended by a zero byte
#pragma once
#include <stddef.h>
#include <stdint.h>

/// Part of every cache key: change it whenever anything in this file changes its meaning.
#define ASSAY_MSL_ABI_VERSION 1

struct assay_simdgroup;
struct assay_threadgroup;

/// One thread of the grid while it runs. Lives near the top of its own stack, see assay_fiber_of_stack().
struct alignas(64) assay_fiber {
    void* stack_pointer;
    assay_simdgroup* simdgroup;
    assay_threadgroup* group;
    assay_fiber* next_free;
    uint32_t lane;
    uint32_t index;  ///< in the threadgroup
    uint32_t buffer; ///< which half of the exchange buffers this rendezvous uses
    uint32_t led;    ///< mask of the lanes for which this fiber has to do the work; 0: another fiber does
    uint32_t position[3];
};

/// 32 lanes that exchange values. The exchange buffers are doubled: a lane may enter the next rendezvous while
/// others still read from the last one.
struct alignas(64) assay_simdgroup {
    uint32_t alive, unstarted, ready, in_rendezvous, in_barrier; ///< lane masks
    uint32_t index;
    uint32_t first_thread;
    uint32_t next_buffer;
    uint32_t mixed_sites; ///< the waiting lanes stand at different calls
    uint32_t active[2];   ///< lanes that took part in the rendezvous
    uintptr_t site_key;
    void* site[32];
    assay_fiber* fiber[32];
    alignas(64) uint64_t slot[2][32];
    alignas(64) uint64_t result[2][8];
    alignas(64) float matrix[2][64];
    alignas(64) float operand[2][3][64];
};

/// What one worker knows of the threadgroup it runs.
struct assay_threadgroup {
    void* const* buffers;
    char* dynamic_memory;
    const uint32_t* dynamic_offsets; ///< by threadgroup memory index
    char* static_memory;
    uint32_t position[3];         ///< of this threadgroup, in threadgroups
    uint32_t size[3];             ///< threads of this threadgroup: smaller at a ragged edge
    uint32_t dispatched_size[3];  ///< threads per threadgroup as dispatched
    uint32_t threadgroups[3];     ///< threadgroups in the grid
    uint32_t grid_threads[3];     ///< threads in the grid
    uint32_t simdgroup_count;
};

/// What a kernel may call. Each returns on the stack it was called on.
struct assay_runtime {
    uint32_t version;
    /// A lane arrives at the rendezvous `site`: the fiber to continue with.
    assay_fiber* (*rendezvous)(assay_fiber*, void* site);
    /// A thread arrives at a threadgroup barrier: the fiber to continue with.
    assay_fiber* (*barrier)(assay_fiber*);
    /// A thread has ended. True: this fiber is now another thread. Does not return when none is left.
    uint32_t (*next)(assay_fiber*);
};

#define ASSAY_STACK_SHIFT 18
#define ASSAY_STACK_BYTES (uintptr_t{1} << ASSAY_STACK_SHIFT)

/// The fiber of the stack number `stack` (an address >> ASSAY_STACK_SHIFT). The offset differs from stack to stack:
/// equal offsets would all fall into the same cache set.
inline __attribute__((always_inline)) assay_fiber* assay_fiber_of_stack(uintptr_t stack) {
    return reinterpret_cast<assay_fiber*>(((stack + 1) << ASSAY_STACK_SHIFT) - 128 - (stack & 31) * 576);
}
