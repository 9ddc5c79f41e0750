// assay probe: every answer of the devices of this system.
#include "cli/commands.h"
#include "probe/describe.h"
#include "probe/prober.h"
#include "probe/render.h"

#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

namespace assay::cli {

namespace {

/// One line on standard error that overwrites itself.
class Progress {
  public:
    void show(std::size_t done, std::size_t total) const {
        if (on_)
            std::fputs(fmt::format("\rasking {} of {} ", done, total).c_str(), stderr);
    }
    ~Progress() {
        if (on_)
            std::fputs("\r\033[K", stderr);
    }

  private:
    bool on_ = is_terminal(STDERR_FILENO);
};

/// What went wrong with single questions, on standard error.
void print_losses(const Table& table) {
    for (const auto& device : table.devices)
        for (const auto& [key, answer] : device.answers())
            if (!answer.answered() && answer.status != AnswerStatus::absent)
                std::fputs(
                    fmt::format("note: {} {}: {}\n", key, describe(answer, nullptr), answer.detail).c_str(),
                    stderr);
}

Result<int> run_probe(const Invocation& invocation) {
    const auto format = invocation.text("format");
    if (format != "text" && format != "json")
        return bad_input("--format " + format, "expected text or json");
    ProbeOptions options;
    if (invocation.has("device"))
        options.device = invocation.options["device"].as<unsigned>();
    Result<Table> table = [&] {
        const Progress progress;
        options.progress = [&](std::size_t done, std::size_t total) { progress.show(done, total); };
        return probe_devices(options);
    }();
    if (!table)
        return table.error();
    print_losses(*table);
    const auto output = invocation.has("output") ? invocation.text("output") : std::string{};
    if (!output.empty())
        if (const auto written = write_table(*table, output); !written)
            return written.error();
    if (output == "-")
        return kDone;
    print(format == "json" ? write_json(to_json(*table)) : table_text(*table));
    return kDone;
}

} // namespace

const Command probe_command{
    "probe",
    "[--device N] [--format text|json] [-o TABLE]",
    "asks the device every capability question there is",
    "Every question runs in a process of its own worker: one that raises, aborts or hangs is recorded so "
    "and\n"
    "costs no other answer. The table that -o writes is what diff and ablate read.\n\n"
    "  assay probe\n"
    "  assay probe -o guest.json && assay diff host.json guest.json\n",
    [](po::options_description& options) {
        options.add_options()("device", po::value<unsigned>()->value_name("N"),
                              "only this device; 0 is the default device")(
            "format", po::value<std::string>()->default_value("text")->value_name("F"),
            "what is printed: text or json")("output,o", po::value<std::string>()->value_name("FILE"),
                                             "write the table as JSON; - is standard output");
    },
    run_probe};

} // namespace assay::cli
