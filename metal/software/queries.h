// The questions a software device can answer: one row per method.
#pragma once
#include "metal/software/enum_names.h"
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay::software {

/// The type of an answer, which decides the method's encoding.
enum class AnswerType {
    boolean,      ///< BOOL
    integer,      ///< NSUInteger or uint64_t
    integer32,    ///< uint32_t
    allocated,    ///< NSUInteger; what live resources occupy is added to the reported figure
    string,       ///< NSString
    size,         ///< MTLSize
    architecture, ///< an object whose -name is the reported string
    counter_sets, ///< an NSArray of objects with -name; reported as an array of names
};

/// A query without arguments.
struct Query {
    std::string_view key;
    const char* selector;
    AnswerType type;
};

/// Every property of MTLDevice through macOS 26.4. Selectors and types: MTLDevice.h of the macOS 27 SDK and
/// the bindings of objc2-metal, which are checked against the runtime.
inline constexpr Query kQueries[] = {
    {"name", "name", AnswerType::string},
    {"registryID", "registryID", AnswerType::integer},
    {"architecture.name", "architecture", AnswerType::architecture},
    {"maxThreadsPerThreadgroup", "maxThreadsPerThreadgroup", AnswerType::size},
    {"maxThreadgroupMemoryLength", "maxThreadgroupMemoryLength", AnswerType::integer},
    {"maxBufferLength", "maxBufferLength", AnswerType::integer},
    {"recommendedMaxWorkingSetSize", "recommendedMaxWorkingSetSize", AnswerType::integer},
    {"currentAllocatedSize", "currentAllocatedSize", AnswerType::allocated},
    {"hasUnifiedMemory", "hasUnifiedMemory", AnswerType::boolean},
    {"isLowPower", "isLowPower", AnswerType::boolean},
    {"isHeadless", "isHeadless", AnswerType::boolean},
    {"isRemovable", "isRemovable", AnswerType::boolean},
    {"location", "location", AnswerType::integer},
    {"locationNumber", "locationNumber", AnswerType::integer},
    {"maxTransferRate", "maxTransferRate", AnswerType::integer},
    {"peerGroupID", "peerGroupID", AnswerType::integer},
    {"peerIndex", "peerIndex", AnswerType::integer32},
    {"peerCount", "peerCount", AnswerType::integer32},
    {"isDepth24Stencil8PixelFormatSupported", "isDepth24Stencil8PixelFormatSupported", AnswerType::boolean},
    {"readWriteTextureSupport", "readWriteTextureSupport", AnswerType::integer},
    {"argumentBuffersSupport", "argumentBuffersSupport", AnswerType::integer},
    {"areRasterOrderGroupsSupported", "areRasterOrderGroupsSupported", AnswerType::boolean},
    {"supports32BitFloatFiltering", "supports32BitFloatFiltering", AnswerType::boolean},
    {"supports32BitMSAA", "supports32BitMSAA", AnswerType::boolean},
    {"supportsQueryTextureLOD", "supportsQueryTextureLOD", AnswerType::boolean},
    {"supportsBCTextureCompression", "supportsBCTextureCompression", AnswerType::boolean},
    {"supportsPullModelInterpolation", "supportsPullModelInterpolation", AnswerType::boolean},
    {"areBarycentricCoordsSupported", "areBarycentricCoordsSupported", AnswerType::boolean},
    {"supportsShaderBarycentricCoordinates", "supportsShaderBarycentricCoordinates", AnswerType::boolean},
    {"areProgrammableSamplePositionsSupported", "areProgrammableSamplePositionsSupported",
     AnswerType::boolean},
    {"maxArgumentBufferSamplerCount", "maxArgumentBufferSamplerCount", AnswerType::integer},
    {"sparseTileSizeInBytes", "sparseTileSizeInBytes", AnswerType::integer},
    {"counterSets", "counterSets", AnswerType::counter_sets},
    {"supportsDynamicLibraries", "supportsDynamicLibraries", AnswerType::boolean},
    {"supportsRenderDynamicLibraries", "supportsRenderDynamicLibraries", AnswerType::boolean},
    {"supportsPlacementSparse", "supportsPlacementSparse", AnswerType::boolean},
    {"supportsRaytracing", "supportsRaytracing", AnswerType::boolean},
    {"supportsFunctionPointers", "supportsFunctionPointers", AnswerType::boolean},
    {"supportsFunctionPointersFromRender", "supportsFunctionPointersFromRender", AnswerType::boolean},
    {"supportsRaytracingFromRender", "supportsRaytracingFromRender", AnswerType::boolean},
    {"supportsPrimitiveMotionBlur", "supportsPrimitiveMotionBlur", AnswerType::boolean},
    {"shouldMaximizeConcurrentCompilation", "shouldMaximizeConcurrentCompilation", AnswerType::boolean},
    {"maximumConcurrentCompilationTaskCount", "maximumConcurrentCompilationTaskCount", AnswerType::integer},
    {"queryTimestampFrequency", "queryTimestampFrequency", AnswerType::integer},
};
inline constexpr std::size_t kQueryCount = std::size(kQueries);

/// Names of the counters that every counter set holds; part of the answer to -counterSets.
inline constexpr std::string_view kCounterNamesKey = "counterSets.counters";

/// A query with one number as argument. Keys are "name(argument)", where the argument is a name of the
/// enumeration or a number.
struct ArgumentQuery {
    std::string_view name;
    const char* selector;
    AnswerType type;                    ///< boolean or integer
    std::span<const NamedValue> values; ///< names the argument may have; empty: numbers only
    bool aborts; ///< an argument without a reported answer aborts the process; otherwise it answers 0
};

/// Those of MTLDevice's queries whose argument is a plain number, except supportsFamily:.
inline constexpr ArgumentQuery kArgumentQueries[] = {
    {"supportsFeatureSet", "supportsFeatureSet:", AnswerType::boolean, kFeatureSets, false},
    {"supportsTextureSampleCount", "supportsTextureSampleCount:", AnswerType::boolean, {}, false},
    {"minimumLinearTextureAlignmentForPixelFormat",
     "minimumLinearTextureAlignmentForPixelFormat:", AnswerType::integer, kPixelFormats, true},
    {"minimumTextureBufferAlignmentForPixelFormat",
     "minimumTextureBufferAlignmentForPixelFormat:", AnswerType::integer, kPixelFormats, true},
    {"supportsRasterizationRateMapWithLayerCount",
     "supportsRasterizationRateMapWithLayerCount:",
     AnswerType::boolean,
     {},
     false},
    {"supportsVertexAmplificationCount", "supportsVertexAmplificationCount:", AnswerType::boolean, {}, false},
    {"supportsCounterSampling", "supportsCounterSampling:", AnswerType::boolean, kCounterSamplingPoints,
     false},
    {"sparseTileSizeInBytesForSparsePageSize", "sparseTileSizeInBytesForSparsePageSize:", AnswerType::integer,
     kSparsePageSizes, false},
};
inline constexpr std::size_t kArgumentQueryCount = std::size(kArgumentQueries);

/// "name(argument)" taken apart; nullopt when the key has no parentheses at its end.
struct KeyParts {
    std::string_view name;
    std::string_view argument;
};
std::optional<KeyParts> split_key(std::string_view key);

/// The row with that key, or null.
const Query* find_query(std::string_view key);
/// The row with that name, or null.
const ArgumentQuery* find_argument_query(std::string_view name);
/// The number an argument stands for; nullopt when it is neither a name of the row's enumeration nor a
/// number.
std::optional<std::uint64_t> argument_value(const ArgumentQuery& query, std::string_view argument);

/// Whether a device file may report this key: a row above, supportsFamily(…), or a creation probe ("new…()"
/// or a selector that starts with "new").
bool is_known_key(std::string_view key);
/// Every name a misspelt key may have meant.
std::vector<std::string_view> known_key_names();

} // namespace assay::software
