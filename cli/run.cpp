// assay run: one program with a profile's answers.
#include "base/file.h"
#include "base/text.h"
#include "cli/commands.h"
#include "shim/foreground.h"
#include "shim/launch.h"
#include "shim/profile.h"
#include "shim/program_file.h"
#include "shim/status.h"

#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

namespace assay::cli {

namespace {

constexpr int kNotActive = static_cast<int>(ErrorKind::environment);

void say(const std::string& line) { std::fputs(("assay run: " + line + '\n').c_str(), stderr); }

/// The program as it is, because the answers cannot be changed; or no program at all, if they have to be.
Result<int> run_stock(const std::vector<std::string>& command, const std::string& why, bool required) {
    if (required) {
        say("not started, because --require was given: " + why);
        return kNotActive;
    }
    say("stock answers: " + why);
    const auto status = run_in_foreground(command, {});
    if (!status)
        return status.error();
    return exit_code(*status);
}

std::string names(const Status& status) {
    std::vector<std::string> out;
    for (const auto& device : status.devices)
        out.push_back(device.device_class);
    return join(out, ", ");
}

std::string active_line(const Status& status, std::size_t overrides) {
    return fmt::format("active: {} override{} on {} ({}), {} consulted", overrides, overrides == 1 ? "" : "s",
                       names(status), status.install_point, status.consulted.size());
}

/// What is left to say when the program has ended, and whether --require is content.
bool report(const Result<Status>& status, std::size_t overrides) {
    if (!status) {
        say("the library did not load into the program: its answers were stock");
        return false;
    }
    if (status->active && status->reason.empty()) {
        say(active_line(*status, overrides));
        return true;
    }
    if (status->waiting()) {
        say("no Metal device was created");
        return true;
    }
    return false; // the library has said why, in one line
}

Result<int> run_with(const Invocation& invocation, LaunchOptions options, std::size_t overrides) {
    const auto folder = TemporaryFolder::make("run");
    if (!folder)
        return folder.error();
    if (options.status_path.empty())
        options.status_path = folder->path() + "/status.json";
    else
        ::unlink(options.status_path.c_str()); // what an earlier run left is not this run's status
    const auto environment = launch_environment(options);
    if (!environment)
        return run_stock(invocation.command, environment.error().text(), options.require);
    const auto ended = run_in_foreground(invocation.command, *environment);
    if (!ended)
        return ended.error();
    const bool content = report(read_status(options.status_path), overrides);
    return options.require && !content ? kNotActive : exit_code(*ended);
}

Result<int> run_run(const Invocation& invocation) {
    if (invocation.command.empty() || !invocation.has("profile"))
        return bad_input("assay run", "expected --profile FILE, \"--\" and a command",
                         "assay run --profile study/profile.json -- ./client");
    LaunchOptions options;
    options.profile = invocation.text("profile");
    options.require = invocation.has("require");
    options.allow_draft = invocation.has("draft");
    options.status_path = invocation.has("status") ? invocation.text("status") : "";
    options.install_point = invocation.has("install-point") ? invocation.text("install-point") : "";
    if (!options.install_point.empty() && options.install_point != "init" &&
        options.install_point != "creation")
        return bad_input("--install-point " + options.install_point, "expected init or creation");
    if (const auto program = find_program(invocation.command.front()); !program)
        return program.error();
    const auto profile = load_profile(options.profile, options.allow_draft);
    if (!profile)
        return run_stock(invocation.command, profile.error().reason + " (" + profile.error().detail + ")",
                         options.require);
    if (const auto program = precheck(invocation.command.front()); !program)
        return run_stock(invocation.command, program.error().text(), options.require);
    return run_with(invocation, std::move(options), profile->overrides.size());
}

} // namespace

const Command run_command{
    "run",
    "--profile FILE [options] -- COMMAND...",
    "runs a program with the changed answers of a profile",
    "The answers change for this program and what it starts, for nothing else. Any doubt means stock answers "
    "and\n"
    "one line that says why: the profile was edited, belongs to another system or device, can be written by\n"
    "others, ... The exit code is the program's (128 + n when signal n ended it).\n\n"
    "With --require the program does not run with stock answers: exit 3 before its start when that is known "
    "by\n"
    "then, when the library refuses as it creates its Metal device, or at its end when the library did not "
    "load.\n"
    "A program that creates no Metal device has nothing to change, which --require accepts.\n\n"
    "  assay run --profile study/profile.json -- ./client --model m.gguf\n",
    [](po::options_description& options) {
        options.add_options()("profile", po::value<std::string>()->value_name("FILE"),
                              "the profile to apply")("require",
                                                      "exit 3 instead of running with stock answers")(
            "draft", "allow a profile that nobody has validated")(
            "install-point", po::value<std::string>()->value_name("P"),
            "change answers while the device is set up (init) or after it was created (creation); default: "
            "init where there is one")("status", po::value<std::string>()->value_name("FILE"),
                                       "write what was applied as JSON");
    },
    run_run};

} // namespace assay::cli
