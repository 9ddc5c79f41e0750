// Mathematical, common, relational, integer and geometric functions on scalars and vectors.
#pragma once
#pragma clang system_header
#include "matrix.h"

namespace metal {

template <class T> concept AssayFloat = is_floating_point_v<T>;
template <class T> concept AssayInteger = is_integral_v<T>;

// Computed in float and rounded to the argument's type.
#define ASSAY_UNARY(name, expression)                                                                           \
    template <class T> requires AssayFloat<T> ASSAY_INLINE T name(T argument) {                                 \
        const float x = (float)argument;                                                                        \
        return (T)(expression);                                                                                 \
    }                                                                                                           \
    template <class T> requires AssayInteger<T> ASSAY_INLINE float name(T argument) { return name((float)argument); } \
    template <class T, int N> ASSAY_INLINE vec<T, N> name(vec<T, N> a) {                                        \
        return assay_map(a, [](T x) { return name(x); });                                                       \
    }
#define ASSAY_UNARIES                                                                                           \
    ASSAY_UNARY(sqrt, __builtin_sqrtf(x)) ASSAY_UNARY(rsqrt, 1.f / __builtin_sqrtf(x))                          \
    ASSAY_UNARY(exp, __builtin_expf(x)) ASSAY_UNARY(exp2, __builtin_exp2f(x))                                   \
    ASSAY_UNARY(exp10, __builtin_exp2f(x * 3.321928094887362f)) ASSAY_UNARY(log, __builtin_logf(x))             \
    ASSAY_UNARY(log2, __builtin_log2f(x)) ASSAY_UNARY(log10, __builtin_log10f(x))                               \
    ASSAY_UNARY(sin, __builtin_sinf(x)) ASSAY_UNARY(cos, __builtin_cosf(x)) ASSAY_UNARY(tan, __builtin_tanf(x)) \
    ASSAY_UNARY(asin, __builtin_asinf(x)) ASSAY_UNARY(acos, __builtin_acosf(x))                                 \
    ASSAY_UNARY(atan, __builtin_atanf(x)) ASSAY_UNARY(sinh, __builtin_sinhf(x))                                 \
    ASSAY_UNARY(cosh, __builtin_coshf(x)) ASSAY_UNARY(tanh, __builtin_tanhf(x))                                 \
    ASSAY_UNARY(asinh, __builtin_asinhf(x)) ASSAY_UNARY(acosh, __builtin_acoshf(x))                             \
    ASSAY_UNARY(atanh, __builtin_atanhf(x)) ASSAY_UNARY(floor, __builtin_floorf(x))                             \
    ASSAY_UNARY(ceil, __builtin_ceilf(x)) ASSAY_UNARY(trunc, __builtin_truncf(x))                               \
    ASSAY_UNARY(round, __builtin_roundf(x)) ASSAY_UNARY(rint, __builtin_rintf(x))                               \
    ASSAY_UNARY(fabs, __builtin_fabsf(x)) ASSAY_UNARY(sinpi, __builtin_sinf(x * M_PI_F))                        \
    ASSAY_UNARY(cospi, __builtin_cosf(x * M_PI_F)) ASSAY_UNARY(tanpi, __builtin_tanf(x * M_PI_F))               \
    ASSAY_UNARY(fract, __builtin_fminf(x - __builtin_floorf(x), 0x1.fffffep-1f))                                \
    ASSAY_UNARY(sign, x > 0 ? 1.f : x < 0 ? -1.f : 0.f) ASSAY_UNARY(saturate, __builtin_fminf(__builtin_fmaxf(x, 0.f), 1.f))

/// The same function of two vectors, and of a vector and a scalar in either order.
#define ASSAY_LIFT_BINARY(name)                                                                                 \
    template <class T, int N> ASSAY_INLINE vec<T, N> name(vec<T, N> a, vec<T, N> b) {                           \
        return assay_map(a, b, [](T x, T y) { return (T)name(x, y); });                                         \
    }                                                                                                           \
    template <class T, int N, class U> requires AssayScalar<U> ASSAY_INLINE vec<T, N> name(vec<T, N> a, U b) {  \
        return name(a, vec<T, N>(b));                                                                           \
    }                                                                                                           \
    template <class T, int N, class U> requires AssayScalar<U> ASSAY_INLINE vec<T, N> name(U a, vec<T, N> b) {  \
        return name(vec<T, N>(a), b);                                                                           \
    }
#define ASSAY_BINARY(name, expression)                                                                          \
    template <class A, class B> requires(AssayScalar<A> && AssayScalar<B>) ASSAY_INLINE auto name(A a, B b) {   \
        typedef assay_common<A, B> Common;                                                                      \
        typedef conditional_t<is_integral_v<Common>, float, Common> Type;                                       \
        const float x = (float)a, y = (float)b;                                                                 \
        return (Type)(expression);                                                                              \
    }                                                                                                           \
    ASSAY_LIFT_BINARY(name)
#define ASSAY_BINARIES                                                                                          \
    ASSAY_BINARY(pow, __builtin_powf(x, y)) ASSAY_BINARY(powr, __builtin_powf(x, y))                            \
    ASSAY_BINARY(fmod, __builtin_fmodf(x, y)) ASSAY_BINARY(atan2, __builtin_atan2f(x, y))                       \
    ASSAY_BINARY(copysign, __builtin_copysignf(x, y)) ASSAY_BINARY(step, y < x ? 0.f : 1.f)                     \
    ASSAY_BINARY(fdim, x > y ? x - y : 0.f) ASSAY_BINARY(divide, x / y)                                         \
    ASSAY_BINARY(fmax, __builtin_fmaxf(x, y)) ASSAY_BINARY(fmin, __builtin_fminf(x, y))

ASSAY_UNARIES
ASSAY_BINARIES

#define ASSAY_EXTREMUM(name, op)                                                                                \
    template <class A, class B> requires(AssayScalar<A> && AssayScalar<B>)                                      \
    ASSAY_INLINE constexpr assay_common<A, B> name(A a, B b) {                                                  \
        const assay_common<A, B> x = a, y = b;                                                                  \
        if constexpr (is_floating_point_v<assay_common<A, B>>) /* the other one when one is not a number */     \
            return x op y || y != y ? x : y;                                                                    \
        else                                                                                                    \
            return x op y ? x : y;                                                                              \
    }                                                                                                           \
    ASSAY_LIFT_BINARY(name)
ASSAY_EXTREMUM(max, >)
ASSAY_EXTREMUM(min, <)
template <class A, class B, class C> ASSAY_INLINE auto max3(A a, B b, C c) { return max(max(a, b), c); }
template <class A, class B, class C> ASSAY_INLINE auto min3(A a, B b, C c) { return min(min(a, b), c); }
template <class A, class B, class C> ASSAY_INLINE auto clamp(A a, B b, C c) { return min(max(a, b), c); }

template <class T> requires AssayScalar<T> ASSAY_INLINE T abs(T x) { return x < (T)0 ? (T)-x : x; }
template <class T, int N> ASSAY_INLINE vec<T, N> abs(vec<T, N> a) {
    return assay_map(a, [](T x) { return abs(x); });
}
template <class A, class B, class C> requires(AssayScalar<A> && AssayScalar<B> && AssayScalar<C>)
ASSAY_INLINE auto fma(A a, B b, C c) {
    typedef assay_common<A, assay_common<B, C>> T;
    return (conditional_t<is_integral_v<T>, float, T>)__builtin_fmaf((float)a, (float)b, (float)c);
}
template <class T, int N> ASSAY_INLINE vec<T, N> fma(vec<T, N> a, vec<T, N> b, vec<T, N> c) {
    return vec<T, N>::of(__builtin_elementwise_fma(a.native, b.native, c.native));
}
template <class A, class B, class C> ASSAY_INLINE auto mad(A a, B b, C c) { return fma(a, b, c); }
template <class A, class B, class T> ASSAY_INLINE auto mix(A a, B b, T t) { return a + (b - a) * t; }
template <class A, class B, class T> ASSAY_INLINE auto smoothstep(A a, B b, T x) {
    const auto t = clamp((x - a) / (b - a), (A)0, (A)1);
    return t * t * ((A)3 - (A)2 * t);
}
template <class T> requires AssayScalar<T> ASSAY_INLINE T select(T a, T b, bool c) { return c ? b : a; }
template <class T, int N> ASSAY_INLINE vec<T, N> select(vec<T, N> a, vec<T, N> b, vec<bool, N> c) {
    vec<T, N> r;
    for (int i = 0; i < N; ++i)
        r.native[i] = c.native[i] ? b.native[i] : a.native[i];
    return r;
}

// Bits are tested, so that no assumption of the optimiser about numbers applies.
ASSAY_INLINE bool isnan(float x) { return (as_type<uint>(x) & 0x7fffffff) > 0x7f800000; }
ASSAY_INLINE bool isinf(float x) { return (as_type<uint>(x) & 0x7fffffff) == 0x7f800000; }
ASSAY_INLINE bool isfinite(float x) { return (as_type<uint>(x) & 0x7fffffff) < 0x7f800000; }
ASSAY_INLINE bool signbit(float x) { return as_type<uint>(x) >> 31; }
#define ASSAY_CLASSIFY(name)                                                                                    \
    template <class T, int N> ASSAY_INLINE vec<bool, N> name(vec<T, N> a) {                                     \
        return assay_map(a, [](T x) { return name((float)x); });                                                \
    }
ASSAY_CLASSIFY(isnan) ASSAY_CLASSIFY(isinf) ASSAY_CLASSIFY(isfinite) ASSAY_CLASSIFY(signbit)
ASSAY_INLINE bool any(bool b) { return b; }
ASSAY_INLINE bool all(bool b) { return b; }
template <int N> ASSAY_INLINE bool any(vec<bool, N> a) {
    bool r = false;
    for (int i = 0; i < N; ++i)
        r |= a.native[i] != 0;
    return r;
}
template <int N> ASSAY_INLINE bool all(vec<bool, N> a) { return !any(!a); }

template <class T> using assay_unsigned =
    conditional_t<sizeof(T) == 1, uchar, conditional_t<sizeof(T) == 2, ushort, conditional_t<sizeof(T) == 4, uint, ulong>>>;
#define ASSAY_BITS(name, expression)                                                                            \
    template <class T> requires AssayInteger<T> ASSAY_INLINE T name(T argument) {                               \
        constexpr int bits = sizeof(T) * 8;                                                                     \
        const ulong x = (assay_unsigned<T>)argument;                                                            \
        return (T)(expression);                                                                                 \
    }                                                                                                           \
    template <class T, int N> ASSAY_INLINE vec<T, N> name(vec<T, N> a) {                                        \
        return assay_map(a, [](T x) { return name(x); });                                                       \
    }
ASSAY_BITS(popcount, __builtin_popcountl(x))
ASSAY_BITS(clz, x ? __builtin_clzl(x) - (64 - bits) : bits)
ASSAY_BITS(ctz, x ? __builtin_ctzl(x) : bits)
ASSAY_BITS(reverse_bits, __builtin_bitreverse64(x) >> (64 - bits))
template <class T> requires AssayInteger<T> ASSAY_INLINE T rotate(T v, T n) {
    typedef assay_unsigned<T> U;
    constexpr int bits = sizeof(T) * 8;
    const int k = (int)n & (bits - 1);
    return k ? (T)(U)((U)v << k | (U)v >> (bits - k)) : v;
}
template <class T> requires AssayInteger<T> ASSAY_INLINE T extract_bits(T x, uint offset, uint bits) {
    constexpr uint width = sizeof(T) * 8;
    return bits ? (T)((T)(x << (width - bits - offset)) >> (width - bits)) : (T)0;
}
template <class T> requires AssayInteger<T> ASSAY_INLINE T insert_bits(T base, T insert, uint offset, uint bits) {
    constexpr uint width = sizeof(T) * 8;
    const T mask = bits >= width ? (T)~T(0) : (T)(((T(1) << bits) - 1) << offset);
    return (T)((base & ~mask) | ((insert << offset) & mask));
}
template <class T> requires AssayInteger<T> ASSAY_INLINE T mulhi(T a, T b) {
    typedef conditional_t<is_unsigned_v<T>, unsigned __int128, __int128> Wide;
    return (T)((Wide)a * (Wide)b >> sizeof(T) * 8);
}
template <class T> requires AssayInteger<T> ASSAY_INLINE T madhi(T a, T b, T c) { return (T)(mulhi(a, b) + c); }
template <class T> requires AssayInteger<T> ASSAY_INLINE assay_unsigned<T> absdiff(T a, T b) {
    return (assay_unsigned<T>)(a > b ? a - b : b - a);
}
template <class T> requires AssayInteger<T> ASSAY_INLINE T addsat(T a, T b) {
    T r;
    return __builtin_add_overflow(a, b, &r) ? (b < 0 ? numeric_limits<T>::min() : numeric_limits<T>::max()) : r;
}
template <class T> requires AssayInteger<T> ASSAY_INLINE T subsat(T a, T b) {
    T r;
    return __builtin_sub_overflow(a, b, &r) ? (is_unsigned_v<T> || b > 0 ? numeric_limits<T>::min() : numeric_limits<T>::max()) : r;
}
template <class T> requires AssayInteger<T> ASSAY_INLINE T hadd(T a, T b) { return (T)(((__int128)a + b) >> 1); }
template <class T> requires AssayInteger<T> ASSAY_INLINE T rhadd(T a, T b) { return (T)(((__int128)a + b + 1) >> 1); }

ASSAY_INLINE float ldexp(float x, int e) { return __builtin_ldexpf(x, e); }
ASSAY_INLINE float frexp(float x, int& e) { return __builtin_frexpf(x, &e); }
ASSAY_INLINE int ilogb(float x) { return __builtin_ilogbf(x); }
ASSAY_INLINE float modf(float x, float& whole) { return x - (whole = __builtin_truncf(x)); }
ASSAY_INLINE float sincos(float x, float& cosine) {
    cosine = __builtin_cosf(x);
    return __builtin_sinf(x);
}

template <class T, int N> ASSAY_INLINE T dot(vec<T, N> a, vec<T, N> b) {
    T sum = (T)(a.native[0] * b.native[0]);
    for (int i = 1; i < N; ++i)
        sum += a.native[i] * b.native[i];
    return sum;
}
template <class T, int N> ASSAY_INLINE T length_squared(vec<T, N> a) { return dot(a, a); }
template <class T, int N> ASSAY_INLINE T length(vec<T, N> a) { return sqrt(dot(a, a)); }
template <class T, int N> ASSAY_INLINE T distance(vec<T, N> a, vec<T, N> b) { return length(a - b); }
template <class T, int N> ASSAY_INLINE T distance_squared(vec<T, N> a, vec<T, N> b) { return length_squared(a - b); }
template <class T, int N> ASSAY_INLINE vec<T, N> normalize(vec<T, N> a) { return a * rsqrt(dot(a, a)); }
template <class T, int N> ASSAY_INLINE vec<T, N> reflect(vec<T, N> i, vec<T, N> n) { return i - (T)2 * dot(n, i) * n; }
template <class T> ASSAY_INLINE vec<T, 3> cross(vec<T, 3> a, vec<T, 3> b) {
    return vec<T, 3>(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

// One implementation serves all: it is the precise one.
namespace precise {
using namespace metal;
}
namespace fast {
using namespace metal;
}

} // namespace metal
