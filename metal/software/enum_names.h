// Names of the enumeration values that query keys spell out.
#pragma once
#include <cstdint>
#include <string_view>

namespace assay::software {

/// One value of a Metal enumeration, without the enumeration's prefix.
struct NamedValue {
    std::string_view name;
    std::uint64_t value;
};

/// MTLFeatureSet, the values that macOS answers.
inline constexpr NamedValue kFeatureSets[] = {
    {"macOS_GPUFamily1_v1", 10000},         {"OSX_GPUFamily1_v1", 10000},
    {"macOS_GPUFamily1_v2", 10001},         {"OSX_GPUFamily1_v2", 10001},
    {"macOS_ReadWriteTextureTier2", 10002}, {"OSX_ReadWriteTextureTier2", 10002},
    {"macOS_GPUFamily1_v3", 10003},         {"macOS_GPUFamily1_v4", 10004},
    {"macOS_GPUFamily2_v1", 10005},
};

/// MTLCounterSamplingPoint.
inline constexpr NamedValue kCounterSamplingPoints[] = {
    {"AtStageBoundary", 0},        {"AtDrawBoundary", 1}, {"AtDispatchBoundary", 2},
    {"AtTileDispatchBoundary", 3}, {"AtBlitBoundary", 4},
};

/// MTLSparsePageSize; the name is the size in KiB.
inline constexpr NamedValue kSparsePageSizes[] = {
    {"16", 101},
    {"64", 102},
    {"256", 103},
};

/// MTLPixelFormat: the formats whose alignment may be asked without an abort.
inline constexpr NamedValue kPixelFormats[] = {
    {"A8Unorm", 1},        {"R8Unorm", 10},         {"R8Unorm_sRGB", 11},    {"R8Snorm", 12},
    {"R8Uint", 13},        {"R8Sint", 14},          {"R16Unorm", 20},        {"R16Snorm", 22},
    {"R16Uint", 23},       {"R16Sint", 24},         {"R16Float", 25},        {"RG8Unorm", 30},
    {"RG8Unorm_sRGB", 31}, {"RG8Snorm", 32},        {"RG8Uint", 33},         {"RG8Sint", 34},
    {"B5G6R5Unorm", 40},   {"A1BGR5Unorm", 41},     {"ABGR4Unorm", 42},      {"BGR5A1Unorm", 43},
    {"R32Uint", 53},       {"R32Sint", 54},         {"R32Float", 55},        {"RG16Unorm", 60},
    {"RG16Snorm", 62},     {"RG16Uint", 63},        {"RG16Sint", 64},        {"RG16Float", 65},
    {"RGBA8Unorm", 70},    {"RGBA8Unorm_sRGB", 71}, {"RGBA8Snorm", 72},      {"RGBA8Uint", 73},
    {"RGBA8Sint", 74},     {"BGRA8Unorm", 80},      {"BGRA8Unorm_sRGB", 81}, {"RGB10A2Unorm", 90},
    {"RGB10A2Uint", 91},   {"RG11B10Float", 92},    {"RGB9E5Float", 93},     {"BGR10A2Unorm", 94},
    {"BGR10_XR", 554},     {"BGR10_XR_sRGB", 555},  {"RG32Uint", 103},       {"RG32Sint", 104},
    {"RG32Float", 105},    {"RGBA16Unorm", 110},    {"RGBA16Snorm", 112},    {"RGBA16Uint", 113},
    {"RGBA16Sint", 114},   {"RGBA16Float", 115},    {"BGRA10_XR", 552},      {"BGRA10_XR_sRGB", 553},
    {"RGBA32Uint", 123},   {"RGBA32Sint", 124},     {"RGBA32Float", 125},
};

} // namespace assay::software
