// What one trial proves: which features are correct, whether the set is safe, what it promises to others.
#pragma once
#include "ablate/search.h"

namespace assay::ablate {

/// What a trial says about one feature.
struct FeatureStatus {
    enum class State { correct, failed, inconclusive, unexercised };
    State state = State::unexercised;
    const Variant* variant = nullptr; ///< of a failed or inconclusive one: the variant that shows it
    Outcome outcome;                  ///< its outcome
    std::string why;                  ///< of an inconclusive one
};

/// How much of what the goal wants is open; the greater the better.
struct Worth {
    unsigned admissions = 0;
    unsigned fast_paths = 0;
    auto operator<=>(const Worth&) const = default;
};

/// What a trial of a set proves about the set.
struct Judgement {
    bool safe = false;
    Worth worth;
    std::vector<Failure> failures;
    std::vector<Hazard> hazards;
    std::vector<Unchecked> unchecked;
};

/// Judges trials of one problem against its stock trial. Keeps references to both.
class Judge {
  public:
    Judge(const Problem& problem, const Trial& stock);

    /// Gates that the goal wants open. For `documented` only those whose features some kernel exercises.
    const std::vector<const Gate*>& wanted() const { return wanted_; }
    bool open_at_stock(const Gate& gate) const;
    Worth worth(const AnswerSet& answers) const;

    /// Ids of the variants that a trial must run under these answers: promised_variants(), and those that
    /// passed at stock.
    std::vector<std::string> variants_for(const AnswerSet& answers) const;

    /// What `trial` says about a feature to a client that believes `promised`. A failing variant blames each
    /// of its features, except those that a failing variant with fewer features does without (a broken matrix
    /// unit must not blame bfloat in the product that uses both); one that also uses what is not promised
    /// blames none.
    FeatureStatus feature(const std::string& id, const Trial& trial,
                          const std::set<std::string>& promised) const;
    FeatureStatus feature_at_stock(const std::string& id) const;
    bool exercised(const std::string& feature) const;

    /// A need of `gate` that no kernel exercises and that forbids opening it; empty when there is none.
    std::string unexercised_need(const Gate& gate) const;
    /// The first newly open gate of the goal's clients that can never be safe because of unexercised_need().
    const Gate* never_safe(const AnswerSet& answers) const;
    /// Whether the trial, restricted to what would run under `answers`, shows that a gate of the goal's
    /// clients which they newly open needs something that is not correct.
    bool contradicts(const Trial& trial, const AnswerSet& answers) const;

    Judgement judge(const OverrideSet& overrides, const Trial& trial) const;

  private:
    bool goal(const Gate& gate) const { return problem_.goals.count(gate.client) != 0; }
    bool newly_open(const Gate& gate, const AnswerSet& answers) const;
    void judge_goal_gate(const Gate& gate, const std::string& need, const FeatureStatus& status,
                         Judgement& out) const;
    void judge_other_gate(const Gate& gate, const std::string& need, const FeatureStatus& status,
                          const OverrideSet& overrides, Judgement& out) const;
    void judge_regressions(const Trial& trial, Judgement& out) const;
    std::vector<std::string> opening_keys(const Gate& gate, const OverrideSet& overrides) const;

    const Problem& problem_;
    const Trial& stock_;
    std::vector<const Gate*> wanted_;
    std::set<const Gate*> open_at_stock_;
};

/// Features that some gate which is open under these answers needs.
std::set<std::string> promised_features(const Problem& problem, const AnswerSet& answers);

/// Ids of the variants whose features are all promised; for a promised feature that none of those exercises,
/// also the ones that exercise it together with others.
std::vector<std::string> promised_variants(const Problem& problem, const AnswerSet& answers);

} // namespace assay::ablate
