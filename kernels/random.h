// Seeded random inputs: the same on every system and with every compiler.
#pragma once
#include <cstdint>

namespace assay {

/// SplitMix64 (Steele, Lea and Flood 2014). Not for secrets.
class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        std::uint64_t z = state_ += 0x9E3779B97F4A7C15u;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        return z ^ (z >> 31);
    }
    /// Uniform in [-1, 1), a multiple of 2^-23: every value is a float.
    float uniform() {
        return static_cast<float>(static_cast<std::int64_t>(next() >> 40) - (std::int64_t{1} << 23)) *
               0x1p-23f;
    }

  private:
    std::uint64_t state_;
};

} // namespace assay
