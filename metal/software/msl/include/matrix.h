// matrix<T, columns, rows>, stored by columns.
#pragma once
#pragma clang system_header
#include "vector.h"

namespace metal {

template <class T, int C, int R> struct matrix {
    vec<T, R> columns[C];
    matrix() = default;
    template <class U> requires AssayScalar<U> ASSAY_INLINE explicit matrix(U diagonal) {
        for (int i = 0; i < C; ++i) {
            columns[i] = vec<T, R>((T)0);
            if (i < R)
                columns[i].native[i] = (T)diagonal;
        }
    }
    template <class U> ASSAY_INLINE explicit matrix(const matrix<U, C, R>& o) {
        for (int i = 0; i < C; ++i)
            columns[i] = vec<T, R>(o.columns[i]);
    }
    template <class... A> requires(sizeof...(A) == C && (is_same_v<A, vec<T, R>> && ...))
    ASSAY_INLINE matrix(A... a) : columns{a...} {}
    template <class... A> requires(sizeof...(A) == C * R && (AssayScalar<A> && ...)) ASSAY_INLINE matrix(A... a) {
        const T all[] = {(T)a...};
        for (int i = 0; i < C * R; ++i)
            columns[i / R].native[i % R] = all[i];
    }
    ASSAY_INLINE vec<T, R>& operator[](int i) { return columns[i]; }
    ASSAY_INLINE const vec<T, R>& operator[](int i) const { return columns[i]; }
};

template <class T, int C, int R> ASSAY_INLINE matrix<T, C, R> operator+(matrix<T, C, R> a, matrix<T, C, R> b) {
    for (int i = 0; i < C; ++i)
        a[i] += b[i];
    return a;
}
template <class T, int C, int R> ASSAY_INLINE matrix<T, C, R> operator-(matrix<T, C, R> a, matrix<T, C, R> b) {
    for (int i = 0; i < C; ++i)
        a[i] -= b[i];
    return a;
}
template <class T, int C, int R, class U> requires AssayScalar<U>
ASSAY_INLINE matrix<T, C, R> operator*(matrix<T, C, R> a, U b) {
    for (int i = 0; i < C; ++i)
        a[i] *= b;
    return a;
}
template <class T, int C, int R, class U> requires AssayScalar<U>
ASSAY_INLINE matrix<T, C, R> operator*(U b, matrix<T, C, R> a) { return a * b; }
template <class T, int C, int R> ASSAY_INLINE vec<T, R> operator*(matrix<T, C, R> a, vec<T, C> b) {
    vec<T, R> r = a[0] * (T)b.native[0];
    for (int i = 1; i < C; ++i)
        r += a[i] * (T)b.native[i];
    return r;
}
template <class T, int C, int R> ASSAY_INLINE vec<T, C> operator*(vec<T, R> a, matrix<T, C, R> b) {
    vec<T, C> r;
    for (int i = 0; i < C; ++i) {
        T sum = (T)(a.native[0] * b[i].native[0]);
        for (int k = 1; k < R; ++k)
            sum += a.native[k] * b[i].native[k];
        r.native[i] = sum;
    }
    return r;
}
template <class T, int C, int R, int K>
ASSAY_INLINE matrix<T, K, R> operator*(matrix<T, C, R> a, matrix<T, K, C> b) {
    matrix<T, K, R> r;
    for (int i = 0; i < K; ++i)
        r[i] = a * b[i];
    return r;
}
template <class T, int C, int R> ASSAY_INLINE matrix<T, R, C> transpose(matrix<T, C, R> a) {
    matrix<T, R, C> r;
    for (int i = 0; i < C; ++i)
        for (int k = 0; k < R; ++k)
            r[k].native[i] = a[i].native[k];
    return r;
}

} // namespace metal

#define ASSAY_MATRIX_ROWS(type, C)                                                                              \
    typedef metal::matrix<type, C, 2> type##C##x2;                                                              \
    typedef metal::matrix<type, C, 3> type##C##x3;                                                              \
    typedef metal::matrix<type, C, 4> type##C##x4;
#define ASSAY_MATRIX_NAMES(type) ASSAY_MATRIX_ROWS(type, 2) ASSAY_MATRIX_ROWS(type, 3) ASSAY_MATRIX_ROWS(type, 4)
ASSAY_MATRIX_NAMES(float) ASSAY_MATRIX_NAMES(half)
