// Ratios of paired measurements: medians with an interval that assumes no distribution.
#include "kernels/timing.h"

#include <algorithm>

namespace assay {

MedianInterval median_interval(std::vector<double> samples) {
    std::sort(samples.begin(), samples.end());
    const std::size_t n = samples.size();
    MedianInterval result;
    result.median = n % 2 == 1 ? samples[n / 2] : (samples[n / 2 - 1] + samples[n / 2]) / 2;
    // The median lies outside the k-th smallest and k-th largest sample when fewer than k samples fall on one
    // side of it: twice the lower tail of a binomial distribution with p = 1/2.
    double term = 1; // C(n, k - 1) / 2^n
    for (std::size_t i = 0; i < n; ++i)
        term /= 2;
    double tail = term; // sum of the terms so far
    std::size_t k = 1;
    while (2 * (k + 1) <= n) {
        term *= static_cast<double>(n - k + 1) / static_cast<double>(k);
        if (1 - 2 * (tail + term) < 0.95)
            break;
        tail += term;
        ++k;
    }
    result.low = samples[k - 1];
    result.high = samples[n - k];
    result.confidence = 1 - 2 * tail;
    return result;
}

bool RunTime::gpu_plausible() const {
    constexpr double kClockSlack = 1e-4;
    return gpu_start > 0 && gpu_end > gpu_start && gpu() >= 0.01 * wall && gpu() <= wall * 1.01 + kClockSlack;
}

bool gpu_times_plausible(std::span<const RunTime> runs) {
    return std::all_of(runs.begin(), runs.end(), [](const RunTime& run) { return run.gpu_plausible(); });
}

} // namespace assay
