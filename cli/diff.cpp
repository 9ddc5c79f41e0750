// assay diff: what differs between two capability tables.
#include "reports/diff.h"
#include "cli/commands.h"

namespace assay::cli {

static Result<int> run_diff(const Invocation& invocation) {
    if (invocation.positional.size() != 2)
        return bad_input("assay diff", "expected two tables", "assay diff A.json B.json");
    const auto format = invocation.text("format");
    if (format != "text" && format != "json")
        return bad_input("--format " + format, "expected text or json");
    const DiffNames names{invocation.positional[0], invocation.positional[1]};
    const auto before = read_table(names.before);
    if (!before)
        return before.error();
    const auto after = read_table(names.after);
    if (!after)
        return after.error();
    const auto diff = diff_tables(*before, *after);
    const bool all = invocation.has("all");
    print(format == "json" ? write_json(diff_json(diff, names, all)) : diff_text(diff, names, all));
    return diff.differs() ? kFindings : kDone;
}

const Command diff_command{
    "diff",
    "A B [--all] [--format text|json]",
    "shows what differs between two tables",
    "Compares answer with answer: + is better, - is worse by the meaning of the query. A rounded figure "
    "equals\n"
    "every figure that it may stand for, and \"not recorded\" is not \"no\". Exit code 1 when an answer "
    "differs,\n"
    "0 when none does, whatever else is different about the two systems.\n\n"
    "  assay diff host.json guest.json\n",
    [](po::options_description& options) {
        options.add_options()("all", "every answer, also equal, volatile and one-sided ones")(
            "format", po::value<std::string>()->default_value("text")->value_name("F"), "text or json");
    },
    run_diff};

} // namespace assay::cli
