// The table of sub-commands.
#pragma once
#include "cli/command.h"
#include <span>

namespace assay::cli {

extern const Command ablate_command;
extern const Command kernels_command;
extern const Command probe_command;
extern const Command import_command;
extern const Command diff_command;
extern const Command profile_command;
extern const Command run_command;
extern const Command worker_command;

/// Every sub-command, in the order of the overview.
std::span<const Command* const> commands();

} // namespace assay::cli
