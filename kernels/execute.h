// Climbing the claim ladder: one variant's plan on the GPU of this process.
#pragma once
#include "kernels/catalogue.h"
#include "kernels/gpu.h"
#include <functional>

namespace assay {

struct ExecuteOptions {
    std::uint64_t seed = 1;
    bool quick = false;
    bool force = false; ///< also what is not reported
    bool time = false;  ///< compare with the fallback's time
    /// Called once, before the first step.
    std::function<void(Truth reported, const std::string& promise)> promised = [](Truth, const std::string&) {
    };
    /// Called before each step with the rung it is about to climb.
    std::function<void(Rung rung, const std::string& step)> progress = [](Rung, const std::string&) {};
};

/// Runs one variant. Every output is poisoned before every run, twice with different poison, and every
/// element is checked; bytes beyond an output must keep their poison.
KernelResult execute(const Gpu& gpu, const KernelVariant& what, const ExecuteOptions& options);

/// What the answers say about a variant: all its features promised, and a number for each query it reads.
Truth reported(const Variant& variant, const Answers& answers);

/// In words, what promises the variant or would: "Apple6 or Metal3 (bfloat16), Apple7 or Metal4
/// (simdgroup_matrix)", "any Metal device".
std::string promise_text(const Variant& variant, const Answers& answers);

} // namespace assay
