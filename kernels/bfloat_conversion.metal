// float to bfloat and back: with integer operations, or with the bfloat type.
#include <metal_stdlib>
using namespace metal;

#ifdef ASSAY_VARIANT_integer
ushort narrow(uint bits) {
    if ((bits & 0x7FFFFFFFu) > 0x7F800000u)
        return ushort((bits >> 16) | 0x40u);
    return ushort((bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16);
}
uint widen(ushort bits) { return uint(bits) << 16; }
#define FUNCTION bfloat_conversion_integer
#endif

#ifdef ASSAY_VARIANT_bfloat
ushort narrow(uint bits) { return as_type<ushort>(bfloat(as_type<float>(bits))); }
uint widen(ushort bits) { return as_type<uint>(float(as_type<bfloat>(bits))); }
#define FUNCTION bfloat_conversion_bfloat
#endif

#ifdef FUNCTION
kernel void FUNCTION(device const uint* floats [[buffer(0)]],
                     device ushort* narrowed [[buffer(1)]],
                     device const ushort* bfloats [[buffer(2)]],
                     device uint* widened [[buffer(3)]],
                     constant uint* counts [[buffer(4)]],
                     uint at [[thread_position_in_grid]]) {
    if (at < counts[0])
        narrowed[at] = narrow(floats[at]);
    if (at < counts[1])
        widened[at] = widen(bfloats[at]);
}
#endif
