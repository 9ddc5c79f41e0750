// The largest of many 64-bit numbers per slot, by atomics.
#include <metal_stdlib>
using namespace metal;

kernel void atomic_max_64(device const ulong* values [[buffer(0)]],
                          device atomic_ulong* largest [[buffer(1)]],
                          constant uint* counts [[buffer(2)]],
                          uint at [[thread_position_in_grid]]) {
    if (at < counts[0])
        atomic_max_explicit(&largest[at % counts[1]], values[at], memory_order_relaxed);
}
