// Plain work on buffers that a residency set keeps resident.
#include <metal_stdlib>
using namespace metal;

kernel void residency_set(device const uint* values [[buffer(0)]],
                          device uint* doubled [[buffer(1)]],
                          constant uint& count [[buffer(2)]],
                          uint at [[thread_position_in_grid]]) {
    if (at < count)
        doubled[at] = values[at] * 2 + 1;
}
