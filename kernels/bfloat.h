// The bfloat16 format on the host: conversion from and to float.
#pragma once
#include <cstdint>
#include <cstring>

namespace assay {

/// The float whose upper half is `bits`.
inline float float_from_bfloat(std::uint16_t bits) {
    const std::uint32_t wide = std::uint32_t{bits} << 16;
    float value = 0;
    std::memcpy(&value, &wide, sizeof value);
    return value;
}

/// Rounds a float, given as bits, to the nearest bfloat, ties to even; a NaN stays a NaN.
inline std::uint16_t bfloat_from_float_bits(std::uint32_t bits) {
    if ((bits & 0x7FFFFFFFu) > 0x7F800000u)
        return static_cast<std::uint16_t>((bits >> 16) | 0x40u);
    return static_cast<std::uint16_t>((bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16);
}

inline std::uint16_t bfloat_from_float(float value) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    return bfloat_from_float_bits(bits);
}

} // namespace assay
