// Answers that Metal computes from the device's families: the rules.
#include "metal/software/derivations.h"

#include <algorithm>

namespace assay::software {

namespace {

constexpr DerivationStep kReadWriteTextures[] = {{1004, 1}, {1006, 2}};
constexpr DerivationStep kFromApple2[] = {{1002, 1}};
constexpr DerivationStep kFromApple4[] = {{1004, 1}};
constexpr DerivationStep kFromApple6[] = {{1006, 1}};
constexpr DerivationStep kFromApple7[] = {{1007, 1}};
constexpr DerivationStep kFromApple8[] = {{1008, 1}};

constexpr Derivation kDerivations[] = {
    {"readWriteTextureSupport", kReadWriteTextures},
    {"argumentBuffersSupport", kFromApple6}, // MTLArgumentBuffersTier2 is 1
    {"areProgrammableSamplePositionsSupported", kFromApple2},
    {"areRasterOrderGroupsSupported", kFromApple4},
    {"supportsRaytracing", kFromApple6},
    {"supportsRaytracingFromRender", kFromApple6},
    {"supportsFunctionPointers", kFromApple6},
    {"supportsFunctionPointersFromRender", kFromApple6},
    {"supportsDynamicLibraries", kFromApple6},
    {"supportsRenderDynamicLibraries", kFromApple6},
    {"supportsPrimitiveMotionBlur", kFromApple6},
    {"areBarycentricCoordsSupported", kFromApple7},
    {"supportsShaderBarycentricCoordinates", kFromApple7},
    {"supportsPlacementSparse", kFromApple7},
    {"supportsQueryTextureLOD", kFromApple8},
};

} // namespace

std::span<const Derivation> derivations() { return kDerivations; }

std::uint64_t derive(const Derivation& rule, const std::function<bool(metal::Integer)>& supports_family) {
    std::uint64_t value = 0;
    for (const auto& step : rule.steps)
        if (supports_family(step.family))
            value = step.value;
    return value;
}

const Derivation* find_derivation(std::string_view key) {
    const auto* found = std::ranges::find(kDerivations, key, &Derivation::key);
    return found == std::end(kDerivations) ? nullptr : found;
}

} // namespace assay::software
