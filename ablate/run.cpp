// One ablation from the first question to the profile.
#include "ablate/run.h"
#include "ablate/candidates.h"
#include "ablate/problem.h"
#include "ablate/process_host.h"
#include "ablate/profile_maker.h"
#include "base/platform.h"
#include "base/text.h"
#include "kernels/catalogue.h"
#include "probe/prober.h"
#include <algorithm>
#include <ctime>
#include <unistd.h>

namespace assay::ablate {

namespace {

json::array strings(const std::vector<std::string>& list) {
    json::array out;
    for (const auto& text : list)
        out.emplace_back(text);
    return out;
}

/// Today in UTC as YYYY-MM-DD.
std::string today() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    char text[16] = "";
    if (::gmtime_r(&now, &parts) != nullptr)
        std::strftime(text, sizeof text, "%Y-%m-%d", &parts);
    return text;
}

std::string system_text(const Identity& identity) {
    std::string out = identity.os_name + " " + identity.os_version;
    if (!identity.os_build.empty())
        out += " (" + identity.os_build + ")";
    if (!identity.chip.empty())
        out += ", " + identity.chip;
    return out;
}

Result<Table> probe_stock(const RunOptions& options) {
    ProbeOptions probe;
    probe.device = 0;
    probe.environment = stock_environment();
    probe.worker = options.worker;
    auto table = probe_devices(probe);
    if (table && (table->identity.shim.kind == ActiveShim::Kind::ours ||
                  table->identity.shim.kind == ActiveShim::Kind::other))
        return environment_error("",
                                 "a library that changes Metal's answers is active here already (" +
                                     table->identity.shim.name + "), so there is no stock to compare with",
                                 "run assay ablate without it");
    return table;
}

/// Every variant but the canary's, which judges the device and not a feature.
std::vector<Variant> search_variants() {
    std::vector<Variant> out;
    for (const auto* kernel : kernels()) {
        if (kernel == &canary_kernel)
            continue;
        for (const auto& variant : kernel->variants) {
            Variant row{std::string(kernel->name), std::string(variant.name), {}};
            for (const auto feature : variant.features)
                row.features.emplace_back(feature);
            out.push_back(std::move(row));
        }
    }
    return out;
}

/// All that must be the same for a recorded trial to count in a resumed run.
json::object plan_event(const RunOptions& options, const Problem& problem, const Table& table) {
    json::array candidates;
    for (const auto& candidate : problem.candidates)
        candidates.push_back(
            {{"override", candidate.key}, {"value", candidate.value}, {"why", candidate.why}});
    json::array variants;
    for (const auto& variant : problem.variants)
        variants.emplace_back(variant.id());
    json::object system{{"os_build", table.identity.os_build},
                        {"chip", table.identity.chip},
                        {"device_class", table.devices.front().class_name},
                        {"metal_uuid", table.identity.metal_uuid},
                        {"driver_uuid", table.identity.driver_uuid}};
    return {{"event", "plan"},
            {"tool", ASSAY_VERSION},
            {"goals", strings(options.goals)},
            {"candidates", std::move(candidates)},
            {"variants", std::move(variants)},
            {"budget", problem.budget},
            {"repeats", problem.repeats},
            {"system", std::move(system)}};
}

Result<Journal> open_journal(const RunOptions& options, const Table& table, const json::object& plan) {
    const std::string path = options.folder + "/run.jsonl";
    auto journal = options.resume ? Journal::resume(path) : Journal::create(path);
    if (!journal)
        return journal;
    const json::value* recorded = nullptr;
    for (const auto& event : journal->past())
        if (const auto* kind = event.if_contains("event"); kind != nullptr && *kind == json::value("plan"))
            recorded = kind;
    if (recorded == nullptr) {
        json::object identity{{"schema", kRunSchema},
                              {"event", "identity"},
                              {"backend", table.backend},
                              {"boot", boot_session()},
                              {"date", today()},
                              {"device", table.devices.front().name},
                              {"identity", to_json(table.identity)}};
        if (const auto written = journal->append(identity); !written)
            return written.error();
        if (const auto written = journal->append(plan); !written)
            return written.error();
        return journal;
    }
    for (const auto& event : journal->past()) {
        if (event.at("event") != json::value("plan"))
            continue;
        for (const auto& member : plan) {
            const auto* before = event.if_contains(member.key());
            if (before == nullptr || *before != member.value())
                return bad_input(path,
                                 "this run record is of another plan: \"" + std::string(member.key()) +
                                     "\" was " +
                                     (before == nullptr ? std::string("missing") : write_json_line(*before)) +
                                     " and is now " + write_json_line(member.value()),
                                 "resume with the same goals and options on the same system, or choose "
                                 "another folder");
        }
    }
    if (const auto written =
            journal->append({{"event", "resume"}, {"boot", boot_session()}, {"date", today()}});
        !written)
        return written.error();
    return journal;
}

/// Switches that the goals' own programs have for gates that stay closed.
std::vector<std::string> own_switches(const SearchResult& result) {
    std::vector<std::string> out;
    for (const auto& verdict : result.gates) {
        if (verdict.state != GateVerdict::State::closed)
            continue;
        for (const auto& gate : client_gates())
            if (gate.id == verdict.gate && !gate.environment_override.empty())
                out.push_back(gate.id + ": " + join(gate.environment_override, ", "));
    }
    return out;
}

/// The profile of what was chosen; none left over from an earlier attempt when nothing was.
Result<void> write_profile_of(RunOutcome& out, const Table& table, Journal& journal,
                              const std::string& folder) {
    const std::string path = folder + "/profile.json";
    if (out.ablation.result.chosen.empty()) {
        ::unlink(path.c_str());
        return {};
    }
    const Profile profile = made_profile(out.ablation, table, journal.digest(), today());
    if (const auto written = write_profile(profile, path); !written)
        return written.error();
    const auto read_back = load_profile(path, true);
    if (!read_back)
        return internal_error(path, "the profile that was written is refused: " + read_back.error().detail);
    out.profile = path;
    out.profile_digest = read_back->digest;
    out.unpinned = unpinned(table);
    return journal.append({{"event", "profile"}, {"path", "profile.json"}, {"digest", out.profile_digest}});
}

} // namespace

Result<RunOutcome> run_ablation(const RunOptions& options) {
    if (options.goals.empty())
        return bad_input("--goal", "name the program whose fast paths are wanted: " + join(goals(), ", "));
    for (const auto& goal : options.goals)
        if (const auto known = gates_of(goal); !known)
            return known.error();
    if (const auto made = make_folder(options.folder); !made)
        return made.error();
    const auto table = probe_stock(options);
    if (!table)
        return table.error();
    const Device& device = table->devices.front();
    const Os os{table->identity.os_name, table->identity.os_version};

    Problem problem;
    problem.stock = answer_set(device);
    problem.goals = {options.goals.begin(), options.goals.end()};
    const Answers stock = answers_of(problem.stock, os);
    problem.candidates =
        merged(gate_candidates(client_gates(), problem.goals, stock), published_candidates(stock));
    problem.gates = search_gates(client_gates(), os);
    problem.variants = search_variants();
    problem.ladders = {apple_ladder()};
    problem.repeats = options.repeats;
    problem.budget = options.budget != 0 ? options.budget : trial_budget(problem.candidates.size());

    auto journal = open_journal(options, *table, plan_event(options, problem, *table));
    if (!journal)
        return journal.error();
    if (const auto written = write_table(*table, options.folder + "/stock.json"); !written)
        return written.error();
    if (options.planned)
        options.planned(problem.candidates.size(), problem.budget);

    auto host = ProcessHost::make({table->backend, options.worker, options.kernel_deadline});
    if (!host)
        return host.error();
    TrialOracle oracle(**host, *journal, {problem.variants, boot_session(), options.progress});
    auto result = search(problem, oracle);
    if (!result)
        return result.error();

    RunOutcome out;
    out.ablation = {device.name,
                    system_text(table->identity),
                    table->simulated(),
                    options.goals,
                    options.repeats,
                    std::move(*result),
                    {},
                    {}};
    out.ablation.moved = oracle.moved(out.ablation.result.chosen);
    out.ablation.switches = own_switches(out.ablation.result);
    if (out.ablation.result.reach == SearchResult::Reach::stopped)
        return out; // the record says where; a decision is for finished runs
    if (const auto written = journal->append(decision_event(out.ablation)); !written)
        return written.error();
    if (const auto written = write_profile_of(out, *table, *journal, options.folder); !written)
        return written.error();
    return out;
}

} // namespace assay::ablate
