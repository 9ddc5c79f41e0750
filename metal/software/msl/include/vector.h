// vec<T, N> and packed_vec<T, N> with their operators. Swizzles are properties (swizzle.h, generated).
#pragma once
#pragma clang system_header
#include "scalar.h"
#include "swizzle.h"

namespace metal {

template <class T, int N> struct vec;
template <class T, int N> struct packed_vec;
template <class T> using assay_storage = conditional_t<is_same_v<T, bool>, uchar, T>;
template <class T> inline constexpr int assay_elements = 1;
template <class T, int N> inline constexpr int assay_elements<vec<T, N>> = N;
template <class T, int N> inline constexpr int assay_elements<packed_vec<T, N>> = N;

#define ASSAY_VECTOR(N, ...)                                                                                    \
    template <class T> struct vec<T, N> {                                                                       \
        typedef assay_storage<T> Element;                                                                       \
        typedef Element Native __attribute__((ext_vector_type(N)));                                             \
        union {                                                                                                 \
            Native native;                                                                                      \
            __VA_ARGS__                                                                                         \
        };                                                                                                      \
        ASSAY_SWIZZLES_##N;                                                                                     \
        vec() = default;                                                                                        \
        constexpr vec(const vec&) = default;                                                                    \
        constexpr vec& operator=(const vec&) = default;                                                         \
        template <class U> requires AssayScalar<U>                                                              \
        ASSAY_INLINE constexpr vec(U s) : native((Native)(Element)assay_convert<T>(s)) {}                       \
        template <class U> ASSAY_INLINE explicit constexpr vec(const vec<U, N>& o) : native{} {                 \
            for (int i = 0; i < N; ++i)                                                                         \
                native[i] = (Element)assay_convert<T>((U)o.native[i]);                                          \
        }                                                                                                       \
        template <class U> ASSAY_INLINE explicit constexpr vec(const packed_vec<U, N>& o) : vec(vec<U, N>(o)) {} \
        template <class A, class B, class... C>                                                                 \
            requires(assay_elements<A> + assay_elements<B> + (0 + ... + assay_elements<C>) == N)                \
        ASSAY_INLINE constexpr vec(A a, B b, C... c) : native{} {                                               \
            int i = 0;                                                                                          \
            append(i, a);                                                                                       \
            append(i, b);                                                                                       \
            (append(i, c), ...);                                                                                \
        }                                                                                                       \
        ASSAY_INLINE static constexpr vec of(Native n) {                                                        \
            vec r;                                                                                              \
            r.native = n;                                                                                       \
            return r;                                                                                           \
        }                                                                                                       \
        ASSAY_INLINE T& operator[](int i) { return ((T*)&native)[i]; }                                          \
        ASSAY_INLINE constexpr T operator[](int i) const { return (T)native[i]; }                               \
                                                                                                                \
      private:                                                                                                  \
        template <class U> requires AssayScalar<U> ASSAY_INLINE constexpr void append(int& i, U s) {            \
            native[i++] = (Element)assay_convert<T>(s);                                                         \
        }                                                                                                       \
        template <class U, int M> ASSAY_INLINE constexpr void append(int& i, vec<U, M> s) {                     \
            for (int k = 0; k < M; ++k)                                                                         \
                native[i++] = (Element)assay_convert<T>((U)s.native[k]);                                        \
        }                                                                                                       \
        template <class U, int M> ASSAY_INLINE constexpr void append(int& i, packed_vec<U, M> s) {              \
            append(i, vec<U, M>(s));                                                                            \
        }                                                                                                       \
    };
ASSAY_VECTOR(2, struct { T x, y; }; struct { T r, g; };)
ASSAY_VECTOR(3, struct { T x, y, z; }; struct { T r, g, b; };)
ASSAY_VECTOR(4, struct { T x, y, z, w; }; struct { T r, g, b, a; };)

#define ASSAY_OPERATOR(op)                                                                                      \
    template <class T, int N> ASSAY_INLINE vec<T, N> operator op(vec<T, N> a, vec<T, N> b) {                    \
        return vec<T, N>::of(a.native op b.native);                                                             \
    }                                                                                                           \
    template <class T, int N, class U> requires AssayScalar<U>                                                  \
    ASSAY_INLINE vec<T, N> operator op(vec<T, N> a, U b) { return a op vec<T, N>(b); }                          \
    template <class T, int N, class U> requires AssayScalar<U>                                                  \
    ASSAY_INLINE vec<T, N> operator op(U a, vec<T, N> b) { return vec<T, N>(a) op b; }                          \
    template <class T, int N, class U> ASSAY_INLINE vec<T, N>& operator op##=(vec<T, N>& a, U b) {              \
        a = a op vec<T, N>(b);                                                                                  \
        return a;                                                                                               \
    }
ASSAY_OPERATOR(+) ASSAY_OPERATOR(-) ASSAY_OPERATOR(*) ASSAY_OPERATOR(/) ASSAY_OPERATOR(%)
ASSAY_OPERATOR(&) ASSAY_OPERATOR(|) ASSAY_OPERATOR(^) ASSAY_OPERATOR(<<) ASSAY_OPERATOR(>>)
template <class T, int N> ASSAY_INLINE vec<T, N> operator-(vec<T, N> a) { return vec<T, N>::of(-a.native); }
template <class T, int N> ASSAY_INLINE vec<T, N> operator~(vec<T, N> a) { return vec<T, N>::of(~a.native); }
template <class T, int N> ASSAY_INLINE vec<bool, N> operator!(vec<T, N> a) { return a == vec<T, N>((T)0); }
template <class T, int N> ASSAY_INLINE vec<T, N>& operator++(vec<T, N>& a) { return a += (T)1; }
template <class T, int N> ASSAY_INLINE vec<T, N>& operator--(vec<T, N>& a) { return a -= (T)1; }

#define ASSAY_COMPARISON(op)                                                                                    \
    template <class T, int N> ASSAY_INLINE vec<bool, N> operator op(vec<T, N> a, vec<T, N> b) {                 \
        return vec<bool, N>::of(__builtin_convertvector(-(a.native op b.native), typename vec<bool, N>::Native)); \
    }                                                                                                           \
    template <class T, int N, class U> requires AssayScalar<U>                                                  \
    ASSAY_INLINE vec<bool, N> operator op(vec<T, N> a, U b) { return a op vec<T, N>(b); }                       \
    template <class T, int N, class U> requires AssayScalar<U>                                                  \
    ASSAY_INLINE vec<bool, N> operator op(U a, vec<T, N> b) { return vec<T, N>(a) op b; }
ASSAY_COMPARISON(<) ASSAY_COMPARISON(>) ASSAY_COMPARISON(<=)
ASSAY_COMPARISON(>=) ASSAY_COMPARISON(==) ASSAY_COMPARISON(!=)
template <int N> ASSAY_INLINE vec<bool, N> operator&&(vec<bool, N> a, vec<bool, N> b) { return a & b; }
template <int N> ASSAY_INLINE vec<bool, N> operator||(vec<bool, N> a, vec<bool, N> b) { return a | b; }

/// The same elements without padding or alignment beyond their own.
template <class T, int N> struct packed_vec {
    T elements[N];
    packed_vec() = default;
    ASSAY_INLINE packed_vec(vec<T, N> v) { *this = v; }
    template <class... A> requires(sizeof...(A) > 1) ASSAY_INLINE packed_vec(A... a) : packed_vec(vec<T, N>(a...)) {}
    ASSAY_INLINE packed_vec& operator=(vec<T, N> v) {
        for (int i = 0; i < N; ++i)
            elements[i] = (T)v.native[i];
        return *this;
    }
    ASSAY_INLINE operator vec<T, N>() const {
        vec<T, N> r;
        for (int i = 0; i < N; ++i)
            r.native[i] = elements[i];
        return r;
    }
    ASSAY_INLINE T& operator[](int i) { return elements[i]; }
    ASSAY_INLINE T operator[](int i) const { return elements[i]; }
};

/// Applies `f` to each element; the building block of everything without a vector instruction.
template <class T, int N, class F> ASSAY_INLINE auto assay_map(vec<T, N> a, F f) {
    vec<decltype(f(T())), N> r;
    for (int i = 0; i < N; ++i)
        r.native[i] = f((T)a.native[i]);
    return r;
}
template <class T, int N, class F> ASSAY_INLINE auto assay_map(vec<T, N> a, vec<T, N> b, F f) {
    vec<decltype(f(T(), T())), N> r;
    for (int i = 0; i < N; ++i)
        r.native[i] = f((T)a.native[i], (T)b.native[i]);
    return r;
}

} // namespace metal

#define ASSAY_VECTOR_NAMES(type)                                                                                \
    typedef metal::vec<type, 2> type##2;                                                                        \
    typedef metal::vec<type, 3> type##3;                                                                        \
    typedef metal::vec<type, 4> type##4;                                                                        \
    typedef metal::packed_vec<type, 2> packed_##type##2;                                                        \
    typedef metal::packed_vec<type, 3> packed_##type##3;                                                        \
    typedef metal::packed_vec<type, 4> packed_##type##4;
ASSAY_VECTOR_NAMES(bool) ASSAY_VECTOR_NAMES(char) ASSAY_VECTOR_NAMES(uchar) ASSAY_VECTOR_NAMES(short)
ASSAY_VECTOR_NAMES(ushort) ASSAY_VECTOR_NAMES(int) ASSAY_VECTOR_NAMES(uint) ASSAY_VECTOR_NAMES(long)
ASSAY_VECTOR_NAMES(ulong) ASSAY_VECTOR_NAMES(half) ASSAY_VECTOR_NAMES(bfloat) ASSAY_VECTOR_NAMES(float)
