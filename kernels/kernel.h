// A micro-kernel: what it checks, its variants, and how to make its inputs and references.
#pragma once
#include "kernels/answers.h"
#include "kernels/plan.h"
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// One way to do a kernel's work.
struct Variant {
    std::string_view name; ///< compiled with ASSAY_VARIANT_<name> defined as 1
    std::vector<std::string_view>
        features;                        ///< ids of features.json that it exercises; none: any Metal device
    std::string_view fallback;           ///< the variant that its time is compared with; empty: none
    std::vector<std::string_view> reads; ///< query keys whose answer says how much it uses
};

/// What a plan is made for.
struct PlanRequest {
    std::uint64_t seed = 1;
    bool quick = false; ///< the small set of sizes
    const Answers& reported;
};

/// A row of the catalogue.
struct Kernel {
    std::string_view name;
    std::string_view summary; ///< what is checked, in one line
    std::string_view bound;   ///< what counts as correct, and why
    std::vector<Variant> variants;
    /// Inputs and double-precision references of every size. A pure function of its arguments, save for the
    /// canary's salt. An error says why the kernel cannot be tried under these answers.
    Result<Plan> (*plan)(const Variant& variant, const PlanRequest& request);

    const Variant* find_variant(std::string_view variant_name) const;
};

} // namespace assay
