// Which answers the shim can change.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace assay {

/// What an overridable query answers, which decides the hook and the method type that the shim expects.
enum class AnswerKind {
    boolean,   ///< BOOL
    integer,   ///< NSUInteger or uint64_t
    integer32, ///< uint32_t
};

/// A query without arguments whose answer can be changed. Its key is its selector.
struct OverridableQuery {
    const char* selector;
    AnswerKind kind;
};

/// Every boolean and every integer among MTLDevice's queries without arguments. Selectors and types:
/// MTLDevice.h of the macOS 27 SDK, and the bindings of objc2-metal, which are checked against the runtime.
inline constexpr OverridableQuery kOverridableQueries[] = {
    {"registryID", AnswerKind::integer},
    {"maxThreadgroupMemoryLength", AnswerKind::integer},
    {"maxBufferLength", AnswerKind::integer},
    {"recommendedMaxWorkingSetSize", AnswerKind::integer},
    {"currentAllocatedSize", AnswerKind::integer},
    {"hasUnifiedMemory", AnswerKind::boolean},
    {"isLowPower", AnswerKind::boolean},
    {"isHeadless", AnswerKind::boolean},
    {"isRemovable", AnswerKind::boolean},
    {"location", AnswerKind::integer},
    {"locationNumber", AnswerKind::integer},
    {"maxTransferRate", AnswerKind::integer},
    {"peerGroupID", AnswerKind::integer},
    {"peerIndex", AnswerKind::integer32},
    {"peerCount", AnswerKind::integer32},
    {"isDepth24Stencil8PixelFormatSupported", AnswerKind::boolean},
    {"readWriteTextureSupport", AnswerKind::integer},
    {"argumentBuffersSupport", AnswerKind::integer},
    {"areRasterOrderGroupsSupported", AnswerKind::boolean},
    {"supports32BitFloatFiltering", AnswerKind::boolean},
    {"supports32BitMSAA", AnswerKind::boolean},
    {"supportsQueryTextureLOD", AnswerKind::boolean},
    {"supportsBCTextureCompression", AnswerKind::boolean},
    {"supportsPullModelInterpolation", AnswerKind::boolean},
    {"areBarycentricCoordsSupported", AnswerKind::boolean},
    {"supportsShaderBarycentricCoordinates", AnswerKind::boolean},
    {"areProgrammableSamplePositionsSupported", AnswerKind::boolean},
    {"maxArgumentBufferSamplerCount", AnswerKind::integer},
    {"sparseTileSizeInBytes", AnswerKind::integer},
    {"supportsDynamicLibraries", AnswerKind::boolean},
    {"supportsRenderDynamicLibraries", AnswerKind::boolean},
    {"supportsPlacementSparse", AnswerKind::boolean},
    {"supportsRaytracing", AnswerKind::boolean},
    {"supportsFunctionPointers", AnswerKind::boolean},
    {"supportsFunctionPointersFromRender", AnswerKind::boolean},
    {"supportsRaytracingFromRender", AnswerKind::boolean},
    {"supportsPrimitiveMotionBlur", AnswerKind::boolean},
    {"shouldMaximizeConcurrentCompilation", AnswerKind::boolean},
    {"maximumConcurrentCompilationTaskCount", AnswerKind::integer},
    {"queryTimestampFrequency", AnswerKind::integer},
};
inline constexpr std::size_t kOverridableCount = std::size(kOverridableQueries);

/// The normalised encoding (metal/encoding.h) of the method that answers.
constexpr std::string_view method_type(AnswerKind kind) {
    switch (kind) {
    case AnswerKind::boolean:
        return "B@:";
    case AnswerKind::integer:
        return "Q@:";
    case AnswerKind::integer32:
        return "I@:";
    }
    return {};
}
inline constexpr std::string_view kFamilyMethodType = "B@:q";

/// An answer that the shim can give or compare.
using ShimAnswer = std::variant<bool, std::uint64_t>;

/// "true", "32768".
std::string to_text(const ShimAnswer& answer);

/// One key of a profile's `overrides` or `stock`, resolved.
struct OverrideTarget {
    static constexpr std::size_t kFamily = kOverridableCount;
    std::size_t row = kFamily; ///< of kOverridableQueries; kFamily: supportsFamily:
    long family = 0;           ///< the argument of supportsFamily:
    AnswerKind kind = AnswerKind::boolean;
    bool is_family() const { return row == kFamily; }
    bool operator==(const OverrideTarget&) const = default;
};

/// Resolves a query key. False: it cannot be overridden, and `why` says so and what can be.
bool resolve_override(std::string_view key, OverrideTarget& target, std::string& why);

} // namespace assay
