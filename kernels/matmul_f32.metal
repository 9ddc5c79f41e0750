// C = A B in float, row by row: one thread per element, tiles in threadgroup memory, or SIMD-group matrices.
#include <metal_stdlib>
using namespace metal;

#ifdef ASSAY_VARIANT_naive
kernel void matmul_f32_naive(device const float* a [[buffer(0)]],
                             device const float* b [[buffer(1)]],
                             device float* c [[buffer(2)]],
                             constant uint* shape [[buffer(3)]],
                             uint2 at [[thread_position_in_grid]]) {
    const uint m = shape[0], n = shape[1], k = shape[2];
    if (at.x >= n || at.y >= m)
        return;
    float sum = 0.0f;
    for (uint i = 0; i < k; ++i)
        sum += a[at.y * k + i] * b[i * n + at.x];
    c[at.y * n + at.x] = sum;
}
#endif

#ifdef ASSAY_VARIANT_tiled
constant constexpr uint kEdge = 16;

kernel void matmul_f32_tiled(device const float* a [[buffer(0)]],
                             device const float* b [[buffer(1)]],
                             device float* c [[buffer(2)]],
                             constant uint* shape [[buffer(3)]],
                             uint2 at [[thread_position_in_grid]],
                             uint2 in_tile [[thread_position_in_threadgroup]]) {
    threadgroup float left[kEdge][kEdge];
    threadgroup float right[kEdge][kEdge];
    const uint m = shape[0], n = shape[1], k = shape[2];
    float sum = 0.0f;
    for (uint first = 0; first < k; first += kEdge) {
        const uint left_k = first + in_tile.x;
        const uint right_k = first + in_tile.y;
        left[in_tile.y][in_tile.x] = at.y < m && left_k < k ? a[at.y * k + left_k] : 0.0f;
        right[in_tile.y][in_tile.x] = at.x < n && right_k < k ? b[right_k * n + at.x] : 0.0f;
        threadgroup_barrier(mem_flags::mem_threadgroup);
        for (uint i = 0; i < kEdge; ++i)
            sum += left[in_tile.y][i] * right[i][in_tile.x];
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    if (at.x < n && at.y < m)
        c[at.y * n + at.x] = sum;
}
#endif

#ifdef ASSAY_VARIANT_simdgroup_matrix
kernel void matmul_f32_simdgroup_matrix(device const float* a [[buffer(0)]],
                                        device const float* b [[buffer(1)]],
                                        device float* c [[buffer(2)]],
                                        constant uint* shape [[buffer(3)]],
                                        uint2 group [[threadgroup_position_in_grid]],
                                        uint simdgroup [[simdgroup_index_in_threadgroup]],
                                        uint thread_index [[thread_index_in_threadgroup]]) {
    threadgroup float stage[kTile * kTile];
    simdgroup_product<float>(a, b, c, shape[0], shape[1], shape[2], stage, group, simdgroup, thread_index);
}
#endif
