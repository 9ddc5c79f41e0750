// Running kernels in workers: one request per variant, so that a crash or a hang costs one variant.
#pragma once
#include "kernels/catalogue.h"
#include "kernels/result.h"
#include "probe/worker.h"
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace assay {

/// The worker's side: serves {"do": "kernel", "kernel", "variant", "seed", "sizes": "quick|full", "force":
/// bool, "time": bool}. Events: {"event": "system", "backend", "device", "os"}, {"event": "begin", "kernel",
/// "variant"},
/// {"event": "promise", "reported", "promise"}, {"event": "step", "rung", "case"} before each step, then
/// {"event": "result", "result": …}; or {"event": "error", "exit", "where", "message", "next_step"}.
void kernel_request(const json::object& request, EventSink& events);

struct KernelOptions {
    std::uint64_t seed = 1;
    bool quick = false;
    bool force = false;                                           ///< also variants that are not reported
    bool time = false;                                            ///< compare with the fallback's time
    std::chrono::milliseconds deadline{60000};                    ///< for one variant
    std::vector<std::pair<std::string, std::string>> environment; ///< of the workers, on top of ours
    std::vector<std::string> worker;                              ///< argv; empty: this executable
};

/// Runs variants in a worker that it replaces when it dies or hangs. What the worker was doing then failed at
/// the rung in progress.
class KernelRunner {
  public:
    explicit KernelRunner(KernelOptions options) : options_(std::move(options)) {}

    /// An error means that nothing can be run here: no Metal, no device, no worker, or one that cannot be
    /// ended.
    Result<KernelResult> run(const KernelVariant& what);

    /// Backend, device and system as the last worker stated them; results are empty.
    const KernelReport& system() const { return system_; }
    /// A worker could not be reaped: start nothing more on this machine.
    bool unreapable() const { return unreapable_; }

  private:
    Result<KernelResult> listen(const KernelVariant& what);
    KernelOptions options_;
    std::optional<Worker> worker_;
    KernelReport system_;
    bool unreapable_ = false;
};

/// Told while run_kernels() goes on.
struct KernelListener {
    std::function<void(const KernelVariant&)>
        begin; ///< before the worker hears of it, so before the GPU is touched
    std::function<void(const KernelResult&)> end;
};

/// Runs every variant of `what` in turn.
Result<KernelReport> run_kernels(const std::vector<KernelVariant>& what, const KernelOptions& options,
                                 const KernelListener& listener = {});

} // namespace assay
