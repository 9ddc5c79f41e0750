// Running a program as a shell would: in front, with our terminal.
#pragma once
#include "base/process.h"
#include <string>
#include <utility>
#include <vector>

namespace assay {

/// Runs a program with our standard streams, in our process group, and waits for its end. Signals that we
/// receive meanwhile are passed on to it, except those that the terminal has sent to both of us.
/// `environment` is set on top of ours; an empty value unsets. An error when it cannot be started.
Result<ExitStatus> run_in_foreground(const std::vector<std::string>& command,
                                     const std::vector<std::pair<std::string, std::string>>& environment);

/// The exit code a shell would give: the program's, or 128 + n when signal n ended it.
int exit_code(const ExitStatus& status);

} // namespace assay
