// Writes all of a threadgroup's memory, and reads it back in reverse by other threads.
#include <metal_stdlib>
using namespace metal;

kernel void threadgroup_memory(threadgroup uint* memory [[threadgroup(0)]],
                               device uint* reversed [[buffer(0)]],
                               constant uint* settings [[buffer(1)]],
                               uint thread_index [[thread_position_in_threadgroup]],
                               uint threads [[threads_per_threadgroup]],
                               uint group [[threadgroup_position_in_grid]]) {
    const uint words = settings[0];
    const uint salt = settings[1];
    for (uint i = thread_index; i < words; i += threads)
        memory[i] = (i + group * words) * 2654435761u ^ salt;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint i = thread_index; i < words; i += threads)
        reversed[group * words + i] = memory[words - 1 - i];
}
