// Ratios of paired measurements: medians with an interval that assumes no distribution.
#pragma once
#include <span>
#include <vector>

namespace assay {

/// A median and the interval that holds the true one with at least `confidence`.
struct MedianInterval {
    double median = 0;
    double low = 0;
    double high = 0;
    double confidence = 0;
};

/// The interval is between two order statistics, the narrowest with at least 95 % (binomial); with fewer than
/// six samples no pair reaches that, and it spans all of them at what confidence that gives. `samples` is not
/// empty.
MedianInterval median_interval(std::vector<double> samples);

/// One run's time by both clocks, in seconds.
struct RunTime {
    double gpu_start = 0; ///< GPUStartTime of the command buffer
    double gpu_end = 0;   ///< GPUEndTime
    double wall = 0;      ///< commit to completion, on this side

    /// Not zero, no end before the start, and at least 1 % of and not longer than the wall time (with the
    /// slack of two clocks): public reports have guests whose timestamps are none of these.
    bool gpu_plausible() const;
    double gpu() const { return gpu_end - gpu_start; }
};

/// Whether every run's GPU time can be believed.
bool gpu_times_plausible(std::span<const RunTime> runs);

} // namespace assay
