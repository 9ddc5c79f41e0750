// Which changed answers are worth a verdict.
#include "ablate/candidates.h"
#include "base/json_reader.h"
#include "embedded/ablate.h"
#include "metal/gpu_family.h"
#include "shim/overridable.h"
#include <algorithm>

namespace assay::ablate {

namespace {

/// The comparisons of an expression that an overridden answer can satisfy. `wanted` is false inside a "not".
void collect(const json::value& expression, bool wanted, std::vector<Candidate>& out) {
    const auto* object = expression.if_object();
    if (object == nullptr)
        return;
    for (const auto* list : {object->if_contains("any"), object->if_contains("all")})
        if (list != nullptr && list->is_array())
            for (const auto& part : list->get_array())
                collect(part, wanted, out);
    if (const auto* part = object->if_contains("not"))
        collect(*part, !wanted, out);
    const auto* query = object->if_contains("query");
    if (query == nullptr || !query->is_string())
        return;
    const std::string key(query->get_string());
    if (const auto* is = object->if_contains("is"); is != nullptr && is->is_bool())
        out.push_back({key, is->get_bool() == wanted, {}});
    if (const auto* least = object->if_contains("at_least"); least != nullptr && least->is_number() && wanted)
        out.push_back({key, *least, {}});
}

bool same_kind(const json::value& a, const json::value& b) {
    return (a.is_bool() && b.is_bool()) ||
           ((a.is_int64() || a.is_uint64()) && (b.is_int64() || b.is_uint64()));
}

bool overridable(const Candidate& candidate, const Answers& stock) {
    OverrideTarget target;
    std::string why_not;
    const auto answer = stock.find(candidate.key);
    return answer && same_kind(*answer, candidate.value) && resolve_override(candidate.key, target, why_not);
}

void add(std::vector<Candidate>& list, Candidate candidate) {
    const bool known = std::any_of(list.begin(), list.end(), [&](const Candidate& other) {
        return other.key == candidate.key && other.value == candidate.value;
    });
    if (!known)
        list.push_back(std::move(candidate));
}

} // namespace

std::vector<std::string> apple_ladder() {
    std::vector<std::string> out;
    for (const auto& family : metal::gpu_families())
        if (family.name.substr(0, 5) == "Apple")
            out.push_back("supportsFamily(" + std::string(family.name) + ")");
    return out;
}

std::vector<Candidate> gate_candidates(const std::vector<assay::Gate>& gates,
                                       const std::set<std::string>& goals, const Answers& stock) {
    std::vector<Candidate> out;
    const auto ladder = apple_ladder();
    for (const auto& gate : gates) {
        const bool wanted = gate.role == "fast_path" || gate.role == "admission";
        if (!wanted || goals.count(gate.goal) == 0 || !gate.expression || gate.open(stock) == Truth::yes)
            continue;
        std::vector<Candidate> read;
        collect(gate.expression->to_json(), true, read);
        for (auto& candidate : read) {
            if (!overridable(candidate, stock) || stock.find(candidate.key) == candidate.value)
                continue;
            candidate.why = "read by " + gate.id;
            add(out, std::move(candidate));
        }
    }
    for (std::size_t i = 0, read = out.size(); i < read; ++i) {
        const std::string key = out[i].key;
        const auto step = std::find(ladder.begin(), ladder.end(), key);
        if (step == ladder.end() || out[i].value != json::value(true))
            continue;
        for (auto lower = ladder.begin(); lower != step; ++lower)
            if (stock.find(*lower) == json::value(false))
                add(out, {*lower, true, "a step below " + key});
    }
    return out;
}

std::vector<Candidate> published_candidates(const Answers& stock) {
    auto list = candidates_from_json(
        parse_json(embedded::ablate::published_candidates_json, "published_candidates.json").value(),
        "published_candidates.json");
    std::vector<Candidate> out;
    for (auto& candidate : list.value())
        if (overridable(candidate, stock))
            out.push_back(std::move(candidate));
    return out;
}

std::vector<Candidate> merged(std::vector<Candidate> first, std::vector<Candidate> second) {
    std::vector<Candidate> all;
    for (auto* list : {&first, &second})
        for (auto& candidate : *list)
            add(all, std::move(candidate));
    const auto ladder = apple_ladder();
    std::vector<Candidate> out;
    for (const auto& key : ladder)
        for (const auto& candidate : all)
            if (candidate.key == key)
                out.push_back(candidate);
    for (auto& candidate : all)
        if (std::find(ladder.begin(), ladder.end(), candidate.key) == ladder.end())
            out.push_back(std::move(candidate));
    return out;
}

Result<std::vector<Candidate>> candidates_from_json(const json::value& value, const std::string& name) {
    Problems problems(name);
    std::vector<Candidate> out;
    {
        ObjectReader document(value, "", problems);
        document.schema("assay.candidates/1");
        const auto& rows = document.array("candidates");
        for (std::size_t i = 0; i < rows.size(); ++i) {
            ObjectReader row(rows[i], "/candidates/" + std::to_string(i), problems);
            Candidate candidate;
            candidate.key = row.string("query");
            candidate.why = row.string("why");
            if (const auto* answer = row.require("value")) {
                candidate.value = *answer;
                if (!answer->is_bool() && !answer->is_int64() && !answer->is_uint64())
                    problems.add(row.pointer("value"), "expected true, false or a whole number");
            }
            out.push_back(std::move(candidate));
        }
    }
    if (!problems.empty())
        return problems.error();
    return out;
}

} // namespace assay::ablate
