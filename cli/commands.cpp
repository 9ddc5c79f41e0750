// The table of sub-commands.
#include "cli/commands.h"

namespace assay::cli {

std::span<const Command* const> commands() {
    static constexpr const Command* kCommands[] = {
        &probe_command,  &import_command, &diff_command,    &kernels_command,
        &ablate_command, &run_command,    &profile_command, &worker_command,
    };
    return kCommands;
}

} // namespace assay::cli
