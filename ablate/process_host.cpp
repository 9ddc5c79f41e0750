// Trials in worker processes under a draft profile.
#include "ablate/process_host.h"
#include "ablate/problem.h"
#include "ablate/profile_maker.h"
#include "probe/prober.h"
#include "shim/launch.h"
#include "shim/status.h"
#include <unistd.h>

namespace assay::ablate {

namespace {

RanVariant ran_of(const KernelResult& result) {
    RanVariant out;
    switch (result.status) {
    case KernelStatus::passed:
        out.outcome.status = Outcome::Status::passed;
        break;
    case KernelStatus::failed:
        out.outcome.status = Outcome::Status::failed;
        out.outcome.rung = rung_name(result.rung);
        break;
    case KernelStatus::skipped:
        out.outcome.status = Outcome::Status::skipped;
        break;
    case KernelStatus::inconclusive:
        out.outcome.status = Outcome::Status::inconclusive;
        break;
    }
    out.outcome.detail = result.detail;
    out.outcome.inputs = result.inputs;
    return out;
}

} // namespace

std::vector<std::pair<std::string, std::string>> stock_environment() {
    return {{"ASSAY_PROFILE", ""},
            {"ASSAY_STATUS", ""},
            {"ASSAY_REQUIRE", ""},
            {"ASSAY_DRAFT", ""},
            {"ASSAY_INSTALL_POINT", ""}};
}

Result<std::unique_ptr<ProcessHost>> ProcessHost::make(Options options) {
    auto folder = TemporaryFolder::make("ablate");
    if (!folder)
        return folder.error();
    return std::unique_ptr<ProcessHost>(new ProcessHost(std::move(options), std::move(*folder)));
}

KernelOptions ProcessHost::kernel_options(std::uint64_t seed) const {
    KernelOptions out;
    out.seed = seed;
    out.quick = true;
    out.force = true; // the search says what runs
    out.deadline = options_.kernel_deadline;
    out.environment = environment_;
    out.worker = options_.worker;
    return out;
}

Canary ProcessHost::canary() {
    environment_ = stock_environment();
    KernelRunner runner(kernel_options(1));
    const KernelVariant what{&canary_kernel, &canary_kernel.variants.front()};
    const auto result = runner.run(what);
    Canary out;
    out.good = result && result->status == KernelStatus::passed;
    out.trouble = runner.unreapable() ? Trouble::unreapable : Trouble::none;
    if (!result)
        out.detail = result.error().text();
    else if (!out.good)
        out.detail = what.id() + " at " + std::string(rung_name(result->rung)) + ": " + result->detail;
    return out;
}

OpenedTrial ProcessHost::open(const OverrideSet& overrides, std::uint64_t seed) {
    OpenedTrial out;
    const auto fail = [&](std::string detail) {
        out.trouble = Trouble::inactive;
        out.detail = std::move(detail);
        return out;
    };
    overrides_ = overrides;
    environment_ = stock_environment();
    ::unlink(status_path().c_str());
    if (!overrides.empty()) {
        const std::string profile = folder_.path() + "/draft.json";
        if (const auto written = write_profile(draft_profile(overrides, options_.backend), profile); !written)
            return fail(written.error().text());
        LaunchOptions launch;
        launch.profile = profile;
        launch.status_path = status_path();
        launch.allow_draft = true;
        auto environment = launch_environment(launch);
        if (!environment)
            return fail(environment.error().text());
        environment_ = std::move(*environment);
    }
    ProbeOptions probe;
    probe.device = 0;
    probe.environment = environment_;
    probe.worker = options_.worker;
    const auto table = probe_devices(probe);
    if (!table)
        return fail(table.error().text());
    if (auto why = inactive(); !why.empty())
        return fail(std::move(why));
    out.answers = answer_set(table->devices.front());
    for (const auto& [key, value] : overrides) {
        const auto seen = out.answers.find(key);
        if (seen == out.answers.end() || seen->second != value)
            return fail(
                key + " is still " +
                (seen == out.answers.end() ? std::string("unanswered") : write_json_line(seen->second)) +
                " although the shim says that it is active");
    }
    runner_.emplace(kernel_options(seed));
    return out;
}

std::string ProcessHost::inactive() const {
    if (overrides_.empty())
        return {};
    const auto status = read_status(status_path());
    if (!status)
        return "the shim left no status: " + status.error().text();
    if (!status->active)
        return "the shim was not active: " + (status->detail.empty() ? status->reason : status->detail);
    return {};
}

RanVariant ProcessHost::run(const Variant& variant) {
    RanVariant out;
    const auto found = select_kernels({variant.id()});
    if (!found || found->size() != 1 || !runner_) {
        out.outcome.detail = found ? "no trial is open" : found.error().text();
        return out;
    }
    const auto result = runner_->run(found->front());
    if (result)
        out = ran_of(*result);
    else
        out.outcome.detail = result.error().text();
    if (runner_->unreapable()) {
        out.trouble = Trouble::unreapable;
        out.detail = "a process that ran " + variant.id() + " cannot be ended";
    } else if (auto why = inactive(); !why.empty()) {
        out.trouble = Trouble::inactive;
        out.detail = std::move(why);
    }
    return out;
}

Trouble ProcessHost::close() {
    const bool unreapable = runner_ && runner_->unreapable();
    runner_.reset();
    environment_.clear();
    return unreapable ? Trouble::unreapable : Trouble::none;
}

} // namespace assay::ablate
