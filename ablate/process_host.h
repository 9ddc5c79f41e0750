// Trials in worker processes, started under a draft profile exactly as `assay run` starts a program.
#pragma once
#include "ablate/trial_host.h"
#include "base/file.h"
#include "probe/worker.h"
#include "shim/launch.h"
#include <chrono>
#include <memory>
#include <optional>

namespace assay::ablate {

class ProcessHost : public TrialHost {
  public:
    struct Options {
        std::vector<std::string> worker; ///< argv; empty: this executable
        std::chrono::milliseconds kernel_deadline{30000};
        std::uint64_t seed = 1;
    };

    static Result<std::unique_ptr<ProcessHost>> make(Options options);

    Canary canary() override;
    OpenedTrial open(const OverrideSet& overrides) override;
    RanVariant run(const Variant& variant) override;
    Trouble close() override;

  private:
    ProcessHost(Options options, TemporaryFolder folder)
        : options_(std::move(options)), folder_(std::move(folder)) {}
    /// Runs one variant in a worker that is started when there is none.
    RanVariant run_in(std::optional<Worker>& worker, const Launch& launch, const std::string& kernel,
                      const std::string& variant);
    std::string inactive(const OverrideSet& overrides) const;

    Options options_;
    TemporaryFolder folder_;
    OverrideSet overrides_;
    std::vector<std::pair<std::string, std::string>> environment_;
    std::optional<Worker> worker_;
};

} // namespace assay::ablate
