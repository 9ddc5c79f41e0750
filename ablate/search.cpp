// The ablation search. What it must keep is stated in search.h.
#include "ablate/search.h"
#include "ablate/coherent_sets.h"
#include "ablate/judge.h"
#include <algorithm>
#include <bit>
#include <memory>

namespace assay::ablate {

namespace {

using Mask = CoherentSets::Mask;

bool contains(const std::vector<std::string>& list, const std::string& item) {
    return std::find(list.begin(), list.end(), item) != list.end();
}

bool proves_unsafe(const Failure& failure) {
    return failure.cause != Failure::Cause::inconclusive && failure.cause != Failure::Cause::invalid;
}

/// The failure that tells most: a kernel that failed, then a feature that none exercises, then the rest.
const Failure& telling(const std::vector<Failure>& failures) {
    for (const auto& failure : failures)
        if (failure.cause == Failure::Cause::feature || failure.cause == Failure::Cause::regression)
            return failure;
    const auto proof = std::find_if(failures.begin(), failures.end(), proves_unsafe);
    return proof == failures.end() ? failures.front() : *proof;
}

class Searcher {
  public:
    Searcher(const Problem& problem, Oracle& oracle) : problem_(problem), oracle_(oracle) {
        budget_ = problem.budget != 0 ? problem.budget : trial_budget(problem.candidates.size());
    }

    Result<SearchResult> run();

  private:
    struct Tried {
        std::vector<std::string> variants; ///< that its trial ran
        Trial trial;
        Judgement judgement;
    };
    Trial ask(Purpose purpose, const OverrideSet& overrides, std::vector<std::string> variants,
              unsigned repeat = 0);
    const Tried& try_set(Mask mask, Purpose purpose);
    const Tried* known(Mask mask) const;
    bool stopped() const { return !result_.stopped.empty(); }
    bool affordable() const { return !stopped() && result_.trials < budget_; }

    bool wanted_at_stock();
    void rank_sets();
    Worth predicted(Mask mask) const { return worths_.at(mask); }
    bool better(Mask a, Mask b) const;
    bool never_safe(Mask mask) const { return judge_->never_safe(sets_->answers(mask)) != nullptr; }
    bool expected_unsafe(Mask mask) const;
    void accept(Mask mask);
    void climb(bool against_expectation);
    void minimise();
    bool confirm();
    void isolate_conflicts();

    void find_best();
    void report();
    CandidateVerdict report_candidate(std::size_t index) const;
    void report_opened(std::size_t index, CandidateVerdict& out) const;
    std::vector<std::string> shown_by(const Gate& gate, const Trial& trial) const;
    std::string why_closed(const Gate& gate) const;

    const Problem& problem_;
    Oracle& oracle_;
    std::size_t budget_ = 0;
    SearchResult result_;
    std::unique_ptr<Judge> judge_;
    std::unique_ptr<CoherentSets> sets_;
    std::map<Mask, Tried> tried_;
    std::map<Mask, Worth> worths_; ///< of every coherent set, as its overrides say
    std::vector<Mask> ranked_;     ///< sets that should open more than stock does, best first
    Mask best_ = 0;                ///< the empty set is always safe
};

Trial Searcher::ask(Purpose purpose, const OverrideSet& overrides, std::vector<std::string> variants,
                    unsigned repeat) {
    Trial trial;
    if (stopped()) {
        trial.status = Trial::Status::stopped;
        trial.reason = result_.stopped;
        return trial;
    }
    if (purpose != Purpose::confirm)
        ++result_.trials;
    trial = oracle_.run({purpose, overrides, std::move(variants), repeat});
    if (trial.status == Trial::Status::stopped)
        result_.stopped = trial.reason.empty() ? "no further trial is possible" : trial.reason;
    return trial;
}

const Searcher::Tried* Searcher::known(Mask mask) const {
    const auto found = tried_.find(mask);
    return found == tried_.end() ? nullptr : &found->second;
}

const Searcher::Tried& Searcher::try_set(Mask mask, Purpose purpose) {
    if (const Tried* before = known(mask))
        return *before;
    const OverrideSet overrides = sets_->overrides(mask);
    Tried now;
    now.variants = judge_->variants_for(sets_->answers(mask));
    now.trial = ask(purpose, overrides, now.variants);
    // What the overrides moved besides may open more gates, whose variants have not run yet.
    if (now.trial.status == Trial::Status::done) {
        const std::size_t before = now.variants.size();
        for (auto& id : judge_->variants_for(now.trial.answers))
            if (!contains(now.variants, id))
                now.variants.push_back(std::move(id));
        if (now.variants.size() != before)
            now.trial = ask(purpose, overrides, now.variants);
    }
    now.judgement = judge_->judge(overrides, now.trial);
    return tried_.emplace(mask, std::move(now)).first->second;
}

/// Whether everything wanted is open and not shown to fail. Fills the verdicts of the wanted gates.
bool Searcher::wanted_at_stock() {
    bool all = true;
    for (const Gate* gate : judge_->wanted()) {
        GateVerdict verdict{gate->id, gate->client, gate->role, GateVerdict::State::closed, {}};
        if (judge_->open_at_stock(*gate)) {
            verdict.state = GateVerdict::State::open_at_stock;
            for (const auto& need : gate->needs) {
                const FeatureStatus status = judge_->feature_at_stock(need);
                if (status.state != FeatureStatus::State::failed)
                    continue;
                verdict.state = GateVerdict::State::broken_at_stock;
                verdict.why = status.variant->id() + " fails at " + status.outcome.rung +
                              (status.outcome.detail.empty() ? "" : ": " + status.outcome.detail);
                break;
            }
        }
        all = all && verdict.state == GateVerdict::State::open_at_stock;
        result_.gates.push_back(std::move(verdict));
    }
    return all;
}

/// Obligation 3's order. What a set opened in its own trial outranks what its overrides say.
bool Searcher::better(Mask a, Mask b) const {
    const auto worth = [&](Mask mask) {
        const Tried* tried = known(mask);
        return tried != nullptr && tried->trial.status == Trial::Status::done ? tried->judgement.worth
                                                                              : predicted(mask);
    };
    const Worth worth_a = worth(a);
    const Worth worth_b = worth(b);
    return worth_a != worth_b ? worth_a > worth_b : sets_->simpler(a, b);
}

void Searcher::rank_sets() {
    for (const Mask mask : sets_->all())
        worths_[mask] = judge_->worth(sets_->answers(mask));
    for (const Mask mask : sets_->all())
        if (predicted(mask) > predicted(0))
            ranked_.push_back(mask);
    std::sort(ranked_.begin(), ranked_.end(), [&](Mask a, Mask b) {
        return predicted(a) != predicted(b) ? predicted(a) > predicted(b) : sets_->simpler(a, b);
    });
}

/// What earlier trials suggest; only ever a reason to try something else first.
bool Searcher::expected_unsafe(Mask mask) const {
    for (const auto& [other, tried] : tried_)
        if (other != 0 && (other & ~mask) == 0 && !tried.judgement.safe)
            return true;
    return result_.forced.status == Trial::Status::done &&
           judge_->contradicts(result_.forced, sets_->answers(mask));
}

void Searcher::accept(Mask mask) {
    const Tried& tried = tried_.at(mask);
    if (tried.judgement.safe && tried.judgement.worth > predicted(0) && better(mask, best_))
        best_ = mask;
}

/// Tries the sets that would be better than the best so far, best first.
void Searcher::climb(bool against_expectation) {
    for (const auto& [mask, tried] : tried_)
        accept(mask);
    for (const Mask mask : ranked_) {
        if (!affordable())
            return;
        if (known(mask) != nullptr || !better(mask, best_) || never_safe(mask))
            continue;
        if (!against_expectation && expected_unsafe(mask))
            continue;
        try_set(mask, Purpose::set);
        accept(mask);
    }
}

/// Obligation 4; not limited by the budget.
void Searcher::minimise() {
    for (bool shrunk = best_ != 0; shrunk;) {
        shrunk = false;
        for (std::size_t i = problem_.candidates.size(); i-- > 0 && !shrunk;) {
            if ((best_ & CoherentSets::bit(i)) == 0)
                continue;
            const Mask smaller = sets_->without(best_, i);
            if (smaller == 0 || !better(smaller, best_) || never_safe(smaller))
                continue;
            const Mask before = best_;
            try_set(smaller, Purpose::minimise);
            accept(smaller);
            shrunk = best_ != before;
        }
    }
}

bool Searcher::confirm() {
    const OverrideSet overrides = sets_->overrides(best_);
    const auto& variants = tried_.at(best_).variants;
    std::vector<Failure> failures;
    unsigned bad = 0;
    for (unsigned repeat = 1; repeat <= problem_.repeats; ++repeat) {
        const Trial trial = ask(Purpose::confirm, overrides, variants, repeat);
        if (stopped())
            return false;
        Judgement judgement = judge_->judge(overrides, trial);
        if (judgement.safe)
            continue;
        ++bad;
        failures.insert(failures.end(), judgement.failures.begin(), judgement.failures.end());
    }
    if (bad == 0) {
        result_.confirmations = problem_.repeats;
        return true;
    }
    Failure flaky = telling(failures);
    flaky.cause = Failure::Cause::flaky;
    flaky.detail = "failed in " + std::to_string(bad) + " of " + std::to_string(problem_.repeats) +
                   " confirmations" + (flaky.detail.empty() ? "" : "; " + flaky.detail);
    result_.rejected_in_confirmation.push_back(flaky);
    Judgement& judgement = tried_.at(best_).judgement;
    judgement.safe = false;
    judgement.failures.push_back(std::move(flaky));
    best_ = 0;
    return false;
}

/// Shrinks every unsafe set none of whose tried parts is unsafe, one override at a time, while the budget
/// lasts.
void Searcher::isolate_conflicts() {
    std::vector<Mask> unsafe;
    for (const auto& [mask, tried] : tried_)
        if (mask != 0 && !tried.judgement.safe && proves_unsafe(telling(tried.judgement.failures)))
            unsafe.push_back(mask);
    std::set<Mask> minimal;
    for (Mask mask : unsafe) {
        for (bool shrunk = true; shrunk;) {
            shrunk = false;
            for (std::size_t i = problem_.candidates.size(); i-- > 0 && !shrunk;) {
                const Mask part = (mask & CoherentSets::bit(i)) != 0 ? sets_->without(mask, i) : 0;
                if (part == 0 || (known(part) == nullptr && !affordable()))
                    continue;
                const Judgement& judgement = try_set(part, Purpose::isolate).judgement;
                if (judgement.safe || !proves_unsafe(telling(judgement.failures)))
                    continue;
                mask = part;
                shrunk = true;
            }
        }
        minimal.insert(mask);
    }
    for (const Mask mask : minimal) {
        // What one candidate's own trial shows is its verdict, not a conflict.
        bool own_trial = false;
        for (std::size_t i = 0; i < problem_.candidates.size(); ++i)
            own_trial = own_trial || sets_->closure(i) == mask;
        if (!own_trial)
            result_.conflicts.push_back({sets_->keys(mask), telling(tried_.at(mask).judgement.failures)});
    }
}

void Searcher::report_opened(std::size_t index, CandidateVerdict& out) const {
    const bool chosen = (best_ & CoherentSets::bit(index)) != 0;
    const Mask with = chosen ? best_ : sets_->closure(index);
    const Mask without = chosen ? best_ & ~CoherentSets::bit(index) : sets_->without(with, index);
    const AnswerSet answers_with = sets_->answers(with);
    const AnswerSet& answers_without = sets_->answers(without);
    const Tried* tried = known(with);
    for (const Gate* gate : judge_->wanted()) {
        if (!gate->open(answers_with) || gate->open(answers_without) || judge_->open_at_stock(*gate))
            continue;
        out.opens.push_back(gate->id);
        if (tried != nullptr)
            for (auto& id : shown_by(*gate, tried->trial))
                if (!contains(out.shown_by, id))
                    out.shown_by.push_back(std::move(id));
    }
}

/// Passing variants that exercise what the gate needs; those that need nothing else, if there are any.
std::vector<std::string> Searcher::shown_by(const Gate& gate, const Trial& trial) const {
    std::vector<std::string> purely;
    std::vector<std::string> among_others;
    for (const auto& variant : problem_.variants) {
        const auto outcome = trial.outcomes.find(variant.id());
        if (outcome == trial.outcomes.end() || outcome->second.status != Outcome::Status::passed)
            continue;
        const auto needed = std::count_if(variant.features.begin(), variant.features.end(),
                                          [&](const std::string& id) { return contains(gate.needs, id); });
        if (needed == 0)
            continue;
        const bool pure = static_cast<std::size_t>(needed) == variant.features.size();
        (pure ? purely : among_others).push_back(variant.id());
    }
    return purely.empty() ? among_others : purely;
}

CandidateVerdict Searcher::report_candidate(std::size_t index) const {
    using Kind = CandidateVerdict::Kind;
    CandidateVerdict out;
    out.candidate = problem_.candidates[index];
    if (sets_->at_stock(index)) {
        out.kind = Kind::at_stock;
        return out;
    }
    const bool settled =
        result_.reach == SearchResult::Reach::reached || result_.reach == SearchResult::Reach::no_shim_needed;
    out.kind = settled ? Kind::not_needed : Kind::inconclusive;
    const Mask own = sets_->closure(index);
    if (own == 0) {
        Failure failure;
        failure.cause = Failure::Cause::inconclusive;
        failure.detail = "a lower step of the ladder is not among the candidates";
        out.decided = std::move(failure);
        return out;
    }
    report_opened(index, out);
    const Mask lower = sets_->without(own, index);
    for (auto& key : sets_->keys(lower))
        out.with.push_back(std::move(key));
    const bool chosen = (best_ & CoherentSets::bit(index)) != 0;
    if (chosen)
        out.kind = Kind::needed;
    const Tried* tried = known(own);
    if (tried == nullptr)
        return out;
    const Judgement& judgement = tried->judgement;
    if (!judgement.safe && !chosen) {
        out.decided = telling(judgement.failures);
        if (!settled)
            out.kind = proves_unsafe(*out.decided) ? Kind::unsafe : Kind::inconclusive;
    } else if (!settled && !chosen)
        out.kind = Kind::not_needed;

    const std::string& key = out.candidate.key;
    for (const auto& hazard : judgement.hazards)
        if (contains(hazard.overrides, key))
            out.hazards.push_back(hazard);
    const Tried* below = known(lower);
    for (const auto& failure : judgement.failures) {
        if (failure.cause != Failure::Cause::regression)
            continue;
        const bool inherited =
            below != nullptr && std::any_of(below->judgement.failures.begin(),
                                            below->judgement.failures.end(), [&](const Failure& other) {
                                                return other.cause == failure.cause &&
                                                       other.kernel == failure.kernel &&
                                                       other.variant == failure.variant;
                                            });
        if (!inherited)
            out.hazards.push_back({{key},
                                   failure.feature,
                                   failure.kernel,
                                   failure.variant,
                                   failure.rung,
                                   {},
                                   {},
                                   failure.detail});
    }
    for (const auto& promise : judgement.unchecked) {
        const bool inherited =
            below != nullptr && std::any_of(below->judgement.unchecked.begin(),
                                            below->judgement.unchecked.end(), [&](const Unchecked& other) {
                                                return other.gate == promise.gate &&
                                                       other.feature == promise.feature;
                                            });
        if (!inherited)
            out.unchecked.push_back(promise);
    }
    return out;
}

std::string Searcher::why_closed(const Gate& gate) const {
    if (const std::string need = judge_->unexercised_need(gate); !need.empty())
        return "needs feature " + need + ", which no kernel here exercises";
    const Tried* shown = nullptr;
    std::string other;
    bool openable = false;
    for (const Mask mask : sets_->all()) {
        const AnswerSet& answers = sets_->answers(mask);
        if (!gate.open(answers))
            continue;
        openable = true;
        if (const Gate* never = judge_->never_safe(answers)) {
            if (other.empty())
                other = "what opens it also opens " + never->id + ", which needs feature " +
                        judge_->unexercised_need(*never) + ", which no kernel here exercises";
            continue;
        }
        const Tried* tried = known(mask);
        if (tried == nullptr)
            continue;
        if (tried->judgement.safe)
            return "cannot be open together with what was chosen";
        const auto& failures = tried->judgement.failures;
        const bool own = std::any_of(failures.begin(), failures.end(),
                                     [&](const Failure& failure) { return failure.gate == gate.id; });
        if (own) {
            for (const auto& failure : failures)
                if (failure.gate == gate.id)
                    return failure.text();
        }
        if (shown == nullptr)
            shown = tried;
    }
    if (!openable)
        return "no candidate answer opens it";
    if (shown != nullptr)
        return telling(shown->judgement.failures).text();
    return other.empty() ? "no set that opens it was tried within the budget" : other;
}

void Searcher::report() {
    using Reach = SearchResult::Reach;
    if (best_ != 0) {
        const Tried& tried = tried_.at(best_);
        result_.chosen = sets_->overrides(best_);
        result_.best = tried.trial;
        result_.hazards = tried.judgement.hazards;
        result_.unchecked = tried.judgement.unchecked;
    }
    bool all = true;
    for (std::size_t i = 0; i < result_.gates.size(); ++i) {
        GateVerdict& verdict = result_.gates[i];
        const Gate& gate = *judge_->wanted()[i];
        if (verdict.state == GateVerdict::State::closed) {
            if (best_ != 0 && gate.open(result_.best.answers))
                verdict.state = GateVerdict::State::opened;
            else
                verdict.why = why_closed(gate);
        }
        all = all && verdict.state != GateVerdict::State::closed &&
              verdict.state != GateVerdict::State::broken_at_stock;
    }
    if (stopped())
        result_.reach = Reach::stopped;
    else
        result_.reach = all ? Reach::reached : best_ != 0 ? Reach::partly : Reach::unreachable;
    for (const Mask mask : ranked_) {
        const Tried* tried = known(mask);
        const bool says_nothing = tried == nullptr || tried->trial.status != Trial::Status::done;
        if (says_nothing && better(mask, best_) && !never_safe(mask))
            ++result_.untried;
    }
    result_.proven_smallest = !stopped() && result_.untried == 0;
}

void Searcher::find_best() {
    std::vector<std::string> every;
    for (const auto& variant : problem_.variants)
        every.push_back(variant.id());
    result_.forced = ask(Purpose::forced, {}, std::move(every));
    for (std::size_t i = 0; i < problem_.candidates.size(); ++i)
        if (const Mask own = sets_->closure(i); own != 0)
            try_set(own, Purpose::single);
    do {
        climb(false);
        minimise();
        climb(true);
        minimise();
    } while (!stopped() && best_ != 0 && !confirm());
    // Nothing unconfirmed may be offered.
    if (stopped())
        best_ = 0;
    else
        isolate_conflicts();
}

Result<SearchResult> Searcher::run() {
    result_.stock = ask(Purpose::stock, {}, promised_variants(problem_, problem_.stock));
    if (result_.stock.status != Trial::Status::done) {
        result_.stopped = result_.stock.reason;
        result_.reach = SearchResult::Reach::stopped;
        return result_;
    }
    judge_ = std::make_unique<Judge>(problem_, result_.stock);
    if (judge_->wanted().empty())
        return bad_input("goal", "no gate of this client can be judged by the kernels here",
                         "see `assay kernels list`");
    sets_ = std::make_unique<CoherentSets>(problem_.candidates, problem_.ladders, result_.stock.answers);
    rank_sets();
    if (wanted_at_stock()) {
        result_.reach = SearchResult::Reach::no_shim_needed;
        result_.proven_smallest = true;
    } else {
        find_best();
        report();
    }
    for (std::size_t i = 0; i < problem_.candidates.size(); ++i)
        result_.candidates.push_back(report_candidate(i));
    return result_;
}

} // namespace

std::size_t trial_budget(std::size_t candidates) { return 2 * candidates + 12; }

std::string_view purpose_name(Purpose purpose) {
    switch (purpose) {
    case Purpose::stock:
        return "stock";
    case Purpose::forced:
        return "forced";
    case Purpose::single:
        return "single";
    case Purpose::set:
        return "set";
    case Purpose::minimise:
        return "minimise";
    case Purpose::isolate:
        return "isolate";
    case Purpose::confirm:
        return "confirm";
    }
    return "";
}

std::string_view verdict_name(CandidateVerdict::Kind kind) {
    switch (kind) {
    case CandidateVerdict::Kind::needed:
        return "needed";
    case CandidateVerdict::Kind::not_needed:
        return "not needed";
    case CandidateVerdict::Kind::unsafe:
        return "unsafe";
    case CandidateVerdict::Kind::inconclusive:
        return "inconclusive";
    case CandidateVerdict::Kind::at_stock:
        return "stock answer";
    }
    return "";
}

std::string_view reach_name(SearchResult::Reach reach) {
    switch (reach) {
    case SearchResult::Reach::no_shim_needed:
        return "no shim needed";
    case SearchResult::Reach::reached:
        return "reached";
    case SearchResult::Reach::partly:
        return "partly reached";
    case SearchResult::Reach::unreachable:
        return "not safely reachable";
    case SearchResult::Reach::stopped:
        return "stopped";
    }
    return "";
}

std::string Failure::text() const {
    const std::string who = kernel.empty() ? std::string() : kernel + "/" + variant;
    const std::string more = detail.empty() ? std::string() : " (" + detail + ")";
    switch (cause) {
    case Cause::feature:
        return feature + ": " + who + " fails at " + rung + more;
    case Cause::regression:
        return who + " passed at stock and fails at " + rung + more;
    case Cause::unexercised:
        return "needs feature " + feature + ", which no kernel here exercises";
    case Cause::inconclusive:
        return (feature.empty() ? std::string("inconclusive") : feature + " is inconclusive") + more;
    case Cause::invalid:
        return "the trial says nothing" + more;
    case Cause::flaky:
        return who + " is flaky" + more;
    }
    return {};
}

std::string Failure::brief() const {
    Failure copy = *this;
    if (!kernel.empty() && cause != Cause::inconclusive)
        copy.detail.clear();
    return copy.text();
}

Result<SearchResult> search(const Problem& problem, Oracle& oracle) {
    if (problem.candidates.size() > kMaxCandidates)
        return bad_input("candidates",
                         std::to_string(problem.candidates.size()) + " candidates; at most " +
                             std::to_string(kMaxCandidates) + " can be searched",
                         "name fewer goals");
    return Searcher(problem, oracle).run();
}

} // namespace assay::ablate
