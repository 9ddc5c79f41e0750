// An ablation in words.
#include "ablate/report.h"
#include "base/text.h"
#include "base/text_table.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace assay::ablate {

namespace {

using Kind = CandidateVerdict::Kind;
using Reach = SearchResult::Reach;

std::string override_text(const std::string& key, const json::value& value) {
    return key + " = " + write_json_line(value);
}

std::string verdict_text(const CandidateVerdict& verdict, const std::string& goals) {
    if (verdict.kind == Kind::not_needed)
        return "not needed for " + goals;
    return std::string(verdict_name(verdict.kind));
}

std::string decided_text(const CandidateVerdict& verdict, Reach reach) {
    if (verdict.kind == Kind::at_stock)
        return "the device says so already";
    if (verdict.kind == Kind::needed) {
        if (verdict.opens.empty())
            return "the ladder: a higher family implies it";
        std::string out = "opens " + join(verdict.opens, ", ");
        if (!verdict.shown_by.empty())
            out += "; " + join(verdict.shown_by, ", ") + (verdict.shown_by.size() == 1 ? " is" : " are") +
                   " correct";
        return out;
    }
    if (verdict.decided)
        return verdict.decided->brief();
    if (!verdict.hazards.empty()) {
        // What Apple's tables promise comes first: it holds for every client.
        std::vector<std::string> kernels;
        for (const bool documented : {true, false})
            for (const auto& hazard : verdict.hazards) {
                const bool by_tables = std::find(hazard.clients.begin(), hazard.clients.end(),
                                                 kDocumentedClient) != hazard.clients.end();
                const std::string text = hazard.kernel + "/" + hazard.variant + " fails at " + hazard.rung;
                if (by_tables == documented &&
                    std::find(kernels.begin(), kernels.end(), text) == kernels.end())
                    kernels.push_back(text);
            }
        return join(kernels, "; ");
    }
    if (verdict.kind == Kind::inconclusive)
        return "not tried";
    if (reach == Reach::no_shim_needed)
        return "everything wanted is open without it";
    return verdict.opens.empty() ? "opens nothing that is wanted"
                                 : "opens " + join(verdict.opens, ", ") + ", which is open without it";
}

/// Hazards of every candidate and of the chosen set, each once.
std::vector<Hazard> all_hazards(const SearchResult& result) {
    std::vector<Hazard> out = result.hazards;
    for (const auto& verdict : result.candidates)
        for (const auto& hazard : verdict.hazards) {
            const bool known = std::any_of(out.begin(), out.end(), [&](const Hazard& other) {
                return other.overrides == hazard.overrides && other.feature == hazard.feature &&
                       other.kernel == hazard.kernel && other.variant == hazard.variant;
            });
            if (!known)
                out.push_back(hazard);
        }
    return out;
}

bool kept(const Hazard& hazard, const SearchResult& result) {
    return std::all_of(hazard.overrides.begin(), hazard.overrides.end(),
                       [&](const std::string& key) { return result.chosen.count(key) != 0; });
}

std::string hazards_text(const SearchResult& result) {
    const auto hazards = all_hazards(result);
    if (hazards.empty())
        return result.reach == Reach::no_shim_needed
                   ? std::string()
                   : "No hazards: every promise that a kernel here can check is kept.\n\n";
    TextTable table({"promised by", "kept", "kernel", "fails at", "feature", "clients that may believe it"});
    for (const auto& hazard : hazards)
        table.add(
            {join(hazard.overrides, " + "), kept(hazard, result) ? "yes" : "no",
             hazard.kernel + "/" + hazard.variant, hazard.rung, hazard.feature.empty() ? "-" : hazard.feature,
             hazard.clients.empty() ? "whoever uses all that is reported" : join(hazard.clients, ", ")});
    return "Hazards: promises to others that are not kept\n" + table.text(2) + "\n";
}

std::string gates_text(const SearchResult& result) {
    TextTable table;
    for (const auto& gate : result.gates) {
        std::string state;
        switch (gate.state) {
        case GateVerdict::State::open_at_stock:
            state = "open at stock";
            break;
        case GateVerdict::State::opened:
            state = "opened";
            break;
        case GateVerdict::State::closed:
            state = "stays closed: " + gate.why;
            break;
        case GateVerdict::State::broken_at_stock:
            state = "open at stock, yet " + gate.why;
            break;
        }
        table.add({gate.gate, state});
    }
    return table.text(2);
}

std::string count_text(std::size_t count, std::string_view noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string reach_text(const SearchResult& result, const std::string& goals) {
    switch (result.reach) {
    case Reach::no_shim_needed:
        return "No shim needed: everything that " + goals + " wants is open at stock.";
    case Reach::reached:
        return "Goal " + goals + " reached with " + count_text(result.chosen.size(), "override") + ".";
    case Reach::partly:
        return "Goal " + goals + " is not safely reachable as a whole; " +
               count_text(result.chosen.size(), "override") +
               (result.chosen.size() == 1 ? " opens" : " open") + " the part that is safe.";
    case Reach::unreachable:
        return "Goal " + goals + " is not safely reachable: no wanted gate of it can be opened safely.";
    case Reach::stopped:
        return "Stopped: " + result.stopped + ".";
    }
    return {};
}

std::string search_text(const Ablation& ablation) {
    const SearchResult& result = ablation.result;
    std::string out = count_text(result.trials, "trial");
    if (result.reach == Reach::no_shim_needed || result.reach == Reach::stopped)
        return out + ".\n";
    out += result.proven_smallest ? result.chosen.empty() ? "; every set that could help was judged"
                                                          : "; no smaller set does as well"
                                  : "; " + count_text(result.untried, "set") +
                                        " that might do better not judged within the budget";
    out += ".\n";
    if (!result.chosen.empty())
        out += ablation.repeats == 0
                   ? std::string("Not confirmed: --repeats 0.\n")
                   : fmt::format("Confirmed in {}, all clean: a failure rate of {} could have been missed.\n",
                                 count_text(result.confirmations, "fresh run"),
                                 missed_rate_text(ablation.repeats));
    for (const auto& failure : result.rejected_in_confirmation)
        out += "Rejected in confirmation: " + failure.text() + ".\n";
    for (const auto& conflict : result.conflicts)
        out += "Unsafe together: " + join(conflict.overrides, " + ") + ": " + conflict.failure.text() + ".\n";
    if (!ablation.moved.empty())
        out += "Answers that moved besides: " + join(ablation.moved, ", ") + ".\n";
    if (!result.unchecked.empty())
        out +=
            count_text(result.unchecked.size(), "promise") + " to clients unchecked: no kernel here could.\n";
    return out;
}

json::array strings(const std::vector<std::string>& list) {
    json::array out;
    for (const auto& text : list)
        out.emplace_back(text);
    return out;
}

} // namespace

double missed_rate(unsigned repeats) { return repeats == 0 ? 1.0 : 1.0 - std::pow(0.05, 1.0 / repeats); }

std::string missed_rate_text(unsigned repeats) {
    if (repeats == 0)
        return "any";
    return fmt::format("{:.0f} % at 95 % confidence", std::ceil(missed_rate(repeats) * 100.0 - 1e-9));
}

std::string ablation_text(const Ablation& ablation) {
    const SearchResult& result = ablation.result;
    const std::string goals = join(ablation.goals, " and ");
    std::string out = ablation.device + ", " + ablation.system + "\n";
    if (ablation.simulated)
        out +=
            "Everything below is simulated: a software device stands in for Metal, and its device file says\n"
            "what works.\n";
    out += "\n";
    if (!result.candidates.empty()) {
        TextTable table({"override", "verdict", "decided by"});
        for (const auto& verdict : result.candidates)
            table.add({override_text(verdict.candidate.key, verdict.candidate.value),
                       verdict_text(verdict, goals), decided_text(verdict, result.reach)});
        out += table.text() + "\n" + hazards_text(result);
    }
    out += reach_text(result, goals) + "\n";
    if (result.reach != Reach::stopped)
        out += gates_text(result);
    for (const auto& line : ablation.switches)
        out += "  its own switch for " + line + "\n";
    return out + search_text(ablation);
}

json::object decision_event(const Ablation& ablation) {
    const SearchResult& result = ablation.result;
    json::object out{
        {"event", "decision"}, {"goals", strings(ablation.goals)}, {"reach", reach_name(result.reach)}};
    if (!result.stopped.empty())
        out["stopped"] = result.stopped;
    json::object chosen;
    for (const auto& [key, value] : result.chosen)
        chosen[key] = value;
    out["chosen"] = std::move(chosen);
    out["proven_smallest"] = result.proven_smallest;
    out["untried"] = result.untried;
    json::array candidates;
    for (const auto& verdict : result.candidates) {
        json::object row{{"override", verdict.candidate.key},
                         {"value", verdict.candidate.value},
                         {"verdict", verdict_name(verdict.kind)},
                         {"decided_by", decided_text(verdict, result.reach)},
                         {"why_candidate", verdict.candidate.why}};
        if (verdict.decided && !verdict.decided->kernel.empty()) {
            row["kernel"] = verdict.decided->kernel;
            row["variant"] = verdict.decided->variant;
            row["rung"] = verdict.decided->rung;
        }
        candidates.push_back(std::move(row));
    }
    out["candidates"] = std::move(candidates);
    json::array gates;
    for (const auto& gate : result.gates) {
        json::object row{{"gate", gate.gate}, {"client", gate.client}};
        switch (gate.state) {
        case GateVerdict::State::open_at_stock:
            row["state"] = "open_at_stock";
            break;
        case GateVerdict::State::opened:
            row["state"] = "opened";
            break;
        case GateVerdict::State::closed:
            row["state"] = "closed";
            break;
        case GateVerdict::State::broken_at_stock:
            row["state"] = "broken_at_stock";
            break;
        }
        if (!gate.why.empty())
            row["why"] = gate.why;
        gates.push_back(std::move(row));
    }
    out["gates"] = std::move(gates);
    json::array conflicts;
    for (const auto& conflict : result.conflicts)
        conflicts.push_back(
            {{"overrides", strings(conflict.overrides)}, {"failure", conflict.failure.text()}});
    out["conflicts"] = std::move(conflicts);
    return out;
}

} // namespace assay::ablate
