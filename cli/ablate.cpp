// assay ablate: the smallest safe set of changed answers for a program.
#include "ablate/run.h"
#include "base/text.h"
#include "cli/commands.h"
#include "kernels/gate.h"

#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

namespace assay::cli {

namespace {

/// One line on standard error that overwrites itself.
class Progress {
  public:
    void show(const ablate::TrialProgress& progress) const {
        if (!on_ || progress.replayed)
            return;
        const std::string purpose =
            progress.request ? std::string(ablate::purpose_name(progress.request->purpose)) : std::string();
        std::fputs(fmt::format("\r\033[Ktrial {} {} {}", progress.trial, purpose, progress.step).c_str(),
                   stderr);
    }
    void clear() const {
        if (on_)
            std::fputs("\r\033[K", stderr);
    }

  private:
    bool on_ = is_terminal(STDERR_FILENO);
};

std::string profile_text(const ablate::RunOutcome& outcome) {
    if (outcome.profile.empty())
        return "No profile.\n";
    std::string out = fmt::format("\nProfile {} ({})\n", outcome.profile, outcome.profile_digest);
    for (const auto& [key, value] : outcome.ablation.result.chosen) {
        const auto& stock = outcome.ablation.result.stock.answers;
        const auto seen = stock.find(key);
        out += fmt::format("  {} = {} (stock {})\n", key, write_json_line(value),
                           seen == stock.end() ? "unanswered" : write_json_line(seen->second));
    }
    if (!outcome.unpinned.empty())
        out += fmt::format("It is a draft: this system does not state {}, so nothing can be pinned to it.\n",
                           join(outcome.unpinned, ", "));
    return out + fmt::format("  assay run {}--profile {} -- COMMAND\n",
                             outcome.unpinned.empty() ? "" : "--draft ", outcome.profile);
}

int exit_code(const ablate::SearchResult& result) {
    using Reach = ablate::SearchResult::Reach;
    switch (result.reach) {
    case Reach::no_shim_needed:
    case Reach::reached:
        return kDone;
    case Reach::partly:
    case Reach::unreachable:
        return kFindings;
    case Reach::stopped:
        return static_cast<int>(ErrorKind::environment);
    }
    return kFindings;
}

Result<int> run_ablate(const Invocation& invocation) {
    ablate::RunOptions options;
    if (invocation.has("goal"))
        for (const auto& goal : invocation.options["goal"].as<std::vector<std::string>>())
            if (std::find(options.goals.begin(), options.goals.end(), goal) == options.goals.end())
                options.goals.push_back(goal);
    if (!invocation.has("output"))
        return bad_input("assay ablate", "-o DIR is missing: the folder for the run record and the profile");
    if (!invocation.positional.empty())
        return bad_input("assay ablate", "what is \"" + invocation.positional.front() + "\"?",
                         "a goal is named with --goal");
    options.folder = invocation.text("output");
    options.resume = invocation.has("resume");
    options.repeats = invocation.options["repeats"].as<unsigned>();
    options.budget = invocation.options["budget"].as<unsigned>();
    options.kernel_deadline = std::chrono::seconds(invocation.options["deadline"].as<unsigned>());
    if (options.kernel_deadline.count() == 0)
        return bad_input("--deadline 0", "expected at least one second");

    const Progress progress;
    options.progress = [&](const ablate::TrialProgress& step) { progress.show(step); };
    options.planned = [&](std::size_t candidates, std::size_t budget) {
        std::fputs(fmt::format("candidates: {}; trials: at most {}; confirmations: {}\n", candidates, budget,
                               options.repeats)
                       .c_str(),
                   stderr);
    };
    const auto outcome = ablate::run_ablation(options);
    progress.clear();
    if (!outcome)
        return outcome.error();
    print(ablate::ablation_text(outcome->ablation));
    if (outcome->ablation.result.reach != ablate::SearchResult::Reach::no_shim_needed)
        print(profile_text(*outcome));
    return exit_code(outcome->ablation.result);
}

} // namespace

const Command ablate_command{
    "ablate",
    "--goal CLIENT... -o DIR [options]",
    "finds the smallest safe set of changed answers for a program",
    "Tries changed answers one by one and together, each trial in a fresh process under the injected\n"
    "library, and lets kernels with exact references decide what is safe. DIR receives the run record\n"
    "(run.jsonl), the stock answers (stock.json) and, if something can be opened safely, profile.json.\n"
    "A run that was killed goes on with --resume.\n\n"
    "  assay ablate --goal llama.cpp -o study\n"
    "  assay run --profile study/profile.json -- COMMAND\n\n"
    "Exit code 0: goal reached, or no shim needed; 1: not safely reachable (as a whole); 3: the device "
    "cannot\n"
    "be worked with.\n",
    [](po::options_description& options) {
        options.add_options()(
            "goal", po::value<std::vector<std::string>>()->composing()->value_name("CLIENT"),
            ("program whose fast paths are wanted, repeatable: " + join(goals(), ", ")).c_str())(
            "output,o", po::value<std::string>()->value_name("DIR"),
            "folder for everything that is written")("resume", "go on with the run record in DIR")(
            "repeats", po::value<unsigned>()->default_value(5)->value_name("N"),
            "confirmations of the result in fresh processes")(
            "budget", po::value<unsigned>()->default_value(0)->value_name("N"),
            "most trials, confirmations apart; 0 is 2 x candidates + 12")(
            "deadline", po::value<unsigned>()->default_value(30)->value_name("SECONDS"),
            "for one kernel variant, its compilation included");
    },
    run_ablate};

} // namespace assay::cli
