// Scalar types of Metal, their traits and limits.
#pragma once
#pragma clang system_header
#include <stddef.h>
#include <stdint.h>

typedef _Float16 half;
typedef __bf16 bfloat;
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;

#define ASSAY_INLINE inline __attribute__((always_inline))
#define METAL_FUNC inline __attribute__((always_inline))

namespace metal {

template <class A, class B> struct is_same { static constexpr bool value = __is_same(A, B); };
template <class A, class B> inline constexpr bool is_same_v = __is_same(A, B);
template <bool B, class T = void> struct enable_if {};
template <class T> struct enable_if<true, T> { typedef T type; };
template <bool B, class T = void> using enable_if_t = typename enable_if<B, T>::type;
template <bool B, class T, class F> struct conditional { typedef T type; };
template <class T, class F> struct conditional<false, T, F> { typedef F type; };
template <bool B, class T, class F> using conditional_t = typename conditional<B, T, F>::type;
template <class T> using remove_cv_t = __remove_cv(T);
template <class T> struct remove_cv { typedef __remove_cv(T) type; };
template <class T> struct remove_reference { typedef __remove_reference_t(T) type; };
template <class T> using remove_reference_t = __remove_reference_t(T);
template <class T, T V> struct integral_constant {
    static constexpr T value = V;
    typedef T value_type;
    constexpr operator T() const { return V; }
};
using true_type = integral_constant<bool, true>;
using false_type = integral_constant<bool, false>;
template <bool B> using bool_constant = integral_constant<bool, B>;

template <class T> inline constexpr bool is_floating_point_v =
    is_same_v<remove_cv_t<T>, float> || is_same_v<remove_cv_t<T>, half> || is_same_v<remove_cv_t<T>, bfloat>;
template <class T> inline constexpr bool is_integral_v = __is_integral(T);
template <class T> struct is_floating_point : bool_constant<is_floating_point_v<T>> {};
template <class T> struct is_integral : bool_constant<is_integral_v<T>> {};
template <class T> struct is_signed : bool_constant<is_floating_point_v<T> || __is_signed(T)> {};
template <class T> struct is_unsigned : bool_constant<__is_unsigned(T)> {};
template <class T> inline constexpr bool is_unsigned_v = __is_unsigned(T);
template <class T> inline constexpr bool is_signed_v = is_signed<T>::value;
template <class A, class B> inline constexpr bool is_convertible_v = __is_convertible(A, B);
template <class A, class B> struct is_convertible : bool_constant<__is_convertible(A, B)> {};
template <class T> inline constexpr bool is_enum_v = __is_enum(T);

template <class T> concept AssayScalar = is_floating_point_v<T> || is_integral_v<T> || __is_enum(T) || is_same_v<T, double>;
template <class A, class B> using assay_common = decltype(true ? A() : B());
/// T, not deduced: the other argument decides.
template <class T> struct assay_identity { typedef T type; };
template <class T> using assay_exactly = typename assay_identity<T>::type;

template <class T> struct numeric_limits;
#define ASSAY_FLOAT_LIMITS(type, largest, smallest, step, digits_)                                              \
    template <> struct numeric_limits<type> {                                                                   \
        static constexpr bool is_signed = true, is_integer = false;                                             \
        static constexpr int digits = digits_;                                                                  \
        static constexpr type max() { return (type)(largest); }                                                 \
        static constexpr type lowest() { return (type) - (largest); }                                           \
        static constexpr type min() { return (type)(smallest); }                                                \
        static constexpr type epsilon() { return (type)(step); }                                                \
        static constexpr type infinity() { return (type)__builtin_inff(); }                                     \
        static constexpr type quiet_NaN() { return (type)__builtin_nanf(""); }                                  \
    };
ASSAY_FLOAT_LIMITS(float, __FLT_MAX__, __FLT_MIN__, __FLT_EPSILON__, 24)
ASSAY_FLOAT_LIMITS(half, 65504.f, 6.103515625e-5f, 9.765625e-4f, 11)
ASSAY_FLOAT_LIMITS(bfloat, 0x1.fep127f, 0x1p-126f, 0x1p-7f, 8)
#define ASSAY_INTEGER_LIMITS(type, smallest, largest)                                                           \
    template <> struct numeric_limits<type> {                                                                   \
        static constexpr bool is_signed = __is_signed(type), is_integer = true;                                 \
        static constexpr int digits = sizeof(type) * 8 - is_signed;                                             \
        static constexpr type max() { return largest; }                                                         \
        static constexpr type min() { return smallest; }                                                        \
        static constexpr type lowest() { return smallest; }                                                     \
    };
ASSAY_INTEGER_LIMITS(bool, false, true)
ASSAY_INTEGER_LIMITS(char, -128, 127)
ASSAY_INTEGER_LIMITS(signed char, -128, 127)
ASSAY_INTEGER_LIMITS(uchar, 0, 255)
ASSAY_INTEGER_LIMITS(short, -32768, 32767)
ASSAY_INTEGER_LIMITS(ushort, 0, 65535)
ASSAY_INTEGER_LIMITS(int, -__INT_MAX__ - 1, __INT_MAX__)
ASSAY_INTEGER_LIMITS(uint, 0, ~0u)
ASSAY_INTEGER_LIMITS(long, -__LONG_MAX__ - 1, __LONG_MAX__)
ASSAY_INTEGER_LIMITS(ulong, 0, ~0ul)

template <class To, class From> ASSAY_INLINE To as_type(From from) {
    static_assert(sizeof(To) == sizeof(From), "as_type needs types of the same size");
    To to;
    __builtin_memcpy(&to, &from, sizeof to);
    return to;
}
/// bfloat and half convert through float: processors have no direct conversion.
template <class To, class From> ASSAY_INLINE constexpr To assay_convert(From from) {
    if constexpr ((is_same_v<To, half> && is_same_v<From, bfloat>) || (is_same_v<To, bfloat> && is_same_v<From, half>))
        return (To)(float)from;
    else
        return (To)from;
}

template <class T, size_t N> struct array {
    T elements[N];
    constexpr T& operator[](size_t i) { return elements[i]; }
    constexpr const T& operator[](size_t i) const { return elements[i]; }
    static constexpr size_t size() { return N; }
};

} // namespace metal
using metal::as_type;

#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define HUGE_VALF __builtin_inff()
#define HUGE_VALH ((half)__builtin_inff())
#define FLT_MAX __FLT_MAX__
#define FLT_MIN __FLT_MIN__
#define FLT_EPSILON __FLT_EPSILON__
#define MAXFLOAT __FLT_MAX__
#define HALF_MAX ((half)65504.f)
#define HALF_MIN ((half)6.103515625e-5f)
#define HALF_EPSILON ((half)9.765625e-4f)
#define MAXHALF ((half)65504.f)
#define M_PI_F 3.14159265358979323846f
#define M_PI_2_F 1.57079632679489661923f
#define M_PI_4_F 0.78539816339744830962f
#define M_1_PI_F 0.31830988618379067154f
#define M_2_PI_F 0.63661977236758134308f
#define M_2_SQRTPI_F 1.12837916709551257390f
#define M_SQRT2_F 1.41421356237309504880f
#define M_SQRT1_2_F 0.70710678118654752440f
#define M_E_F 2.71828182845904523536f
#define M_LN2_F 0.69314718055994530942f
#define M_LN10_F 2.30258509299404568402f
#define M_LOG2E_F 1.44269504088896340736f
#define M_LOG10E_F 0.43429448190325182765f
#define M_PI_H ((half)M_PI_F)
#define CHAR_BIT 8
#define INT_MAX __INT_MAX__
#define INT_MIN (-__INT_MAX__ - 1)
#define UINT_MAX (__INT_MAX__ * 2u + 1u)
#define SHRT_MAX 32767
#define SHRT_MIN (-32768)
#define USHRT_MAX 65535
#define LONG_MAX __LONG_MAX__
#define ULONG_MAX (~0ul)
#define assert(condition) ((void)0)
