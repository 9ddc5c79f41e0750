// Faults of a device file: what goes wrong, when, and at which moment it strikes.
#pragma once
#include "metal/runtime.h"
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay::software {

enum class Effect {
    wrong_result,
    zeros,
    command_error,
    pipeline_error,
    empty_library,
    nil_without_error,
    raise,
    abort,
    hang,
    never_completes,
    slow,
    intermittent,
    stale_no_copy,
    zero_timestamps,
    end_before_start,
    compiler_dies,
    wedge,
    hang_at_exit,
    no_device,
};

/// One effect as device files spell it.
struct EffectRow {
    std::string_view name;
    Effect effect;
    std::string_view meaning;
};
std::span<const EffectRow> effect_rows();

/// When a fault strikes: every condition that is given must hold.
struct Condition {
    std::optional<std::string> feature; ///< the kernel uses it, or the call needs it (a feature id)
    std::optional<std::string> kernel;  ///< name of the function
    std::optional<std::string> query;   ///< query key or selector
    std::optional<std::string> reports; ///< a query key that the device answers "yes" to when it is asked now
    std::uint64_t reports_stock = 0;    ///< for a number in `reports`: the file's own figure, which is "no"
    std::uint64_t minimum_threads = 0;  ///< threads of the dispatch
};

struct Fault {
    Condition when;
    Effect effect = Effect::wrong_result;
    double rate = 1;  ///< share of the occasions on which it strikes
    std::string file; ///< wedge: the device is wedged while this file exists
};

/// What is happening, for conditions to be tested against. Empty members match no condition on them.
struct Occasion {
    id device = nullptr;
    std::string_view query = {};    ///< query key
    std::string_view selector = {}; ///< the message, as an alternative to the key
    std::string_view kernel = {};
    const std::set<std::string>* features = nullptr;
    std::uint64_t threads = 0;
};

/// Whether the device answers "yes" to this key when asked by a message: true for a boolean; for a number,
/// whether it differs from `stock`.
bool answers_yes(id device, std::string_view key, std::uint64_t stock);

/// The faults of one device.
class Faults {
  public:
    explicit Faults(std::vector<Fault> faults = {}) : faults_(std::move(faults)) {}

    /// The first fault with that effect whose condition holds now and whose rate lets it strike, or null.
    const Fault* strikes(Effect effect, const Occasion& occasion) const;
    /// Whether any fault has this effect, whatever its condition.
    bool has(Effect effect) const;
    /// Whether any fault names this query (key or selector).
    bool names_query(std::string_view key, std::string_view selector) const;
    /// Selectors that faults name, for methods that exist only to fail.
    std::vector<std::string> selectors() const;
    /// The wedge file that exists, or empty. A wedged device fails everything it is given.
    std::string wedged() const;

  private:
    std::vector<Fault> faults_;
};

/// Performs an effect that ends or stops the calling thread, if one strikes on this occasion: raise, abort or
/// hang.
void stop_here(const Faults& faults, const Occasion& occasion);

} // namespace assay::software
