// Comparing what a kernel wrote with what it had to write, element by element.
#include "kernels/check.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

namespace assay {

std::size_t element_size(Element element) {
    switch (element) {
    case Element::bf16:
        return 2;
    case Element::f32:
    case Element::u32:
        return 4;
    case Element::u64:
        return 8;
    }
    return 0;
}

namespace {

std::uint64_t element_bits(std::span<const std::byte> bytes, std::size_t i, std::size_t size) {
    std::uint64_t bits = 0; // systems that Metal runs on are little-endian
    std::memcpy(&bits, bytes.data() + i * size, size);
    return bits;
}

bool is_nan(std::uint64_t bits, Element element) {
    return element == Element::bf16 ? (bits & 0x7FFFu) > 0x7F80u : (bits & 0x7FFFFFFFu) > 0x7F800000u;
}

bool is_zero(std::uint64_t bits, Element element) {
    return (bits & (element == Element::bf16 ? 0x7FFFu : 0x7FFFFFFFu)) == 0;
}

bool fits(std::uint64_t got, const Expectation& expected, std::size_t i) {
    switch (expected.rule(i)) {
    case Rule::exact:
        return got == expected.bits[i];
    case Rule::or_zero:
        return got == expected.bits[i] || is_zero(got, expected.element);
    case Rule::any_nan:
        return is_nan(got, expected.element);
    }
    return false;
}

std::string hexadecimal(std::uint64_t bits, std::size_t size) {
    return fmt::format("0x{:0{}x}", bits, size * 2);
}

} // namespace

Expectation Expectation::approximate_floats(std::size_t argument) {
    Expectation expectation;
    expectation.argument = argument;
    return expectation;
}

Expectation Expectation::exact(std::size_t argument, Element element) {
    Expectation expectation;
    expectation.argument = argument;
    expectation.element = element;
    return expectation;
}

void Comparison::add(const Comparison& other) {
    elements += other.elements;
    if (wrong == 0)
        first = other.first;
    wrong += other.wrong;
    if (other.worst)
        worst = std::max(worst.value_or(0), *other.worst);
}

Comparison compare(const Expectation& expected, std::span<const std::byte> got) {
    Comparison result;
    result.elements = expected.size();
    const auto size = element_size(expected.element);
    const auto have = std::min(expected.size(), got.size() / size);
    const auto note = [&](std::size_t i, const std::string& text) {
        if (result.wrong++ == 0)
            result.first = fmt::format("element {}: {}", i, text);
    };
    for (std::size_t i = 0; i < have; ++i) {
        const auto bits = element_bits(got, i, size);
        if (!expected.approximate()) {
            if (!fits(bits, expected, i))
                note(i, fmt::format("got {}, expected {}", hexadecimal(bits, size),
                                    expected.rule(i) == Rule::any_nan ? "a NaN"
                                                                      : hexadecimal(expected.bits[i], size)));
            continue;
        }
        float value = 0;
        std::memcpy(&value, &bits, sizeof value);
        const double error = std::abs(static_cast<double>(value) - expected.values[i]);
        if (!(error <= expected.bounds[i]))
            note(i, fmt::format("got {}, expected {} within {:.3g}", value, expected.values[i],
                                expected.bounds[i]));
        // An element without tolerance that is right is no measure of how much of it was used up.
        const double ratio = error == 0 ? 0 : error / expected.bounds[i];
        result.worst = std::max(result.worst.value_or(0), std::isnan(ratio) ? HUGE_VAL : ratio);
    }
    for (std::size_t i = have; i < expected.size(); ++i)
        note(i, "not written");
    return result;
}

Bytes perfect_output(const Expectation& expected) {
    const auto size = element_size(expected.element);
    Bytes bytes(expected.size() * size);
    for (std::size_t i = 0; i < expected.size(); ++i) {
        std::uint64_t bits = 0;
        if (expected.approximate()) {
            const auto value = static_cast<float>(expected.values[i]);
            std::memcpy(&bits, &value, sizeof value);
        } else {
            bits = expected.bits[i];
        }
        std::memcpy(bytes.data() + i * size, &bits, size);
    }
    return bytes;
}

} // namespace assay
