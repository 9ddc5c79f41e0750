// Trials in worker processes, started under a draft profile exactly as `assay run` starts a program.
#pragma once
#include "ablate/trial_host.h"
#include "base/file.h"
#include "kernels/runner.h"
#include <chrono>
#include <memory>
#include <optional>

namespace assay::ablate {

class ProcessHost : public TrialHost {
  public:
    struct Options {
        std::string backend;             ///< "software" or "metal": the drafts' own
        std::vector<std::string> worker; ///< argv; empty: this executable
        std::chrono::milliseconds kernel_deadline{30000};
    };

    /// The drafts and status files go to a temporary folder of its own.
    static Result<std::unique_ptr<ProcessHost>> make(Options options);

    Canary canary() override;
    OpenedTrial open(const OverrideSet& overrides, std::uint64_t seed) override;
    RanVariant run(const Variant& variant) override;
    Trouble close() override;

  private:
    ProcessHost(Options options, TemporaryFolder folder)
        : options_(std::move(options)), folder_(std::move(folder)) {}
    KernelOptions kernel_options(std::uint64_t seed) const;
    /// Why the overrides of the open trial are not in effect in the process that ran last; empty when they
    /// are.
    std::string inactive() const;
    std::string status_path() const { return folder_.path() + "/status.json"; }

    Options options_;
    TemporaryFolder folder_;
    OverrideSet overrides_;
    std::vector<std::pair<std::string, std::string>> environment_;
    std::optional<KernelRunner> runner_;
};

/// The variables that keep our own library out of a process: stock behaviour.
std::vector<std::pair<std::string, std::string>> stock_environment();

} // namespace assay::ablate
