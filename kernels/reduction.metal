// Sums of rows, one threadgroup per row: a tree in threadgroup memory, or simd_sum.
#include <metal_stdlib>
using namespace metal;

#ifdef ASSAY_VARIANT_tree
kernel void reduction_tree(device const float* x [[buffer(0)]],
                           device float* sums [[buffer(1)]],
                           constant uint& columns [[buffer(2)]],
                           uint row [[threadgroup_position_in_grid]],
                           uint thread_index [[thread_position_in_threadgroup]],
                           uint threads [[threads_per_threadgroup]]) {
    threadgroup float partial[256];
    float sum = 0.0f;
    for (uint column = thread_index; column < columns; column += threads)
        sum += x[row * columns + column];
    partial[thread_index] = sum;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint half_width = threads / 2; half_width > 0; half_width /= 2) {
        if (thread_index < half_width)
            partial[thread_index] += partial[thread_index + half_width];
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    if (thread_index == 0)
        sums[row] = partial[0];
}
#endif

#ifdef ASSAY_VARIANT_simd
kernel void reduction_simd(device const float* x [[buffer(0)]],
                           device float* sums [[buffer(1)]],
                           constant uint& columns [[buffer(2)]],
                           uint row [[threadgroup_position_in_grid]],
                           uint thread_index [[thread_position_in_threadgroup]],
                           uint threads [[threads_per_threadgroup]],
                           uint lane [[thread_index_in_simdgroup]],
                           uint simdgroup [[simdgroup_index_in_threadgroup]],
                           uint simdgroups [[simdgroups_per_threadgroup]]) {
    threadgroup float partial[32];
    float sum = 0.0f;
    for (uint column = thread_index; column < columns; column += threads)
        sum += x[row * columns + column];
    sum = simd_sum(sum);
    if (lane == 0)
        partial[simdgroup] = sum;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (simdgroup == 0) {
        sum = simd_sum(lane < simdgroups ? partial[lane] : 0.0f);
        if (lane == 0)
            sums[row] = sum;
    }
}
#endif
