// Atomic types and functions.
#pragma once
#pragma clang system_header
#include "sync.h"
#include "math.h"

namespace metal {

/// Aligned explicitly: vectors may lie anywhere (-fmax-type-align=1), atomics may not.
template <class T> struct alignas(sizeof(T)) atomic {
    T value;
};
template <class T> using _atomic = atomic<T>;
typedef atomic<int> atomic_int;
typedef atomic<uint> atomic_uint;
typedef atomic<bool> atomic_bool;
typedef atomic<float> atomic_float;
typedef atomic<ulong> atomic_ulong;

template <class T> ASSAY_INLINE void assay_atomic_feature() {
    if constexpr (is_same_v<T, float>)
        ASSAY_USES("float_atomics", "air.atomic.global.add.f32");
    else if constexpr (sizeof(T) == 8)
        ASSAY_USES("atomics_64bit", "air.atomic.global.max.u.i64");
}

template <class T> ASSAY_INLINE void atomic_store_explicit(volatile atomic<T>* p, assay_exactly<T> v, memory_order) {
    __atomic_store(&p->value, &v, __ATOMIC_RELAXED);
}
template <class T> ASSAY_INLINE T atomic_load_explicit(const volatile atomic<T>* p, memory_order) {
    T v;
    __atomic_load(&p->value, &v, __ATOMIC_RELAXED);
    return v;
}
template <class T>
ASSAY_INLINE T atomic_exchange_explicit(volatile atomic<T>* p, assay_exactly<T> v, memory_order) {
    T old;
    __atomic_exchange(&p->value, &v, &old, __ATOMIC_RELAXED);
    return old;
}
template <class T>
ASSAY_INLINE bool atomic_compare_exchange_weak_explicit(volatile atomic<T>* p, T* expected, assay_exactly<T> v,
                                                        memory_order, memory_order) {
    return __atomic_compare_exchange(&p->value, expected, &v, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}
template <class T, class F> ASSAY_INLINE T assay_atomic_update(volatile atomic<T>* p, F f) {
    assay_atomic_feature<T>();
    T old = p->value, next;
    do
        next = f(old);
    while (!__atomic_compare_exchange(&p->value, &old, &next, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return old;
}
// As on the hardware: 64-bit atomics know only minimum and maximum, and return nothing; float knows only sums.
#define ASSAY_ATOMIC(name, types, expression)                                                                   \
    template <class T> requires(types)                                                                          \
    ASSAY_INLINE T atomic_fetch_##name##_explicit(volatile atomic<T>* p, assay_exactly<T> v, memory_order) { \
        return assay_atomic_update(p, [v](T old) { return (T)(expression); });                                  \
    }
ASSAY_ATOMIC(add, sizeof(T) == 4, old + v)
ASSAY_ATOMIC(sub, sizeof(T) == 4, old - v)
ASSAY_ATOMIC(max, sizeof(T) == 4 && is_integral_v<T>, old > v ? old : v)
ASSAY_ATOMIC(min, sizeof(T) == 4 && is_integral_v<T>, old < v ? old : v)
ASSAY_ATOMIC(and, is_integral_v<T> && sizeof(T) == 4, old & v)
ASSAY_ATOMIC(or, is_integral_v<T> && sizeof(T) == 4, old | v)
ASSAY_ATOMIC(xor, is_integral_v<T> && sizeof(T) == 4, old ^ v)
ASSAY_INLINE void atomic_max_explicit(volatile atomic_ulong* p, ulong v, memory_order) {
    assay_atomic_update(p, [v](ulong old) { return max(old, v); });
}
ASSAY_INLINE void atomic_min_explicit(volatile atomic_ulong* p, ulong v, memory_order) {
    assay_atomic_update(p, [v](ulong old) { return min(old, v); });
}

} // namespace metal
