// assay: finds the sub-command, parses its options, prints its error.
#include "base/platform.h"
#include "base/text.h"
#include "base/text_table.h"
#include "cli/commands.h"
#include "cli/version.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <iostream>
#include <sstream>
#include <unistd.h>

namespace assay::cli {

bool is_terminal(int fd) { return ::isatty(fd) != 0; }

bool use_colour(int fd) {
    const char* no_colour = std::getenv("NO_COLOR");
    const char* term = std::getenv("TERM");
    return is_terminal(fd) && !(no_colour && *no_colour) && term && std::string_view(term) != "dumb";
}

void print(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

namespace {

std::string overview() {
    TextTable table;
    for (const auto* command : commands())
        if (!command->hidden)
            table.add({std::string(command->name), std::string(command->summary)});
    return "assay asks a GPU what Metal says it can do, checks the answers with kernels, finds the smallest "
           "safe\n"
           "set of changed answers for a program, and applies it to one process.\n\n"
           "Usage: assay COMMAND [options]\n\n" +
           table.text(2) +
           "\nStart with:\n"
           "  assay probe                              what does this device report?\n"
           "  assay ablate --goal llama.cpp -o study   which changed answers are safe and worth it?\n"
           "  assay run --profile study/profile.json -- COMMAND\n\n"
           "assay COMMAND --help explains a command. Exit codes: 0 done, 1 findings, 2 usage or bad input,\n"
           "3 this environment cannot do it, 4 internal error, 130 interrupted.\n";
}

std::string help(const Command& command, const po::options_description& options) {
    std::ostringstream out;
    out << "assay " << command.name << ": " << command.summary << "\n\nUsage: assay " << command.name;
    if (!command.arguments.empty())
        out << ' ' << command.arguments;
    out << "\n\n" << options;
    if (!command.details.empty())
        out << '\n' << command.details << '\n';
    return out.str();
}

Result<Invocation> parse(const Command& command, const po::options_description& declared,
                         std::vector<std::string> arguments) {
    Invocation invocation;
    const auto separator = std::find(arguments.begin(), arguments.end(), "--");
    if (separator != arguments.end()) {
        invocation.command.assign(separator + 1, arguments.end());
        arguments.erase(separator, arguments.end());
    }
    po::options_description all(declared);
    all.add_options()("positional", po::value<std::vector<std::string>>());
    po::positional_options_description positional;
    positional.add("positional", -1);
    try {
        using namespace po::command_line_style;
        po::store(po::command_line_parser(arguments)
                      .options(all)
                      .positional(positional)
                      .style(unix_style & ~allow_guessing)
                      .run(),
                  invocation.options);
        po::notify(invocation.options);
    } catch (const po::error& error) {
        return bad_input("assay " + std::string(command.name), error.what(),
                         "assay " + std::string(command.name) + " --help lists the options");
    }
    if (invocation.has("positional"))
        invocation.positional = invocation.options["positional"].as<std::vector<std::string>>();
    return invocation;
}

int fail(const Error& error) {
    std::fflush(stdout);
    std::fputs(("assay: " + error.text() + '\n').c_str(), stderr);
    return static_cast<int>(error.kind);
}

int run(const Command& command, const std::vector<std::string>& arguments) {
    po::options_description options("Options");
    command.declare(options);
    options.add_options()("help,h", "explain this command");
    const auto invocation = parse(command, options, arguments);
    if (!invocation)
        return fail(invocation.error());
    if (invocation->has("help")) {
        print(help(command, options));
        return kDone;
    }
    const auto code = command.run(*invocation);
    return code ? *code : fail(code.error());
}

int main(const std::vector<std::string>& arguments) {
    if (arguments.empty() || arguments[0] == "--help" || arguments[0] == "-h" || arguments[0] == "help") {
        print(overview());
        return kDone;
    }
    if (arguments[0] == "--version") {
        print(std::string("assay ") + kVersionText + '\n');
        return kDone;
    }
    std::vector<std::string_view> names;
    for (const auto* command : commands()) {
        if (command->name == arguments[0])
            return run(*command, {arguments.begin() + 1, arguments.end()});
        if (!command->hidden)
            names.push_back(command->name);
    }
    return fail(bad_input("",
                          "there is no command \"" + arguments[0] + "\"" + did_you_mean(arguments[0], names),
                          "assay alone lists the commands"));
}

} // namespace
} // namespace assay::cli

int main(int argc, char** argv) {
    try {
        const int code = assay::cli::main({argv + 1, argv + argc});
        if (std::fflush(stdout) != 0 && code == 0)
            return static_cast<int>(assay::ErrorKind::environment);
        return code;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "assay: internal error: %s\n", error.what());
        return static_cast<int>(assay::ErrorKind::internal);
    }
}
