// simdgroup_matrix: lane 0 holds the whole 8x8 matrix, the other lanes skip its operations.
#pragma once
#pragma clang system_header
#include "simd.h"

namespace metal {

typedef float assay_row __attribute__((ext_vector_type(8)));
template <class T> using assay_row_of = T __attribute__((ext_vector_type(8)));
template <class T> struct assay_memory_row { typedef T type __attribute__((ext_vector_type(8), aligned(sizeof(T)))); };

template <class T> ASSAY_INLINE assay_row assay_round(assay_row row) {
    if constexpr (is_same_v<T, float>)
        return row;
    else
        return __builtin_convertvector(__builtin_convertvector(row, assay_row_of<T>), assay_row);
}

/// The lane, read by an instruction that carries the record of the feature: unlike ASSAY_USES it is not volatile, so
/// loops around matrix operations optimise as if it were not there, and it goes when nothing is left that needs it.
#define ASSAY_MATRIX_LANE(intrinsic)                                                                            \
    ({                                                                                                          \
        uint lane_;                                                                                             \
        asm("movl %c1(%2),%0\n.pushsection assay_features,\"a\",@progbits\n.asciz \"simdgroup_matrix " intrinsic \
            "\"\n.popsection"                                                                                   \
            : "=r"(lane_)                                                                                       \
            : "i"(__builtin_offsetof(assay_fiber, lane)), "r"(assay_self_fiber()));                             \
        lane_;                                                                                                  \
    })

/// Rows are kept as float for all element types, rounded to T whenever a value is produced. thread_elements() makes the
/// matrix `distributed`: each lane then holds the two elements that it holds on the hardware.
template <class T, int C, int R> struct simdgroup_matrix {
    static_assert(C == 8 && R == 8, "only 8x8 matrices exist");
    alignas(32) assay_row rows[8];
    vec<T, 2> elements;
    bool distributed = false;

    ASSAY_INLINE simdgroup_matrix() : distributed(true) {}
    ASSAY_INLINE explicit simdgroup_matrix(T diagonal) {
        if (!ASSAY_MATRIX_LANE("air.simdgroup_matrix_8x8_init_diag"))
            for (int i = 0; i < 8; ++i) {
                rows[i] = (assay_row)0.f;
                rows[i][i] = (float)diagonal;
            }
    }
    ASSAY_INLINE simdgroup_matrix(const simdgroup_matrix& o) : elements(o.elements), distributed(o.distributed) {
        copy_rows(o);
    }
    ASSAY_INLINE simdgroup_matrix& operator=(const simdgroup_matrix& o) {
        elements = o.elements;
        distributed = o.distributed;
        copy_rows(o);
        return *this;
    }
    /// The first of the two neighbours in a row that this lane holds: the mapping of Apple's hardware.
    static constexpr ASSAY_INLINE uint element_of(uint lane) {
        const uint quad = lane / 4;
        return ((quad & 4) + lane / 2 % 4) * 8 + (quad & 2) * 2 + lane % 2 * 2;
    }
    ASSAY_INLINE vec<T, 2>& thread_elements() {
        if (!distributed)
            distribute();
        return elements;
    }
    ASSAY_INLINE const vec<T, 2>& thread_elements() const {
        return const_cast<simdgroup_matrix*>(this)->thread_elements();
    }
    ASSAY_INLINE void deposit(float* to, uint lane) const {
        if (distributed) {
            to[element_of(lane)] = (float)elements.native[0];
            to[element_of(lane) + 1] = (float)elements.native[1];
        } else if (!lane) {
            for (int i = 0; i < 8; ++i)
                ((assay_row*)to)[i] = rows[i];
        }
    }
    ASSAY_INLINE void take_elements(const float* from, uint lane) {
        elements.native[0] = (T)from[element_of(lane)];
        elements.native[1] = (T)from[element_of(lane) + 1];
        distributed = true;
    }
    ASSAY_INLINE void gather() {
        if (!distributed)
            return;
        assay_simdgroup* group = assay_self_fiber()->simdgroup;
        const uint lane = assay_lane();
        deposit(group->matrix[group->next_buffer], lane);
        const assay_exchange<uchar> meeting(0);
        if (!lane)
            for (int i = 0; i < 8; ++i)
                rows[i] = ((assay_row*)group->matrix[meeting.buffer])[i];
        distributed = false;
    }

  private:
    ASSAY_INLINE void copy_rows(const simdgroup_matrix& o) {
        if (!assay_lane())
            for (int i = 0; i < 8; ++i)
                rows[i] = o.rows[i];
    }
    ASSAY_INLINE void distribute() {
        assay_simdgroup* group = assay_self_fiber()->simdgroup;
        const uint lane = assay_lane();
        deposit(group->matrix[group->next_buffer], lane);
        const assay_exchange<uchar> meeting(0);
        take_elements(group->matrix[meeting.buffer], lane);
    }
};
typedef simdgroup_matrix<float, 8, 8> simdgroup_float8x8;
typedef simdgroup_matrix<half, 8, 8> simdgroup_half8x8;
typedef simdgroup_matrix<bfloat, 8, 8> simdgroup_bfloat8x8;

template <class T, int C, int R = C> ASSAY_INLINE simdgroup_matrix<T, C, R> make_filled_simdgroup_matrix(T value) {
    simdgroup_matrix<T, C, R> m;
    m.distributed = false;
    if (!ASSAY_MATRIX_LANE("air.simdgroup_matrix_8x8_init_filled"))
        for (int i = 0; i < 8; ++i)
            m.rows[i] = (assay_row)(float)value;
    return m;
}
template <class T, int C, int R>
ASSAY_INLINE void simdgroup_load(simdgroup_matrix<T, C, R>& m, const T* from, ulong stride = 8,
                                 vec<ulong, 2> origin = vec<ulong, 2>(0ul), bool transposed = false) {
    m.distributed = false;
    if (ASSAY_MATRIX_LANE("air.simdgroup_matrix_8x8_load"))
        return;
    from += transposed ? origin.x * stride + origin.y : origin.y * stride + origin.x;
    if (!transposed) {
        for (int i = 0; i < 8; ++i)
            m.rows[i] = __builtin_convertvector(*(const typename assay_memory_row<T>::type*)(from + i * stride), assay_row);
    } else {
        for (int i = 0; i < 8; ++i)
            for (int k = 0; k < 8; ++k)
                m.rows[k][i] = (float)from[i * stride + k];
    }
}
template <class T, int C, int R>
ASSAY_INLINE void simdgroup_store(simdgroup_matrix<T, C, R> m, T* to, ulong stride = 8,
                                  vec<ulong, 2> origin = vec<ulong, 2>(0ul), bool transposed = false) {
    m.gather();
    if (ASSAY_MATRIX_LANE("air.simdgroup_matrix_8x8_store"))
        return;
    to += transposed ? origin.x * stride + origin.y : origin.y * stride + origin.x;
    if (!transposed) {
        for (int i = 0; i < 8; ++i)
            *(typename assay_memory_row<T>::type*)(to + i * stride) = __builtin_convertvector(m.rows[i], assay_row_of<T>);
    } else {
        for (int i = 0; i < 8; ++i)
            for (int k = 0; k < 8; ++k)
                to[i * stride + k] = (T)m.rows[k][i];
    }
}

/// d = a * b + c, rounded once to D at the end.
template <class D, bool Accumulate>
ASSAY_INLINE void assay_multiply(assay_row* d, const assay_row* a, const assay_row* b, const assay_row* c) {
    assay_row right[8];
#pragma clang loop unroll(full)
    for (int k = 0; k < 8; ++k)
        right[k] = b[k];
#pragma clang loop unroll(full)
    for (int i = 0; i < 8; ++i) {
        assay_row sum = Accumulate ? c[i] : (assay_row)0.f;
        const float* left = (const float*)(a + i);
#pragma clang loop unroll(full)
        for (int k = 0; k < 8; ++k)
            sum = __builtin_elementwise_fma((assay_row)left[k], right[k], sum);
        d[i] = assay_round<D>(sum);
    }
}
template <class D, class A, class B, class E>
ASSAY_INLINE void simdgroup_multiply_accumulate(simdgroup_matrix<D, 8, 8>& d, simdgroup_matrix<A, 8, 8>& a,
                                                simdgroup_matrix<B, 8, 8>& b, simdgroup_matrix<E, 8, 8>& c) {
    const uint lane = ASSAY_MATRIX_LANE("air.simdgroup_matrix_8x8_multiply_accumulate");
    if (a.distributed || b.distributed || c.distributed) {
        // One rendezvous for all: everybody deposits, the leader multiplies, everybody takes its elements.
        assay_simdgroup* group = assay_self_fiber()->simdgroup;
        auto& operand = group->operand[group->next_buffer];
        a.deposit(operand[0], lane);
        b.deposit(operand[1], lane);
        c.deposit(operand[2], lane);
        const assay_exchange<uchar> meeting(0);
        float* product = group->matrix[meeting.buffer];
        const auto& from = group->operand[meeting.buffer];
        if (meeting.led)
            assay_multiply<D, true>((assay_row*)product, (const assay_row*)from[0], (const assay_row*)from[1],
                                    (const assay_row*)from[2]);
        d.take_elements(product, lane);
        return;
    }
    d.distributed = false;
    if (!lane)
        assay_multiply<D, true>(d.rows, a.rows, b.rows, c.rows);
}
template <class D, class A, class B>
ASSAY_INLINE void simdgroup_multiply(simdgroup_matrix<D, 8, 8>& d, simdgroup_matrix<A, 8, 8>& a,
                                     simdgroup_matrix<B, 8, 8>& b) {
    a.gather();
    b.gather();
    d.distributed = false;
    if (!ASSAY_MATRIX_LANE("air.simdgroup_matrix_8x8_multiply"))
        assay_multiply<D, false>(d.rows, a.rows, b.rows, a.rows);
}
template <class T>
ASSAY_INLINE simdgroup_matrix<T, 8, 8> operator*(simdgroup_matrix<T, 8, 8> a, simdgroup_matrix<T, 8, 8> b) {
    simdgroup_matrix<T, 8, 8> d;
    simdgroup_multiply(d, a, b);
    return d;
}

} // namespace metal
