// The world that trials are made in: one fresh process per trial, and canaries between them.
#pragma once
#include "ablate/search.h"
#include <cstdint>

namespace assay::ablate {

/// A step that cannot be answered for by the kernel it ran.
enum class Trouble {
    none,
    inactive,   ///< the overrides are not in effect: what was measured says nothing about them
    unreapable, ///< a child process cannot be ended: nothing more may be started
};

/// A plain kernel with a source that no cache has seen, in a fresh process without overrides.
struct Canary {
    bool good = false;
    Trouble trouble = Trouble::none;
    std::string detail; ///< how it went wrong
};

/// The answers as a program sees them under the overrides.
struct OpenedTrial {
    Trouble trouble = Trouble::none;
    std::string detail;
    AnswerSet answers;
};

struct RanVariant {
    Outcome outcome;
    Trouble trouble = Trouble::none;
    std::string detail;
};

class TrialHost {
  public:
    virtual ~TrialHost() = default;
    virtual Canary canary() = 0;
    /// Starts a fresh process under these overrides, the way `assay run` does, and re-reads the answers.
    /// `seed` is that of the kernels' inputs.
    virtual OpenedTrial open(const OverrideSet& overrides, std::uint64_t seed) = 0;
    /// Runs one variant in the open trial. One that ends or hangs its process costs itself: the next one gets
    /// a new process under the same overrides.
    virtual RanVariant run(const Variant& variant) = 0;
    /// Ends the open trial's processes.
    virtual Trouble close() = 0;
};

} // namespace assay::ablate
