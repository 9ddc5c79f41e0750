// What one trial proves.
#include "ablate/judge.h"
#include <algorithm>

namespace assay::ablate {

namespace {

constexpr const char* kNoKernel = "no kernel here exercises it";

bool contains(const std::vector<std::string>& list, const std::string& item) {
    return std::find(list.begin(), list.end(), item) != list.end();
}

const Outcome* outcome_of(const Trial& trial, const Variant& variant) {
    const auto found = trial.outcomes.find(variant.id());
    return found == trial.outcomes.end() ? nullptr : &found->second;
}

bool has_status(const Trial& trial, const Variant& variant, Outcome::Status status) {
    const Outcome* outcome = outcome_of(trial, variant);
    return outcome != nullptr && outcome->status == status;
}

/// Whether every feature of `part` is one of `whole`, and `whole` has more.
bool fewer_features(const Variant& part, const Variant& whole) {
    return part.features.size() < whole.features.size() &&
           std::all_of(part.features.begin(), part.features.end(),
                       [&](const std::string& feature) { return contains(whole.features, feature); });
}

/// Whether all that the variant uses is promised.
bool wholly(const std::set<std::string>& promised, const Variant& variant) {
    return std::all_of(variant.features.begin(), variant.features.end(),
                       [&](const std::string& feature) { return promised.count(feature) != 0; });
}

std::string_view status_words(Outcome::Status status) {
    switch (status) {
    case Outcome::Status::passed:
        return "passed";
    case Outcome::Status::failed:
        return "failed";
    case Outcome::Status::not_reported:
        return "was not run: not reported";
    case Outcome::Status::skipped:
        return "was skipped";
    case Outcome::Status::inconclusive:
        return "was inconclusive";
    }
    return "";
}

std::string why_inconclusive(const Variant& variant, const Outcome* outcome) {
    if (outcome == nullptr)
        return variant.id() + " was not run";
    std::string out = variant.id() + " " + std::string(status_words(outcome->status));
    return outcome->detail.empty() ? out : out + ": " + outcome->detail;
}

/// Adds the gate to the hazard of the same overrides, feature and variant, or makes a new one.
void add_hazard(std::vector<Hazard>& hazards, Hazard hazard) {
    for (auto& known : hazards) {
        if (known.overrides != hazard.overrides || known.feature != hazard.feature ||
            known.kernel != hazard.kernel || known.variant != hazard.variant)
            continue;
        if (!contains(known.clients, hazard.clients.front()))
            known.clients.push_back(hazard.clients.front());
        known.gates.push_back(hazard.gates.front());
        return;
    }
    hazards.push_back(std::move(hazard));
}

} // namespace

std::set<std::string> promised_features(const Problem& problem, const AnswerSet& answers) {
    std::set<std::string> out;
    for (const auto& gate : problem.gates)
        if (gate.open(answers))
            out.insert(gate.needs.begin(), gate.needs.end());
    return out;
}

std::vector<std::string> promised_variants(const Problem& problem, const AnswerSet& answers) {
    const auto promised = promised_features(problem, answers);
    std::set<std::string> lonely = promised;
    for (const auto& variant : problem.variants)
        if (wholly(promised, variant))
            for (const auto& feature : variant.features)
                lonely.erase(feature);
    std::vector<std::string> out;
    for (const auto& variant : problem.variants)
        if (wholly(promised, variant) ||
            std::any_of(variant.features.begin(), variant.features.end(),
                        [&](const std::string& feature) { return lonely.count(feature) != 0; }))
            out.push_back(variant.id());
    return out;
}

Judge::Judge(const Problem& problem, const Trial& stock) : problem_(problem), stock_(stock) {
    for (const auto& gate : problem.gates) {
        if (gate.open(stock.answers))
            open_at_stock_.insert(&gate);
        if (!goal(gate) || gate.role == Role::side_effect)
            continue;
        const bool checkable =
            std::all_of(gate.needs.begin(), gate.needs.end(), [&](const auto& id) { return exercised(id); });
        if (gate.client != kDocumentedClient || checkable)
            wanted_.push_back(&gate);
    }
}

bool Judge::open_at_stock(const Gate& gate) const { return open_at_stock_.count(&gate) != 0; }

bool Judge::newly_open(const Gate& gate, const AnswerSet& answers) const {
    return !open_at_stock(gate) && gate.open(answers);
}

Worth Judge::worth(const AnswerSet& answers) const {
    Worth out;
    for (const Gate* gate : wanted_)
        if (gate->open(answers))
            ++(gate->role == Role::admission ? out.admissions : out.fast_paths);
    return out;
}

std::vector<std::string> Judge::variants_for(const AnswerSet& answers) const {
    const auto promised = promised_variants(problem_, answers);
    std::vector<std::string> out;
    for (const auto& variant : problem_.variants)
        if (contains(promised, variant.id()) || has_status(stock_, variant, Outcome::Status::passed))
            out.push_back(variant.id());
    return out;
}

bool Judge::exercised(const std::string& feature) const {
    return std::any_of(problem_.variants.begin(), problem_.variants.end(),
                       [&](const Variant& variant) { return contains(variant.features, feature); });
}

FeatureStatus Judge::feature_at_stock(const std::string& id) const {
    return feature(id, stock_, promised_features(problem_, stock_.answers));
}

FeatureStatus Judge::feature(const std::string& id, const Trial& trial,
                             const std::set<std::string>& promised) const {
    const auto explained = [&](const Variant& failing) {
        return std::any_of(problem_.variants.begin(), problem_.variants.end(), [&](const Variant& other) {
            return !other.features.empty() && !contains(other.features, id) &&
                   fewer_features(other, failing) && has_status(trial, other, Outcome::Status::failed);
        });
    };
    FeatureStatus out;
    bool passed = false;
    for (const auto& variant : problem_.variants) {
        if (!contains(variant.features, id))
            continue;
        const Outcome* outcome = outcome_of(trial, variant);
        const auto note = [&](FeatureStatus::State state) {
            out = {state, &variant, outcome != nullptr ? *outcome : Outcome{},
                   why_inconclusive(variant, outcome)};
        };
        const bool failed = outcome != nullptr && outcome->status == Outcome::Status::failed;
        if (outcome != nullptr && outcome->status == Outcome::Status::passed)
            passed = true;
        else if (failed && wholly(promised, variant) && !explained(variant)) {
            note(FeatureStatus::State::failed);
            return out;
        } else if (outcome != nullptr && outcome->status == Outcome::Status::inconclusive)
            note(FeatureStatus::State::inconclusive);
        else if (out.state == FeatureStatus::State::unexercised)
            note(FeatureStatus::State::unexercised);
    }
    if (out.state == FeatureStatus::State::inconclusive)
        return out;
    if (passed)
        return {FeatureStatus::State::correct, nullptr, {}, {}};
    // Some variant exercises it, yet none of them ran to an end that says something.
    if (out.variant != nullptr)
        out.state = FeatureStatus::State::inconclusive;
    return out;
}

std::string Judge::unexercised_need(const Gate& gate) const {
    if (gate.client == kDocumentedClient)
        return {};
    const auto found =
        std::find_if(gate.needs.begin(), gate.needs.end(), [&](const auto& id) { return !exercised(id); });
    return found == gate.needs.end() ? std::string() : *found;
}

const Gate* Judge::never_safe(const AnswerSet& answers) const {
    for (const auto& gate : problem_.gates)
        if (goal(gate) && newly_open(gate, answers) && !unexercised_need(gate).empty())
            return &gate;
    return nullptr;
}

bool Judge::contradicts(const Trial& trial, const AnswerSet& answers) const {
    const auto promised = promised_features(problem_, answers);
    Trial part;
    for (auto& id : variants_for(answers))
        if (const auto found = trial.outcomes.find(id); found != trial.outcomes.end())
            part.outcomes.insert(*found);
    return std::any_of(problem_.gates.begin(), problem_.gates.end(), [&](const Gate& gate) {
        return goal(gate) && newly_open(gate, answers) &&
               std::any_of(gate.needs.begin(), gate.needs.end(), [&](const std::string& id) {
                   const auto state = feature(id, part, promised).state;
                   return state == FeatureStatus::State::failed ||
                          state == FeatureStatus::State::inconclusive;
               });
    });
}

void Judge::judge_goal_gate(const Gate& gate, const std::string& need, const FeatureStatus& status,
                            Judgement& out) const {
    Failure failure;
    failure.feature = need;
    failure.gate = gate.id;
    if (status.variant != nullptr) {
        failure.kernel = status.variant->kernel;
        failure.variant = status.variant->name;
    }
    switch (status.state) {
    case FeatureStatus::State::correct:
        return;
    case FeatureStatus::State::failed:
        failure.cause = Failure::Cause::feature;
        failure.rung = status.outcome.rung;
        failure.detail = status.outcome.detail;
        break;
    case FeatureStatus::State::inconclusive:
        failure.cause = Failure::Cause::inconclusive;
        failure.detail = status.why;
        break;
    case FeatureStatus::State::unexercised:
        if (gate.client == kDocumentedClient) {
            out.unchecked.push_back({gate.client, gate.id, need, kNoKernel});
            return;
        }
        failure.cause = Failure::Cause::unexercised;
        break;
    }
    out.failures.push_back(std::move(failure));
}

std::vector<std::string> Judge::opening_keys(const Gate& gate, const OverrideSet& overrides) const {
    OverrideSet kept = overrides;
    const auto opens = [&](const OverrideSet& set) {
        AnswerSet answers = stock_.answers;
        for (const auto& [key, value] : set)
            answers[key] = value;
        return gate.open(answers);
    };
    // What the overrides moved besides may open it too; then all of them are to blame.
    if (opens(kept)) {
        std::vector<std::string> order;
        for (const auto& candidate : problem_.candidates)
            if (kept.count(candidate.key) != 0 && !contains(order, candidate.key))
                order.push_back(candidate.key);
        for (auto key = order.rbegin(); key != order.rend(); ++key) {
            OverrideSet fewer = kept;
            fewer.erase(*key);
            if (opens(fewer))
                kept = std::move(fewer);
        }
    }
    std::vector<std::string> out;
    for (const auto& [key, value] : kept)
        out.push_back(key);
    return out;
}

void Judge::judge_other_gate(const Gate& gate, const std::string& need, const FeatureStatus& status,
                             const OverrideSet& overrides, Judgement& out) const {
    switch (status.state) {
    case FeatureStatus::State::correct:
        break;
    case FeatureStatus::State::failed:
        add_hazard(out.hazards, {opening_keys(gate, overrides),
                                 need,
                                 status.variant->kernel,
                                 status.variant->name,
                                 status.outcome.rung,
                                 {gate.client},
                                 {gate.id},
                                 status.outcome.detail});
        break;
    case FeatureStatus::State::inconclusive:
        out.unchecked.push_back({gate.client, gate.id, need, status.why});
        break;
    case FeatureStatus::State::unexercised:
        out.unchecked.push_back({gate.client, gate.id, need, kNoKernel});
        break;
    }
}

void Judge::judge_regressions(const Trial& trial, Judgement& out) const {
    for (const auto& variant : problem_.variants) {
        if (!has_status(stock_, variant, Outcome::Status::passed) ||
            has_status(trial, variant, Outcome::Status::passed))
            continue;
        const Outcome* outcome = outcome_of(trial, variant);
        Failure failure;
        failure.kernel = variant.kernel;
        failure.variant = variant.name;
        failure.feature = variant.features.empty() ? std::string() : variant.features.front();
        if (outcome != nullptr && outcome->status == Outcome::Status::failed) {
            failure.cause = Failure::Cause::regression;
            failure.rung = outcome->rung;
            failure.detail = outcome->detail;
        } else {
            failure.cause = Failure::Cause::inconclusive;
            failure.detail = why_inconclusive(variant, outcome);
        }
        out.failures.push_back(std::move(failure));
    }
}

Judgement Judge::judge(const OverrideSet& overrides, const Trial& trial) const {
    Judgement out;
    if (trial.status != Trial::Status::done) {
        Failure failure;
        failure.cause = Failure::Cause::invalid;
        failure.detail = trial.reason;
        out.failures.push_back(std::move(failure));
        return out;
    }
    out.worth = worth(trial.answers);
    const auto promised = promised_features(problem_, trial.answers);
    for (const auto& gate : problem_.gates) {
        if (!newly_open(gate, trial.answers))
            continue;
        for (const auto& need : gate.needs) {
            const FeatureStatus status = feature(need, trial, promised);
            if (goal(gate))
                judge_goal_gate(gate, need, status, out);
            else
                judge_other_gate(gate, need, status, overrides, out);
        }
    }
    judge_regressions(trial, out);
    out.safe = out.failures.empty();
    return out;
}

} // namespace assay::ablate
