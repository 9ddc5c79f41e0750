// y = a x + y with a salt in the source: what even the plainest device must do.
#include <metal_stdlib>
using namespace metal;

#ifndef ASSAY_SALT
#define ASSAY_SALT 0u
#endif

kernel void canary_saxpy(device const float* x [[buffer(0)]],
                         device float* y [[buffer(1)]],
                         device uint* salt [[buffer(2)]],
                         constant float& a [[buffer(3)]],
                         constant uint& count [[buffer(4)]],
                         uint at [[thread_position_in_grid]]) {
    if (at >= count)
        return;
    y[at] = a * x[at] + y[at];
    salt[at] = ASSAY_SALT ^ at;
}
