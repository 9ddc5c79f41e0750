// Exchange between the lanes of a SIMD group and of a quad.
#pragma once
#pragma clang system_header
#include "math.h"
#include "sync.h"

namespace metal {

template <class T> inline constexpr const char* assay_suffix = nullptr;
template <class T> struct assay_slot {
    static_assert(sizeof(T) <= 8);
    alignas(8) T value;
};

/// One exchange: what this lane put in and everybody else's.
template <class T> struct assay_exchange {
    assay_fiber* fiber;
    assay_simdgroup* group;
    uint buffer;
    uint led; ///< nonzero for the one lane that computes a common result

    ASSAY_INLINE explicit assay_exchange(T value) : fiber(assay_self_fiber()), group(fiber->simdgroup) {
        fiber->buffer = group->next_buffer;
        slots(fiber->buffer)[fiber->lane].value = value;
        assay_rendezvous(fiber);
        led = fiber->led;
        fiber->led = 0;
        buffer = fiber->buffer;
    }
    ASSAY_INLINE assay_slot<T>* slots(uint half_) const { return (assay_slot<T>*)group->slot[half_]; }
    ASSAY_INLINE T operator[](uint lane) const { return slots(buffer)[lane].value; }
    ASSAY_INLINE uint active() const { return group->active[buffer]; }
    ASSAY_INLINE uint lane() const { return fiber->lane; }
    template <class R> ASSAY_INLINE R& result() const { return *(R*)group->result[buffer]; }
};

template <class T> using assay_accumulator = conditional_t<sizeof(T) == 2 && is_floating_point_v<T>, float, T>;

template <class T, class F> ASSAY_INLINE T assay_reduce(T value, F combine) {
    typedef assay_accumulator<T> Sum;
    const assay_exchange<T> lanes(value);
    if (uint mask = lanes.led) {
        Sum sum;
        if (mask == ~0u) { // as a tree, which vectorises
            Sum part[16];
            for (int i = 0; i < 16; ++i)
                part[i] = combine((Sum)lanes[i], (Sum)lanes[i + 16]);
            for (int i = 0; i < 8; ++i)
                part[i] = combine(part[i], part[i + 8]);
            for (int i = 0; i < 4; ++i)
                part[i] = combine(part[i], part[i + 4]);
            sum = combine(combine(part[0], part[2]), combine(part[1], part[3]));
        } else {
            sum = (Sum)lanes[__builtin_ctz(mask)];
            while (mask &= mask - 1)
                sum = combine(sum, (Sum)lanes[__builtin_ctz(mask)]);
        }
        lanes.template result<T>() = (T)sum;
    }
    return lanes.template result<T>();
}
template <class T, class F> ASSAY_INLINE T assay_reduce_quad(T value, F combine) {
    typedef assay_accumulator<T> Sum;
    const assay_exchange<T> lanes(value);
    uint mask = lanes.active() & (15u << (lanes.lane() & 28));
    Sum sum = (Sum)lanes[__builtin_ctz(mask)];
    while (mask &= mask - 1)
        sum = combine(sum, (Sum)lanes[__builtin_ctz(mask)]);
    return (T)sum;
}
/// Combines the active lanes below this one, and this one if `inclusive`; `neutral` when there is none.
template <class T, class F> ASSAY_INLINE T assay_scan(T value, T neutral, bool inclusive, uint first, F combine) {
    const assay_exchange<T> lanes(value);
    const uint lane = lanes.lane();
    uint mask = lanes.active() & ((1u << lane) - 1 | (inclusive ? 1u << lane : 0u)) & (~0u << first);
    assay_accumulator<T> sum = (assay_accumulator<T>)neutral;
    for (; mask; mask &= mask - 1)
        sum = combine(sum, (assay_accumulator<T>)lanes[__builtin_ctz(mask)]);
    return (T)sum;
}

/// The intrinsic's type suffix is part of the record, so each type has its own string.
#define ASSAY_USES_TYPED(T, feature, intrinsic)                                                                 \
    do {                                                                                                        \
        if constexpr (is_same_v<T, float>) ASSAY_USES(feature, intrinsic ".f32");                               \
        else if constexpr (is_same_v<T, half>) ASSAY_USES(feature, intrinsic ".f16");                           \
        else if constexpr (is_same_v<T, bfloat>) ASSAY_USES(feature, intrinsic ".bf16");                        \
        else if constexpr (sizeof(T) == 1 && is_signed_v<T>) ASSAY_USES(feature, intrinsic ".s.i8");            \
        else if constexpr (sizeof(T) == 1) ASSAY_USES(feature, intrinsic ".u.i8");                              \
        else if constexpr (sizeof(T) == 2 && is_signed_v<T>) ASSAY_USES(feature, intrinsic ".s.i16");           \
        else if constexpr (sizeof(T) == 2) ASSAY_USES(feature, intrinsic ".u.i16");                             \
        else if constexpr (sizeof(T) == 4 && is_signed_v<T>) ASSAY_USES(feature, intrinsic ".s.i32");           \
        else if constexpr (sizeof(T) == 4) ASSAY_USES(feature, intrinsic ".u.i32");                             \
        else if constexpr (is_signed_v<T>) ASSAY_USES(feature, intrinsic ".s.i64");                             \
        else ASSAY_USES(feature, intrinsic ".u.i64");                                                           \
    } while (false)

#define ASSAY_ELEMENTWISE(name)                                                                                 \
    template <class T, int N> ASSAY_INLINE vec<T, N> name(vec<T, N> v) {                                        \
        return assay_map(v, [](T x) __attribute__((always_inline)) { return name(x); });                        \
    }
#define ASSAY_REDUCTION(name, expression)                                                                       \
    template <class T> requires AssayScalar<T> ASSAY_INLINE T simd_##name(T value) {                            \
        ASSAY_USES_TYPED(T, "simd_reduction", "air.simd_" #name);                                               \
        return assay_reduce(value, [](auto a, auto b) { return (decltype(a))(expression); });                   \
    }                                                                                                           \
    template <class T> requires AssayScalar<T> ASSAY_INLINE T quad_##name(T value) {                            \
        ASSAY_USES_TYPED(T, "quad_reduction", "air.quad_" #name);                                               \
        return assay_reduce_quad(value, [](auto a, auto b) { return (decltype(a))(expression); });              \
    }                                                                                                           \
    ASSAY_ELEMENTWISE(simd_##name)                                                                              \
    ASSAY_ELEMENTWISE(quad_##name)
ASSAY_REDUCTION(sum, a + b)
ASSAY_REDUCTION(product, a * b)
ASSAY_REDUCTION(max, a > b ? a : b)
ASSAY_REDUCTION(min, a < b ? a : b)
ASSAY_REDUCTION(and, a & b)
ASSAY_REDUCTION(or, a | b)
ASSAY_REDUCTION(xor, a ^ b)

#define ASSAY_SCAN(kind, name, op, neutral, inclusive)                                                          \
    template <class T> requires AssayScalar<T> ASSAY_INLINE T simd_prefix_##kind##_##name(T value) {            \
        ASSAY_USES_TYPED(T, "simd_reduction", "air.simd_prefix_" #kind "_" #name);                              \
        return assay_scan(value, (T)neutral, inclusive, 0, [](auto a, auto b) { return (decltype(a))(a op b); }); \
    }                                                                                                           \
    template <class T> requires AssayScalar<T> ASSAY_INLINE T quad_prefix_##kind##_##name(T value) {            \
        ASSAY_USES_TYPED(T, "quad_reduction", "air.quad_prefix_" #kind "_" #name);                              \
        return assay_scan(value, (T)neutral, inclusive, assay_lane() & 28,                                      \
                          [](auto a, auto b) { return (decltype(a))(a op b); });                                \
    }                                                                                                           \
    ASSAY_ELEMENTWISE(simd_prefix_##kind##_##name)                                                              \
    ASSAY_ELEMENTWISE(quad_prefix_##kind##_##name)
ASSAY_SCAN(inclusive, sum, +, 0, true)
ASSAY_SCAN(exclusive, sum, +, 0, false)
ASSAY_SCAN(inclusive, product, *, 1, true)
ASSAY_SCAN(exclusive, product, *, 1, false)

/// `source` is the lane to read from, given `lane` and the argument `by`; `otherwise` is the value outside of `valid`.
#define ASSAY_SHUFFLE(name, feature, source, valid, otherwise)                                                  \
    template <class T> requires AssayScalar<T> ASSAY_INLINE T name(T value, ushort by) {                        \
        ASSAY_USES_TYPED(T, feature, "air." #name);                                                             \
        const assay_exchange<T> lanes(value);                                                                   \
        const int lane = (int)lanes.lane();                                                                     \
        const int from = (source);                                                                              \
        return (valid) ? lanes[(uint)from & 31] : (otherwise);                                                  \
    }                                                                                                           \
    template <class T, int N> ASSAY_INLINE vec<T, N> name(vec<T, N> v, ushort by) {                             \
        vec<T, N> r;                                                                                            \
        for (int i = 0; i < N; ++i)                                                                             \
            r.native[i] = name((T)v.native[i], by);                                                             \
        return r;                                                                                               \
    }
ASSAY_SHUFFLE(simd_shuffle, "simd_permute", by, true, value)
ASSAY_SHUFFLE(simd_broadcast, "simd_permute", by, true, value)
ASSAY_SHUFFLE(simd_shuffle_xor, "simd_permute", lane ^ by, true, value)
ASSAY_SHUFFLE(simd_shuffle_down, "simd_permute", lane + by, from < 32, value)
ASSAY_SHUFFLE(simd_shuffle_up, "simd_permute", lane - by, from >= 0, value)
ASSAY_SHUFFLE(simd_shuffle_rotate_down, "simd_permute", lane + by, true, value)
ASSAY_SHUFFLE(simd_shuffle_rotate_up, "simd_permute", lane - by, true, value)
ASSAY_SHUFFLE(quad_shuffle, "quad_permute", (lane & 28) + (by & 3), true, value)
ASSAY_SHUFFLE(quad_broadcast, "quad_permute", (lane & 28) + (by & 3), true, value)
ASSAY_SHUFFLE(quad_shuffle_xor, "quad_permute", lane ^ (by & 3), true, value)
ASSAY_SHUFFLE(quad_shuffle_down, "quad_permute", lane + by, from < (lane & 28) + 4, value)
ASSAY_SHUFFLE(quad_shuffle_up, "quad_permute", lane - by, from >= (lane & 28), value)
ASSAY_SHUFFLE(quad_shuffle_rotate_down, "quad_permute", (lane & 28) + ((lane + by) & 3), true, value)
ASSAY_SHUFFLE(quad_shuffle_rotate_up, "quad_permute", (lane & 28) + ((lane - by) & 3), true, value)

/// Within groups of `modulo` lanes; lanes beyond the group come from `fill`, which continues the data: the lane that
/// would wrap around in the group.
#define ASSAY_SHUFFLE_AND_FILL(name, inside, offset)                                                            \
    template <class T> requires AssayScalar<T> ASSAY_INLINE T name(T value, T fill, ushort by, ushort modulo = 32) { \
        ASSAY_USES_TYPED(T, "simd_shift_and_fill", "air." #name);                                               \
        const assay_exchange<T> lanes(value);                                                                   \
        const assay_exchange<T> fills(fill);                                                                    \
        const int lane = (int)lanes.lane(), size = modulo;                                                      \
        const int group = lane & -size, from = lane - group offset by;                                          \
        return (inside) ? lanes[(uint)(group + from) & 31] : fills[(uint)(group + (from & (size - 1))) & 31];   \
    }                                                                                                           \
    template <class T, int N>                                                                                   \
    ASSAY_INLINE vec<T, N> name(vec<T, N> v, vec<T, N> fill, ushort by, ushort modulo = 32) {                   \
        vec<T, N> r;                                                                                            \
        for (int i = 0; i < N; ++i)                                                                             \
            r.native[i] = name((T)v.native[i], (T)fill.native[i], by, modulo);                                  \
        return r;                                                                                               \
    }
ASSAY_SHUFFLE_AND_FILL(simd_shuffle_and_fill_down, from < size, +)
ASSAY_SHUFFLE_AND_FILL(simd_shuffle_and_fill_up, from >= 0, -)

template <class T> requires AssayScalar<T> ASSAY_INLINE T simd_broadcast_first(T value) {
    ASSAY_USES_TYPED(T, "simd_permute", "air.simd_broadcast_first");
    const assay_exchange<T> lanes(value);
    return lanes[__builtin_ctz(lanes.active())];
}
template <class T> requires AssayScalar<T> ASSAY_INLINE T quad_broadcast_first(T value) {
    ASSAY_USES_TYPED(T, "quad_permute", "air.quad_broadcast_first");
    const assay_exchange<T> lanes(value);
    return lanes[__builtin_ctz(lanes.active() & (15u << (lanes.lane() & 28)))];
}
ASSAY_ELEMENTWISE(simd_broadcast_first)
ASSAY_ELEMENTWISE(quad_broadcast_first)

struct simd_vote {
    typedef ulong vote_t;
    vote_t mask;
    ASSAY_INLINE explicit constexpr simd_vote(vote_t m = 0) : mask(m) {}
    ASSAY_INLINE explicit constexpr operator vote_t() const { return mask; }
    ASSAY_INLINE constexpr bool all() const { return (uint)mask == ~0u; }
    ASSAY_INLINE constexpr bool any() const { return mask != 0; }
};
struct assay_ballot {
    uint votes, active;
};
ASSAY_INLINE assay_ballot assay_vote(bool vote) {
    ASSAY_USES("simd_permute", "air.simd_ballot.i64");
    const assay_exchange<uchar> lanes(vote);
    uint votes = 0;
    for (uint m = lanes.active(); m; m &= m - 1)
        votes |= (uint)(lanes[__builtin_ctz(m)] != 0) << __builtin_ctz(m);
    return {votes, lanes.active()};
}
ASSAY_INLINE simd_vote simd_ballot(bool vote) { return simd_vote(assay_vote(vote).votes); }
ASSAY_INLINE simd_vote simd_active_threads_mask() { return simd_vote(assay_vote(true).votes); }
ASSAY_INLINE bool simd_any(bool vote) { return assay_vote(vote).votes != 0; }
ASSAY_INLINE bool simd_all(bool vote) { return assay_vote(!vote).votes == 0; }
ASSAY_INLINE bool simd_is_first() { return assay_lane() == (uint)__builtin_ctz(assay_vote(true).active); }

} // namespace metal
