// C = A B with 8x8 SIMD-group matrices, shared by the float and the bfloat product.
//
// A threadgroup of four SIMD-groups computes a tile of 64 x 64, each SIMD-group a quarter of it. When every
// tile is whole, matrices are loaded straight from device memory; otherwise they pass through threadgroup
// memory, where what lies outside A and B is zero and what lies outside C is dropped.
#include <metal_simdgroup_matrix>
#include <metal_stdlib>
using namespace metal;

constant bool kWholeTiles [[function_constant(0)]];
constant constexpr uint kTile = 64;
constant constexpr uint kStep = 32;
constant constexpr uint kThreads = 128;

template <typename T>
void simdgroup_product(device const T* a, device const T* b, device float* c, uint m, uint n, uint k,
                       threadgroup float* stage, uint2 group, uint simdgroup, uint thread_index) {
    const uint inner_row = (simdgroup / 2) * 32;
    const uint inner_column = (simdgroup % 2) * 32;
    const uint tile_row = group.y * kTile;
    const uint tile_column = group.x * kTile;
    simdgroup_float8x8 sums[4][4];
#pragma clang loop unroll(full)
    for (uint i = 0; i < 4; ++i) {
#pragma clang loop unroll(full)
        for (uint j = 0; j < 4; ++j)
            sums[i][j] = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
    }

    if (kWholeTiles) {
        device const T* left = a + (tile_row + inner_row) * k;
        device const T* right = b + tile_column + inner_column;
        for (uint at = 0; at < k; at += 8) {
            simdgroup_matrix<T, 8, 8> lefts[4];
            simdgroup_matrix<T, 8, 8> rights[4];
#pragma clang loop unroll(full)
            for (uint i = 0; i < 4; ++i) {
                simdgroup_load(lefts[i], left + 8 * i * k + at, k);
                simdgroup_load(rights[i], right + at * n + 8 * i, n);
            }
#pragma clang loop unroll(full)
            for (uint i = 0; i < 4; ++i) {
#pragma clang loop unroll(full)
                for (uint j = 0; j < 4; ++j)
                    simdgroup_multiply_accumulate(sums[i][j], lefts[i], rights[j], sums[i][j]);
            }
        }
        device float* out = c + (tile_row + inner_row) * n + tile_column + inner_column;
#pragma clang loop unroll(full)
        for (uint i = 0; i < 4; ++i) {
#pragma clang loop unroll(full)
            for (uint j = 0; j < 4; ++j)
                simdgroup_store(sums[i][j], out + 8 * i * n + 8 * j, n);
        }
        return;
    }

    threadgroup T* left_stage = reinterpret_cast<threadgroup T*>(stage);
    threadgroup T* right_stage = left_stage + kTile * kStep;
    for (uint first = 0; first < k; first += kStep) {
        for (uint i = thread_index; i < kTile * kStep; i += kThreads) {
            const uint row = tile_row + i / kStep;
            const uint left_k = first + i % kStep;
            left_stage[i] = row < m && left_k < k ? a[row * k + left_k] : T(0.0f);
            const uint column = tile_column + i % kTile;
            const uint right_k = first + i / kTile;
            right_stage[i] = column < n && right_k < k ? b[right_k * n + column] : T(0.0f);
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        for (uint at = 0; at < kStep; at += 8) {
            simdgroup_matrix<T, 8, 8> lefts[4];
            simdgroup_matrix<T, 8, 8> rights[4];
#pragma clang loop unroll(full)
            for (uint i = 0; i < 4; ++i) {
                simdgroup_load(lefts[i], left_stage + (inner_row + 8 * i) * kStep + at, kStep);
                simdgroup_load(rights[i], right_stage + at * kTile + inner_column + 8 * i, kTile);
            }
#pragma clang loop unroll(full)
            for (uint i = 0; i < 4; ++i) {
#pragma clang loop unroll(full)
                for (uint j = 0; j < 4; ++j)
                    simdgroup_multiply_accumulate(sums[i][j], lefts[i], rights[j], sums[i][j]);
            }
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
#pragma clang loop unroll(full)
    for (uint i = 0; i < 4; ++i) {
#pragma clang loop unroll(full)
        for (uint j = 0; j < 4; ++j)
            simdgroup_store(sums[i][j], stage + (inner_row + 8 * i) * kTile + inner_column + 8 * j, kTile);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint i = thread_index; i < kTile * kTile; i += kThreads) {
        const uint row = tile_row + i / kTile;
        const uint column = tile_column + i % kTile;
        if (row < m && column < n)
            c[row * n + column] = stage[i];
    }
}
