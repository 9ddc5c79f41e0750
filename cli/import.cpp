// assay import: another tool's log becomes a capability table.
#include "probe/import/import.h"
#include "base/file.h"
#include "cli/commands.h"
#include "probe/render.h"

namespace assay::cli {

static Result<int> run_import(const Invocation& invocation) {
    if (invocation.positional.size() != 1)
        return bad_input("assay import", "expected one log", "assay import LOG, or - for standard input");
    const auto& path = invocation.positional[0];
    const auto log = read_file(path);
    if (!log)
        return log.error();
    const auto table = import_log(*log, path == "-" ? "standard input" : path);
    if (!table)
        return table.error();
    const auto output = invocation.has("output") ? invocation.text("output") : std::string{};
    if (!output.empty()) {
        if (const auto written = write_table(*table, output); !written)
            return written.error();
        return kDone;
    }
    print(table_text(*table));
    return kDone;
}

const Command import_command{
    "import",
    "LOG [-o TABLE]",
    "makes a table of what another tool's log says about a device",
    "Reads the log of llama.cpp, whisper.cpp or another client of ggml; - is standard input. An answer that\n"
    "the log states is marked \"logged\", one that the client's own search order implies \"implied\"; what "
    "a\n"
    "log neither says nor implies stays unrecorded.\n\n"
    "  assay import llama.log\n"
    "  llama-bench -m model.gguf 2>&1 | assay import - -o guest.json\n",
    [](po::options_description& options) {
        options.add_options()("output,o", po::value<std::string>()->value_name("FILE"),
                              "write the table as JSON instead of printing it; - is standard output");
    },
    run_import};

} // namespace assay::cli
