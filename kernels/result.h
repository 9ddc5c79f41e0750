// What became of one kernel variant: how far up the claim ladder it came.
#pragma once
#include "kernels/answers.h"
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

class Problems;

/// The claim ladder. Each rung presupposes the ones below it, save `reported`, which promises and proves
/// nothing.
enum class Rung {
    reported, ///< the device's answers promise the features
    answers,  ///< the selectors exist and returned
    compiles, ///< library and pipeline
    runs,     ///< what it needs could be made, and its command buffer completed
    correct,  ///< every element matched the reference
    pays,     ///< faster than its fallback
};
std::string_view rung_name(Rung rung);

enum class KernelStatus { passed, failed, skipped, inconclusive };
std::string_view status_name(KernelStatus status);

/// What promise and result say together.
enum class Verdict {
    honest,       ///< promised, and correct
    absent,       ///< not promised, and fails
    latent,       ///< not promised, yet correct
    overclaimed,  ///< promised, yet fails
    inconclusive, ///< says nothing about the device; `detail` says why
};
std::string_view verdict_name(Verdict verdict);

/// How a variant's time compares with its fallback's.
struct Payoff {
    std::string fallback;
    double ratio = 0; ///< median of fallback time / variant time: above 1 the variant is faster
    double low = 0;   ///< interval of the median that holds with `confidence`
    double high = 0;
    double confidence = 0;
    std::string clock;                    ///< "gpu", or "wall" when GPU timestamps were implausible
    std::vector<double> variant_seconds;  ///< raw samples, in pairs with
    std::vector<double> fallback_seconds; ///< these
};

struct KernelResult {
    std::string kernel;
    std::string variant;
    std::vector<std::string> features;
    std::uint64_t seed = 0;
    bool quick = false;
    Truth reported = Truth::unknown;
    std::string
        promise; ///< what promises it, or would: "Apple7 or Metal3", "maxThreadgroupMemoryLength = 32768"
    KernelStatus status = KernelStatus::inconclusive;
    Rung rung = Rung::reported;  ///< highest rung reached; of a failed result the one that failed
    std::string detail;          ///< of anything but passed: what happened
    std::size_t inputs = 0;      ///< elements that were compared
    std::optional<double> worst; ///< largest error over its bound; empty: compared exactly, or not at all
    std::optional<Payoff> pays;
    std::string pays_detail; ///< why there is no ratio although one was asked for

    std::string id() const { return kernel + '/' + variant; }
    Verdict verdict() const;
    /// What is known about a rung from `answers` to `correct`.
    Truth reached(Rung rung) const;
    void fail(Rung at, std::string why);
};

json::object to_json(const KernelResult& result);
/// Reads a result; problems are added at JSON pointers below `pointer`.
KernelResult kernel_result_from_json(const json::value& value, const std::string& pointer,
                                     Problems& problems);

/// All results of one run on one device.
struct KernelReport {
    std::string backend; ///< "metal" or "software"
    std::string device;  ///< its name
    Os os;
    std::vector<KernelResult> results;

    bool simulated() const { return backend == "software"; }
};

inline constexpr std::string_view kKernelsSchema = "assay.kernels/1";

json::object to_json(const KernelReport& report);
/// Reads a report; every problem is in the one error.
Result<KernelReport> kernel_report_from_json(const json::value& value, const std::string& name);

} // namespace assay
