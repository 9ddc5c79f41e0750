// Answers that Metal computes from the device's families when the device is created.
#pragma once
#include "metal/runtime.h"
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

namespace assay::software {

/// From this family on, the answer is at least `value`.
struct DerivationStep {
    metal::Integer family;
    std::uint64_t value;
};

/// One query whose answer follows from supportsFamily:.
struct Derivation {
    std::string_view key;
    std::span<const DerivationStep> steps; ///< ascending; none reached: 0
};

/// All rules. Sources: Apple's feature tables; the tiers of readWriteTextureSupport as measured on Apple9 and
/// Apple10 and reported for older families.
std::span<const Derivation> derivations();

/// What the rule gives when `supports_family` answers as it does.
std::uint64_t derive(const Derivation& rule, const std::function<bool(metal::Integer)>& supports_family);

/// The rule for a query key, or null.
const Derivation* find_derivation(std::string_view key);

} // namespace assay::software
