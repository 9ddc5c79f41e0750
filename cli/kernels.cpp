// assay kernels: lists the micro-kernels, or runs them and shows how far up the claim ladder each comes.
#include "base/text.h"
#include "base/text_table.h"
#include "cli/commands.h"
#include "kernels/feature.h"
#include "kernels/runner.h"

#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

namespace assay::cli {

namespace {

std::string families_of(const Variant& variant) {
    std::vector<std::string> parts;
    for (const auto id : variant.features)
        if (const auto* feature = find_feature(id)) {
            std::vector<std::string> families;
            for (const auto& family : {feature->min_apple_family, feature->min_metal_family})
                if (!family.empty())
                    families.push_back(family);
            parts.push_back(join(families, " or "));
        }
    for (const auto key : variant.reads)
        parts.emplace_back(key);
    return parts.empty() ? "any device" : join(parts, "; ");
}

json::value list_as_json() {
    json::array rows;
    for (const auto* kernel : kernels()) {
        json::array variants;
        for (const auto& variant : kernel->variants) {
            json::array features(variant.features.begin(), variant.features.end());
            json::array reads(variant.reads.begin(), variant.reads.end());
            variants.push_back({{"name", variant.name},
                                {"features", std::move(features)},
                                {"reads", std::move(reads)},
                                {"fallback", variant.fallback}});
        }
        rows.push_back({{"name", kernel->name},
                        {"summary", kernel->summary},
                        {"bound", kernel->bound},
                        {"variants", std::move(variants)}});
    }
    return {{"schema", "assay.kernel-list/1"}, {"kernels", std::move(rows)}};
}

std::string list_as_text() {
    TextTable table({"KERNEL", "VARIANT", "FEATURES", "PROMISED BY", "CHECKS"});
    for (const auto* kernel : kernels()) {
        bool first = true;
        for (const auto& variant : kernel->variants) {
            const std::vector<std::string> features(variant.features.begin(), variant.features.end());
            table.add({first ? std::string(kernel->name) : "", std::string(variant.name),
                       features.empty() ? "-" : join(features, ", "), families_of(variant),
                       first ? std::string(kernel->summary) : ""});
            first = false;
        }
    }
    return table.text();
}

std::string correct_cell(const KernelResult& result) {
    if (result.reached(Rung::correct) != Truth::yes)
        return std::string(result.reached(Rung::correct) == Truth::no ? "no" : "-");
    if (!result.worst)
        return fmt::format("yes ({} values, exact)", result.inputs);
    return fmt::format("yes ({} values, worst {:.2g} of bound)", result.inputs, *result.worst);
}

std::string rung_cell(const KernelResult& result, Rung rung) {
    const auto reached = result.reached(rung);
    return reached == Truth::unknown ? "-" : std::string(truth_name(reached));
}

std::string compiles_cell(const KernelResult& result) {
    if (result.reached(Rung::answers) == Truth::no)
        return "no answer";
    return rung_cell(result, Rung::compiles);
}

/// The ratio to two digits, with the interval; whose time it is stands under the table.
std::string pays_cell(const KernelResult& result) {
    if (!result.pays)
        return "-";
    const auto& pays = *result.pays;
    return fmt::format("{:.2f}x {} ({:.2f}-{:.2f})", pays.ratio, pays.fallback, pays.low, pays.high);
}

std::string verdict_cell(const KernelResult& result) {
    return result.status == KernelStatus::skipped ? "skipped" : std::string(verdict_name(result.verdict()));
}

std::string report_as_text(const KernelReport& report) {
    TextTable table({"KERNEL", "REPORTED", "COMPILES", "RUNS", "CORRECT", "PAYS", "VERDICT"});
    bool timed = false;
    bool wall = false;
    for (const auto& result : report.results) {
        table.add({result.id(), std::string(truth_name(result.reported)), compiles_cell(result),
                   rung_cell(result, Rung::runs), correct_cell(result), pays_cell(result),
                   verdict_cell(result)});
        timed = timed || result.pays;
        wall = wall || (result.pays && result.pays->clock == "wall");
    }
    std::string out = report.device;
    if (!report.os.version.empty())
        out += fmt::format(", {} {}", report.os.name, report.os.version);
    if (report.simulated())
        out += " (simulated: this is assay's software device, which assumes what works)";
    out += "\n\n" + table.text();
    std::string notes;
    for (const auto& result : report.results) {
        if (result.status == KernelStatus::failed)
            notes +=
                fmt::format("{}: failed at {}: {}\n", result.id(), rung_name(result.rung), result.detail);
        else if (!result.detail.empty())
            notes += fmt::format("{}: {}\n", result.id(), result.detail);
        if (!result.pays_detail.empty())
            notes += fmt::format("{}: not timed: {}\n", result.id(), result.pays_detail);
    }
    if (timed)
        notes += report.simulated()
                     ? "pays: software-device time, not a GPU speed-up\n"
                     : "pays: how many times faster than the fallback, median and 95 % interval\n";
    if (wall)
        notes += "pays: by the wall clock where the GPU's timestamps are implausible\n";
    return notes.empty() ? out : out + '\n' + notes;
}

/// One line on standard error that overwrites itself.
class Progress {
  public:
    void show(const KernelVariant& what) const {
        if (on_)
            std::fputs(fmt::format("\r\033[Krunning {} ", what.id()).c_str(), stderr);
    }
    ~Progress() {
        if (on_)
            std::fputs("\r\033[K", stderr);
    }

  private:
    bool on_ = is_terminal(STDERR_FILENO);
};

Result<int> list(const Invocation& invocation) {
    if (invocation.positional.size() > 1)
        return bad_input("assay kernels list", "takes no further arguments");
    print(invocation.has("json") ? write_json(list_as_json()) : list_as_text());
    return kDone;
}

Result<int> run(const Invocation& invocation) {
    const auto what = select_kernels({invocation.positional.begin() + 1, invocation.positional.end()});
    if (!what)
        return what.error();
    KernelOptions options;
    options.seed = invocation.options["seed"].as<std::uint64_t>();
    options.quick = invocation.has("quick");
    options.force = invocation.has("force");
    options.time = !invocation.has("no-time");
    const auto deadline = invocation.options["deadline"].as<double>();
    if (!(deadline > 0 && deadline <= 86400))
        return bad_input("--deadline", "expected seconds, above 0 and at most 86400");
    options.deadline = std::chrono::milliseconds(static_cast<std::int64_t>(deadline * 1000));
    const auto report = [&] {
        const Progress progress;
        KernelListener listener;
        listener.begin = [&](const KernelVariant& one) { progress.show(one); };
        return run_kernels(*what, options, listener);
    }();
    if (!report)
        return report.error();
    print(invocation.has("json") ? write_json(to_json(*report)) : report_as_text(*report));
    for (const auto& result : report->results)
        if (result.verdict() == Verdict::overclaimed)
            return kFindings;
    return kDone;
}

Result<int> run_kernels_command(const Invocation& invocation) {
    const auto action = invocation.positional.empty() ? std::string() : invocation.positional.front();
    if (action == "list")
        return list(invocation);
    if (action == "run")
        return run(invocation);
    return bad_input("assay kernels", action.empty() ? "expected list or run"
                                                     : "\"" + action + "\" is neither list nor run" +
                                                           did_you_mean(action, {"list", "run"}));
}

} // namespace

const Command kernels_command{
    "kernels",
    "list | run [NAME...]",
    "runs kernels that check what the device reports, against exact references",
    "NAME is a kernel (\"reduction\") or one variant of it (\"reduction/simd\"). Without --force only what "
    "the\n"
    "device's answers promise is run. Each variant climbs a ladder: reported, compiles, runs, correct, "
    "pays.\n"
    "  honest       reported and correct       overclaimed  reported, yet fails: exit code 1\n"
    "  latent       not reported, yet correct  absent       not reported, and fails\n\n"
    "  assay kernels run                         does the device keep its promises?\n"
    "  assay kernels run --force                 and what can it do besides?\n",
    [](po::options_description& options) {
        options.add_options()("force", "run also what is not reported")("quick", "few and small sizes")(
            "json", "print JSON")("no-time", "do not compare with the fallbacks' time")(
            "seed", po::value<std::uint64_t>()->default_value(1)->value_name("N"), "of the random inputs")(
            "deadline", po::value<double>()->default_value(60)->value_name("SECONDS"), "for each variant");
    },
    run_kernels_command};

} // namespace assay::cli
