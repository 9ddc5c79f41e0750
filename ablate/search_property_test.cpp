// The search on thousands of random devices, against brute force that tries every set.
#include "ablate/search.h"
#include <algorithm>
#include <bit>
#include <doctest/doctest.h>
#include <random>

using namespace assay;
using namespace assay::ablate;

namespace {

struct Literal {
    std::string key;
    bool wanted = true;
    bool holds(const AnswerSet& answers) const { return (answers.at(key) == json::value(true)) == wanted; }
};

struct Expression {
    bool any = false; ///< any of the literals, else all
    std::vector<Literal> literals;
    bool holds(const AnswerSet& answers) const {
        const auto one = [&](const Literal& literal) { return literal.holds(answers); };
        return any ? std::any_of(literals.begin(), literals.end(), one)
                   : std::all_of(literals.begin(), literals.end(), one);
    }
};

/// "never" (no expression) or under which answers a variant fails.
using FailsWhen = std::optional<Expression>;

struct Device {
    Problem problem;
    std::vector<std::string> ladder;
    std::vector<FailsWhen> fails;     ///< by variant
    std::vector<bool> unsure;         ///< by variant: it never says anything
    std::optional<Expression> derive; ///< the answer "derived", computed from the others
    bool simple = false;              ///< single-answer gates, no interaction
};

class Random {
  public:
    explicit Random(unsigned seed) : engine_(seed) {}
    std::size_t below(std::size_t n) { return engine_() % n; }
    bool chance(unsigned percent) { return below(100) < percent; }
    template <class T>
    const T& pick(const std::vector<T>& from) {
        return from[below(from.size())];
    }

  private:
    std::mt19937 engine_; // the same numbers on every platform, which distributions are not
};

Expression random_expression(Random& random, const std::vector<std::string>& keys, bool simple) {
    Expression out;
    out.any = random.chance(50);
    const std::size_t count = simple ? 1 : 1 + random.below(2);
    for (std::size_t i = 0; i < count; ++i)
        out.literals.push_back({random.pick(keys), simple || random.chance(85)});
    return out;
}

Device random_device(unsigned seed) {
    Random random(seed);
    Device device;
    device.simple = random.chance(40);
    Problem& p = device.problem;
    std::vector<std::string> keys;
    const std::size_t steps = random.below(5);
    const std::size_t level = steps == 0 ? 0 : random.below(steps);
    for (std::size_t i = 0; i < steps; ++i) {
        device.ladder.push_back("family" + std::to_string(i));
        p.stock[device.ladder.back()] = (i < level) != (!device.simple && random.chance(10));
    }
    keys = device.ladder;
    const std::size_t flags = 1 + random.below(4);
    for (std::size_t i = 0; i < flags; ++i) {
        keys.push_back("flag" + std::to_string(i));
        p.stock[keys.back()] = !device.simple && random.chance(20);
    }
    p.ladders = {device.ladder};
    for (const auto& key : keys)
        p.candidates.push_back(
            {key, p.stock[key] == json::value(false) || device.simple || random.chance(70), "random"});

    std::vector<std::string> readable = keys;
    if (!device.simple && random.chance(50)) {
        device.derive = random_expression(random, keys, false);
        p.stock["derived"] = device.derive->holds(p.stock);
        readable.push_back("derived");
    }
    std::vector<std::string> features;
    for (int i = 0; i < 5; ++i)
        features.push_back("feature" + std::to_string(i));
    const std::vector<std::string> exercised(features.begin(), features.begin() + 4);
    const std::size_t variants = 2 + random.below(6);
    for (std::size_t i = 0; i < variants; ++i) {
        Variant variant{"kernel" + std::to_string(i), "v", {}};
        for (std::size_t n = random.below(3); n > 0; --n)
            if (const auto& feature = random.pick(exercised);
                std::find(variant.features.begin(), variant.features.end(), feature) ==
                variant.features.end())
                variant.features.push_back(feature);
        p.variants.push_back(std::move(variant));
        FailsWhen fails;
        if (random.chance(50)) {
            fails = Expression{};
            for (std::size_t n = device.simple ? random.below(2) : random.below(3); n > 0; --n)
                fails->literals.push_back(random_expression(random, readable, device.simple).literals[0]);
        }
        device.fails.push_back(std::move(fails));
        device.unsure.push_back(!device.simple && random.chance(8));
    }
    p.goals = {random.chance(80) ? "goal" : std::string(kDocumentedClient)};
    const std::size_t gates = 2 + random.below(6);
    for (std::size_t i = 0; i < gates; ++i) {
        Gate gate;
        gate.id = "gate" + std::to_string(i);
        gate.client = i == 0              ? *p.goals.begin()
                      : random.chance(60) ? "goal"
                      : random.chance(50) ? "other"
                                          : std::string(kDocumentedClient);
        gate.role = i == 0              ? Role::fast_path
                    : random.chance(50) ? Role::fast_path
                    : random.chance(50) ? Role::admission
                                        : Role::side_effect;
        for (std::size_t n = random.below(3); n > 0; --n)
            gate.needs.push_back(random.chance(90) ? random.pick(exercised) : features.back());
        // Wanted gates read what overrides say; what they move besides may open the others.
        const std::vector<std::string> derived = {"derived"};
        const auto& reads = gate.role != Role::side_effect       ? keys
                            : device.derive && random.chance(50) ? derived
                                                                 : readable;
        gate.open = [e = random_expression(random, reads, device.simple)](const AnswerSet& answers) {
            return e.holds(answers);
        };
        p.gates.push_back(std::move(gate));
    }
    return device;
}

/// Answers and outcomes of a device under some overrides, whatever was asked for.
struct World {
    AnswerSet predicted;
    AnswerSet seen;
    std::vector<bool> passes; ///< by variant
};

World world_of(const Device& device, const OverrideSet& overrides) {
    World out;
    out.predicted = device.problem.stock;
    for (const auto& [key, value] : overrides)
        out.predicted[key] = value;
    out.seen = out.predicted;
    if (device.derive)
        out.seen["derived"] = device.derive->holds(out.seen);
    for (const auto& fails : device.fails)
        out.passes.push_back(!fails || !fails->holds(out.seen));
    return out;
}

class DeviceOracle : public Oracle {
  public:
    explicit DeviceOracle(const Device& device) : device_(device) {}
    Trial run(const TrialRequest& request) override {
        const World world = world_of(device_, request.overrides);
        Trial trial;
        trial.answers = world.seen;
        for (std::size_t i = 0; i < device_.problem.variants.size(); ++i) {
            const std::string id = device_.problem.variants[i].id();
            if (std::find(request.variants.begin(), request.variants.end(), id) != request.variants.end())
                trial.outcomes[id] = device_.unsure[i] ? Outcome{Outcome::Status::inconclusive, "", "", 0}
                                     : world.passes[i]
                                         ? Outcome{Outcome::Status::passed, "", "", 0}
                                         : Outcome{Outcome::Status::failed, "correct", "random", 0};
        }
        return trial;
    }

  private:
    const Device& device_;
};

/// The definition of design and header, written down as plainly as possible and sharing no code with the
/// search.
class BruteForce {
  public:
    explicit BruteForce(const Device& device) : device_(device), p_(device.problem) {
        stock_ = world_of(device, {});
        for (std::size_t i = 0; i < p_.variants.size(); ++i)
            baseline_.push_back(asked_for(i, stock_.predicted) && stock_.passes[i] && !device.unsure[i]);
    }

    using Bits = unsigned;
    Bits end() const { return 1u << p_.candidates.size(); }
    OverrideSet overrides(Bits bits) const {
        OverrideSet out;
        for (std::size_t i = 0; i < p_.candidates.size(); ++i)
            if ((bits >> i & 1u) != 0)
                out[p_.candidates[i].key] = p_.candidates[i].value;
        return out;
    }

    bool hole(std::size_t step, const World& world) const {
        return world.seen.at(device_.ladder[step + 1]) == json::value(true) &&
               world.seen.at(device_.ladder[step]) == json::value(false);
    }
    bool coherent(Bits bits) const {
        for (std::size_t i = 0; i < p_.candidates.size(); ++i)
            if ((bits >> i & 1u) != 0 && p_.stock.at(p_.candidates[i].key) == p_.candidates[i].value)
                return false;
        const World world = world_of(device_, overrides(bits));
        for (std::size_t i = 0; i + 1 < device_.ladder.size(); ++i)
            if (hole(i, world) && !hole(i, stock_))
                return false;
        return true;
    }

    bool goal(const Gate& gate) const { return p_.goals.count(gate.client) != 0; }
    bool exercised(const std::string& feature) const {
        for (const auto& variant : p_.variants)
            for (const auto& other : variant.features)
                if (other == feature)
                    return true;
        return false;
    }
    bool wanted(const Gate& gate) const {
        if (!goal(gate) || gate.role == Role::side_effect)
            return false;
        if (gate.client == kDocumentedClient)
            for (const auto& need : gate.needs)
                if (!exercised(need))
                    return false;
        return true;
    }

    enum class State { correct, failed, unknown };
    State feature(const std::string& id, const World& world) const {
        bool passed = false;
        bool unsure = false;
        for (std::size_t i = 0; i < p_.variants.size(); ++i) {
            const std::set<std::string> mine(p_.variants[i].features.begin(), p_.variants[i].features.end());
            if (mine.count(id) == 0 || !runs(i, world))
                continue;
            if (device_.unsure[i]) {
                unsure = true;
                continue;
            }
            if (world.passes[i]) {
                passed = true;
                continue;
            }
            bool explained = false;
            for (std::size_t j = 0; j < p_.variants.size(); ++j) {
                const std::set<std::string> other(p_.variants[j].features.begin(),
                                                  p_.variants[j].features.end());
                explained =
                    explained || (!other.empty() && other.size() < mine.size() && other.count(id) == 0 &&
                                  std::includes(mine.begin(), mine.end(), other.begin(), other.end()) &&
                                  runs(j, world) && !device_.unsure[j] && !world.passes[j]);
            }
            if (!explained && promised(i, world.seen))
                return State::failed;
        }
        return passed && !unsure ? State::correct : State::unknown;
    }

    bool opens(const Gate& gate, const World& world) const {
        return gate.open(world.seen) && !gate.open(stock_.seen);
    }
    enum class Safety { safe, unknown, unsafe };
    Safety safety(Bits bits) const {
        const World world = world_of(device_, overrides(bits));
        Safety out = Safety::safe;
        for (std::size_t i = 0; i < p_.variants.size(); ++i)
            if (baseline_[i] && !world.passes[i])
                return Safety::unsafe;
        for (const auto& gate : p_.gates)
            if (goal(gate) && opens(gate, world))
                for (const auto& need : gate.needs) {
                    if (!exercised(need) && gate.client == kDocumentedClient)
                        continue;
                    const State state = feature(need, world);
                    if (!exercised(need) || state == State::failed)
                        return Safety::unsafe;
                    if (state == State::unknown)
                        out = Safety::unknown;
                }
        return out;
    }
    bool safe(Bits bits) const { return safety(bits) == Safety::safe; }
    /// Admissions, fast paths.
    std::pair<int, int> worth(Bits bits) const {
        const World world = world_of(device_, overrides(bits));
        std::pair<int, int> out;
        for (const auto& gate : p_.gates)
            if (wanted(gate) && gate.open(world.seen))
                ++(gate.role == Role::admission ? out.first : out.second);
        return out;
    }
    unsigned height(Bits bits) const {
        unsigned sum = 0;
        for (std::size_t i = 0; i < p_.candidates.size(); ++i)
            for (std::size_t step = 0; step < device_.ladder.size(); ++step)
                if ((bits >> i & 1u) != 0 && device_.ladder[step] == p_.candidates[i].key)
                    sum += static_cast<unsigned>(step) + 1;
        return sum;
    }
    /// The best safe set; 0 when none opens more than stock does.
    Bits best() const {
        Bits found = 0;
        for (Bits bits = 1; bits < end(); ++bits) {
            if (!coherent(bits) || !safe(bits) || worth(bits) <= worth(0))
                continue;
            const auto rank = [&](Bits b) {
                const auto w = worth(b);
                return std::make_tuple(-w.first, -w.second, std::popcount(b), height(b), b);
            };
            if (found == 0 || rank(bits) < rank(found))
                found = bits;
        }
        return found;
    }
    /// Dropping any one member, with whatever is then incoherent, is worth less or unsafe.
    bool one_minimal(Bits bits) const {
        for (std::size_t i = 0; i < p_.candidates.size(); ++i) {
            if ((bits >> i & 1u) == 0)
                continue;
            const Bits rest = bits & ~(1u << i);
            if (coherent(rest) && worth(rest) >= worth(bits) && safe(rest))
                return false;
        }
        return true;
    }
    Bits bits_of(const OverrideSet& set) const {
        Bits out = 0;
        for (std::size_t i = 0; i < p_.candidates.size(); ++i)
            if (const auto found = set.find(p_.candidates[i].key);
                found != set.end() && found->second == p_.candidates[i].value)
                out |= 1u << i;
        return out;
    }
    /// "gate feature" of every promise to others that fails under this set.
    std::set<std::string> broken_promises(Bits bits) const {
        const World world = world_of(device_, overrides(bits));
        std::set<std::string> out;
        for (const auto& gate : p_.gates)
            if (!goal(gate) && opens(gate, world))
                for (const auto& need : gate.needs)
                    if (feature(need, world) == State::failed)
                        out.insert(gate.id + " " + need);
        return out;
    }

    bool stock_is_enough() const {
        for (const auto& gate : p_.gates) {
            if (!wanted(gate))
                continue;
            if (!gate.open(stock_.seen))
                return false;
            for (const auto& need : gate.needs)
                if (feature(need, stock_) == State::failed)
                    return false;
        }
        return true;
    }
    bool has_wanted() const {
        return std::any_of(p_.gates.begin(), p_.gates.end(), [&](const Gate& gate) { return wanted(gate); });
    }

  private:
    bool promised(const std::string& feature, const AnswerSet& answers) const {
        for (const auto& gate : p_.gates)
            for (const auto& need : gate.needs)
                if (need == feature && gate.open(answers))
                    return true;
        return false;
    }
    bool promised(std::size_t variant, const AnswerSet& answers) const {
        for (const auto& feature : p_.variants[variant].features)
            if (!promised(feature, answers))
                return false;
        return true;
    }
    /// All of it is promised, or it is one of the few that exercise a promised feature at all.
    bool asked_for(std::size_t variant, const AnswerSet& answers) const {
        if (promised(variant, answers))
            return true;
        for (const auto& feature : p_.variants[variant].features) {
            bool others = false;
            for (std::size_t i = 0; i < p_.variants.size(); ++i)
                for (const auto& other : p_.variants[i].features)
                    others = others || (other == feature && promised(i, answers));
            if (promised(feature, answers) && !others)
                return true;
        }
        return false;
    }
    bool runs(std::size_t variant, const World& world) const {
        return asked_for(variant, world.predicted) || asked_for(variant, world.seen) ||
               (variant < baseline_.size() && baseline_[variant]);
    }

    const Device& device_;
    const Problem& p_;
    World stock_;
    std::vector<bool> baseline_;
};

} // namespace

TEST_CASE("with every trial allowed, the result is what brute force finds") {
    for (unsigned seed = 1; seed <= 2500; ++seed) {
        CAPTURE(seed);
        Device device = random_device(seed);
        const BruteForce truth(device);
        device.problem.budget = 100000;
        device.problem.repeats = 1;
        DeviceOracle oracle(device);
        const auto run = search(device.problem, oracle);
        REQUIRE(run.has_value() == truth.has_wanted());
        if (!run)
            continue;
        const SearchResult& result = *run;
        REQUIRE((result.reach == SearchResult::Reach::no_shim_needed) == truth.stock_is_enough());
        if (truth.stock_is_enough())
            continue;
        const auto chosen = truth.bits_of(result.chosen);
        REQUIRE(truth.coherent(chosen));
        REQUIRE(truth.safe(chosen));
        REQUIRE(chosen == truth.best());
        REQUIRE(result.proven_smallest);
        std::set<std::string> promises;
        for (const auto& hazard : result.hazards)
            for (const auto& gate : hazard.gates)
                promises.insert(gate + " " + hazard.feature);
        REQUIRE(promises == truth.broken_promises(chosen));
        for (const auto& conflict : result.conflicts) {
            OverrideSet together;
            for (const auto& key : conflict.overrides)
                for (const auto& candidate : device.problem.candidates)
                    if (candidate.key == key)
                        together[key] = candidate.value;
            const auto bits = truth.bits_of(together);
            REQUIRE(truth.safety(bits) == BruteForce::Safety::unsafe);
            for (std::size_t i = 0; i < device.problem.candidates.size(); ++i)
                if ((bits >> i & 1u) != 0 && truth.coherent(bits & ~(1u << i)))
                    REQUIRE(truth.safety(bits & ~(1u << i)) != BruteForce::Safety::unsafe);
        }
    }
}

TEST_CASE("within the default budget the result is safe and 1-minimal, and best where nothing interacts") {
    unsigned reached = 0;
    for (unsigned seed = 10001; seed <= 12500; ++seed) {
        CAPTURE(seed);
        const Device device = random_device(seed);
        const BruteForce truth(device);
        DeviceOracle oracle(device);
        const auto run = search(device.problem, oracle);
        if (!run || truth.stock_is_enough())
            continue;
        const SearchResult& result = *run;
        const auto chosen = truth.bits_of(result.chosen);
        REQUIRE(truth.coherent(chosen));
        REQUIRE(truth.safe(chosen));
        REQUIRE(truth.one_minimal(chosen));
        if (!device.simple)
            continue;
        REQUIRE(result.trials <= trial_budget(device.problem.candidates.size()));
        REQUIRE(chosen == truth.best());
        if (result.reach == SearchResult::Reach::reached) {
            ++reached;
            REQUIRE(result.proven_smallest);
        }
    }
    CHECK(reached > 100); // the devices are not all hopeless
}
