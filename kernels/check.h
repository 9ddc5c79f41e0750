// Comparing what a kernel wrote with what it had to write, element by element.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace assay {

using Bytes = std::vector<std::byte>;

/// The bytes of a sequence of plain values.
template <class T>
Bytes bytes_of(std::span<const T> values) {
    const auto bytes = std::as_bytes(values);
    return {bytes.begin(), bytes.end()};
}

enum class Element { f32, bf16, u32, u64 };
std::size_t element_size(Element element);

/// Unit roundoff of float: half the distance from 1 to the next float.
inline constexpr double kFloatRoundoff = 0x1p-24;

/// Higham's gamma: n roundings of relative size at most u change a result by at most gamma(n) times the sum
/// of the magnitudes that went into it (Accuracy and Stability of Numerical Algorithms, section 3.1).
constexpr double gamma(double roundings, double roundoff = kFloatRoundoff) {
    return roundings * roundoff / (1 - roundings * roundoff);
}

/// Besides equality, what an exact element may be.
enum class Rule : std::uint8_t {
    exact,
    or_zero, ///< a zero of either sign too: devices may flush numbers that are too small to be normalised
    any_nan, ///< any NaN: which one is not specified
};

/// What one output of a kernel must hold.
struct Expectation {
    std::size_t argument = 0; ///< index of the output among the arguments
    Element element = Element::f32;
    std::vector<double> values;      ///< approximate (f32): the reference in double precision
    std::vector<double> bounds;      ///< and the largest error a correct implementation can show
    std::vector<std::uint64_t> bits; ///< exact: the bit patterns
    std::vector<Rule> rules;         ///< of exact elements; empty: all of them exact

    static Expectation approximate_floats(std::size_t argument);
    static Expectation exact(std::size_t argument, Element element);

    bool approximate() const { return bits.empty(); }
    std::size_t size() const { return approximate() ? values.size() : bits.size(); }
    Rule rule(std::size_t i) const { return rules.empty() ? Rule::exact : rules[i]; }
};

/// How outputs compared.
struct Comparison {
    std::size_t elements = 0;
    std::size_t wrong = 0;
    std::optional<double> worst; ///< largest error over its bound; empty when all elements were exact ones
    std::string first;           ///< the first wrong element in words

    void add(const Comparison& other);
};

/// Compares every element. Too few bytes, a NaN or an infinity where a number is due are wrong.
Comparison compare(const Expectation& expectation, std::span<const std::byte> got);

/// The bytes of a perfect output: approximate values rounded to float.
Bytes perfect_output(const Expectation& expectation);

} // namespace assay
