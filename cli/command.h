// A sub-command of assay: a row of the table in commands.cpp and a file of its own.
#pragma once
#include "base/error.h"
#include <boost/program_options.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace assay::cli {

namespace po = boost::program_options;

/// Exit codes of every command (errors carry the others, see ErrorKind).
inline constexpr int kDone = 0;
inline constexpr int kFindings = 1; ///< differs, unsafe, goal not reached

/// A parsed command line.
struct Invocation {
    po::variables_map options;
    std::vector<std::string> positional;
    std::vector<std::string> command; ///< what follows "--"

    bool has(const char* name) const { return options.count(name) != 0; }
    /// The option's value; call only for options that were given or have a default.
    std::string text(const char* name) const { return options[name].as<std::string>(); }
};

struct Command {
    std::string_view name;
    std::string_view arguments; ///< for the usage line, e.g. "A B" or "[options] -- COMMAND..."
    std::string_view summary;   ///< one line for the overview
    std::string_view details;   ///< paragraphs and examples for --help
    void (*declare)(po::options_description& options);
    Result<int> (*run)(const Invocation& invocation); ///< the exit code, or an error to print
    bool hidden = false;
};

/// Whether `fd` is a terminal on which progress and colour make sense (NO_COLOR and TERM=dumb turn colour
/// off).
bool is_terminal(int fd);
bool use_colour(int fd);

/// Prints to standard output; a closed pipe is not an error.
void print(std::string_view text);

} // namespace assay::cli
