// From tables, gates and kernels to the search's problem.
#include "ablate/problem.h"

namespace assay::ablate {

AnswerSet answer_set(const Device& device) {
    AnswerSet out;
    if (!device.name.empty())
        out["name"] = device.name;
    if (!device.architecture.empty())
        out["architecture.name"] = device.architecture;
    for (const auto& [key, answer] : device.answers())
        if (answer.answered())
            out[key] = answer.value;
    return out;
}

Answers answers_of(const AnswerSet& answers, const Os& os) {
    Answers out;
    out.os = os;
    out.lookup = [&answers](std::string_view key) -> std::optional<json::value> {
        const auto found = answers.find(std::string(key));
        return found == answers.end() ? std::nullopt : std::optional<json::value>(found->second);
    };
    return out;
}

std::vector<Gate> search_gates(const std::vector<assay::Gate>& gates, const Os& os) {
    std::vector<Gate> out;
    for (const auto& gate : gates) {
        if (gate.goal.empty() || !gate.expression)
            continue;
        Gate row{gate.id, gate.goal, Role::fast_path, gate.needs, {}};
        if (gate.role == "admission")
            row.role = Role::admission;
        else if (gate.role == "side_effect")
            row.role = Role::side_effect;
        else if (gate.role != "fast_path")
            continue;
        row.open = [&gate, os](const AnswerSet& answers) {
            return gate.open(answers_of(answers, os)) == Truth::yes;
        };
        out.push_back(std::move(row));
    }
    return out;
}

} // namespace assay::ablate
