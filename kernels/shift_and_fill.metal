// Lanes shifted up and down by every distance, filled from a second value: in threadgroup memory, or with
// simd_shuffle_and_fill_up and simd_shuffle_and_fill_down.
#include <metal_stdlib>
using namespace metal;

// Results of one SIMD-group: for each distance, 32 lanes shifted up, then 32 lanes shifted down.
constant constexpr uint kLanes = 32;

#ifdef ASSAY_VARIANT_threadgroup
kernel void shift_and_fill_threadgroup(device const uint* data [[buffer(0)]],
                                       device const uint* filling [[buffer(1)]],
                                       device uint* shifted [[buffer(2)]],
                                       uint at [[thread_position_in_grid]],
                                       uint in_group [[thread_position_in_threadgroup]]) {
    threadgroup uint window[2 * kLanes * 2];
    const uint lane = in_group % kLanes;
    threadgroup uint* own = window + in_group / kLanes * 2 * kLanes;
    device uint* out = shifted + at / kLanes * kLanes * 2 * kLanes;
    own[lane] = filling[at];
    own[kLanes + lane] = data[at];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint distance = 0; distance < kLanes; ++distance)
        out[distance * 2 * kLanes + lane] = own[kLanes + lane - distance];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    own[lane] = data[at];
    own[kLanes + lane] = filling[at];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint distance = 0; distance < kLanes; ++distance)
        out[distance * 2 * kLanes + kLanes + lane] = own[lane + distance];
}
#endif

#ifdef ASSAY_VARIANT_simd
kernel void shift_and_fill_simd(device const uint* data [[buffer(0)]],
                                device const uint* filling [[buffer(1)]],
                                device uint* shifted [[buffer(2)]],
                                uint at [[thread_position_in_grid]],
                                uint lane [[thread_index_in_simdgroup]]) {
    const uint value = data[at];
    const uint fill = filling[at];
    device uint* out = shifted + at / kLanes * kLanes * 2 * kLanes;
    for (ushort distance = 0; distance < kLanes; ++distance) {
        out[distance * 2 * kLanes + lane] = simd_shuffle_and_fill_up(value, fill, distance);
        out[distance * 2 * kLanes + kLanes + lane] = simd_shuffle_and_fill_down(value, fill, distance);
    }
}
#endif
