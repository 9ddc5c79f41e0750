// Paired measurements in one run: two things by turns, medians, and their difference and ratio.
#pragma once
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

namespace assay::bench {

/// Medians of two interleaved series, in nanoseconds per call.
struct Pair {
    double base = 0;
    double measured = 0;
    double difference() const { return measured - base; }
    double ratio() const { return measured / base; }
};

inline double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// Nanoseconds that one call of `run` takes, over `calls` calls.
template <class F>
double nanoseconds(F& run, int calls) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i)
        run();
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
    return took.count() / calls;
}

/// Times both by turns, `rounds` times `calls` calls each. Whatever slows the machine down meets both.
template <class Base, class Measured>
Pair compare(Base base, Measured measured, int rounds, int calls) {
    nanoseconds(base, calls);
    nanoseconds(measured, calls);
    std::vector<double> first;
    std::vector<double> second;
    for (int i = 0; i < rounds; ++i) {
        first.push_back(nanoseconds(base, calls));
        second.push_back(nanoseconds(measured, calls));
    }
    return {median(first), median(second)};
}

/// One line; returns whether the difference is under the limit.
inline bool report(const char* what, const Pair& pair, double limit_ns) {
    const bool fast = pair.difference() < limit_ns;
    std::printf("%-48s %12.2f ns over %12.2f ns: %+10.2f ns, ratio %.3f, limit %.0f ns: %s\n", what,
                pair.measured, pair.base, pair.difference(), pair.ratio(), limit_ns,
                fast ? "ok" : "TOO SLOW");
    return fast;
}

/// Keeps the compiler from dropping a value.
template <class T>
void keep(T value) {
    asm volatile("" : : "r"(value) : "memory");
}

} // namespace assay::bench
