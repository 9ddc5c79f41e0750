// C = A B with A and B in bfloat16 and C in float: widened with integer operations, or bfloat matrices.
#include <metal_stdlib>
using namespace metal;

#ifdef ASSAY_VARIANT_float
float widened(ushort bits) { return as_type<float>(uint(bits) << 16); }

kernel void matmul_bf16_float(device const ushort* a [[buffer(0)]],
                              device const ushort* b [[buffer(1)]],
                              device float* c [[buffer(2)]],
                              constant uint* shape [[buffer(3)]],
                              uint2 at [[thread_position_in_grid]]) {
    const uint m = shape[0], n = shape[1], k = shape[2];
    if (at.x >= n || at.y >= m)
        return;
    float sum = 0.0f;
    for (uint i = 0; i < k; ++i)
        sum += widened(a[at.y * k + i]) * widened(b[i * n + at.x]);
    c[at.y * n + at.x] = sum;
}
#endif

#ifdef ASSAY_VARIANT_simdgroup_matrix
kernel void matmul_bf16_simdgroup_matrix(device const bfloat* a [[buffer(0)]],
                                         device const bfloat* b [[buffer(1)]],
                                         device float* c [[buffer(2)]],
                                         constant uint* shape [[buffer(3)]],
                                         uint2 group [[threadgroup_position_in_grid]],
                                         uint simdgroup [[simdgroup_index_in_threadgroup]],
                                         uint thread_index [[thread_index_in_threadgroup]]) {
    threadgroup float stage[kTile * kTile];
    simdgroup_product<bfloat>(a, b, c, shape[0], shape[1], shape[2], stage, group, simdgroup, thread_index);
}
#endif
