// Type encodings of Objective-C methods: made from C++ types, and normalised so that compilers can be
// compared.
#pragma once
#include "metal/runtime.h"
#include <cstdint>
#include <string>

namespace assay::metal {

/// NSRange.
struct Range {
    UInteger location = 0;
    UInteger length = 0;
};

/// An Objective-C block as a parameter.
struct Block;

/// How this compiler encodes BOOL: "B" (macOS arm64), "c" (macOS x86_64), "C" (GCC).
inline constexpr const char* kBoolEncoding = std::is_same_v<BOOL, bool>          ? "B"
                                             : std::is_same_v<BOOL, signed char> ? "c"
                                                                                 : "C";

/// The encoding with frame offsets, qualifiers, structure names and what pointers to structures point at
/// removed, BOOL spelled "B" and long "q"/"Q". Two methods whose normalised encodings are equal can be called
/// the same way.
std::string normalised_encoding(std::string_view encoding);

/// The encoding of one C++ type.
template <class T>
std::string encoding_of() {
    if constexpr (std::is_void_v<T>)
        return "v";
    else if constexpr (std::is_same_v<T, id>)
        return "@";
    else if constexpr (std::is_same_v<T, SEL>)
        return ":";
    else if constexpr (std::is_same_v<T, Class>)
        return "#";
    else if constexpr (std::is_same_v<T, BOOL>)
        return kBoolEncoding;
    else if constexpr (std::is_same_v<T, Size>)
        return "{?=QQQ}";
    else if constexpr (std::is_same_v<T, Range>)
        return "{_NSRange=QQ}";
    else if constexpr (std::is_same_v<T, id*>)
        return "^@";
    else if constexpr (std::is_same_v<T, const id*>)
        return "r^@";
    else if constexpr (std::is_same_v<T, Block*>)
        return "@?";
    else if constexpr (std::is_same_v<T, std::uint64_t*>)
        return "^Q";
    else if constexpr (std::is_pointer_v<T>)
        return std::is_const_v<std::remove_pointer_t<T>> ? "r^v" : "^v";
    else if constexpr (std::is_same_v<T, float>)
        return "f";
    else if constexpr (std::is_same_v<T, double>)
        return "d";
    else {
        static_assert(std::is_integral_v<T> && (sizeof(T) >= 4 || sizeof(T) == 1),
                      "no encoding known for this type");
        if constexpr (sizeof(T) == 1)
            return std::is_signed_v<T> ? "c" : "C";
        return std::is_signed_v<T> ? (sizeof(T) == 8 ? "q" : "i") : (sizeof(T) == 8 ? "Q" : "I");
    }
}

/// The full method encoding, with frame offsets, of a function R(id, SEL, ...).
template <class R, class... A>
std::string method_encoding(R (*)(A...)) {
    std::string arguments;
    std::size_t offset = 0;
    ((arguments += encoding_of<A>() + std::to_string(offset), offset += (sizeof(A) + 7) / 8 * 8), ...);
    return encoding_of<R>() + std::to_string(offset) + arguments;
}

} // namespace assay::metal
