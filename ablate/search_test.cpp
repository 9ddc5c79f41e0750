// The search on hand-made devices whose right answers are known.
#include "ablate/search.h"
#include <algorithm>
#include <doctest/doctest.h>

using namespace assay;
using namespace assay::ablate;

namespace {

std::string family(int number) { return "supportsFamily(Apple" + std::to_string(number) + ")"; }
const std::string kMetal3 = "supportsFamily(Metal3)";
const std::string kMemory = "maxThreadgroupMemoryLength";

bool yes(const AnswerSet& answers, const std::string& key) {
    const auto found = answers.find(key);
    return found != answers.end() && found->second == json::value(true);
}

std::function<bool(const AnswerSet&)> any_of_keys(std::vector<std::string> keys) {
    return [keys = std::move(keys)](const AnswerSet& answers) {
        return std::any_of(keys.begin(), keys.end(), [&](const auto& key) { return yes(answers, key); });
    };
}

/// A device in memory: features that work, and what the program asked of it.
class FakeDevice : public Oracle {
  public:
    explicit FakeDevice(const Problem& problem) : problem_(problem) {}

    Trial run(const TrialRequest& request) override {
        requests.push_back(request);
        Trial trial;
        if (requests.size() == stop_at) {
            trial.status = Trial::Status::stopped;
            trial.reason = "wedged";
            return trial;
        }
        trial.answers = problem_.stock;
        for (const auto& [key, value] : request.overrides)
            trial.answers[key] = value;
        if (inactive && !request.overrides.empty()) {
            trial.status = Trial::Status::invalid;
            trial.reason = "shim not active";
            return trial;
        }
        for (const auto& variant : problem_.variants) {
            if (std::find(request.variants.begin(), request.variants.end(), variant.id()) ==
                request.variants.end())
                continue;
            Outcome outcome{Outcome::Status::passed, {}, {}};
            for (const auto& feature : variant.features)
                if (works.count(feature) == 0)
                    outcome = {Outcome::Status::failed, "compiles", "no " + feature, 0};
            if (variant.kernel == "threadgroup_memory" && trial.answers.at(kMemory) != json::value(32768))
                outcome = {Outcome::Status::failed, "runs", "over the real limit", 0};
            if (variant.id() == flaky && request.purpose == Purpose::confirm && request.repeat % 2 == 0)
                outcome = {Outcome::Status::failed, "correct", "wrong", 0};
            trial.outcomes[variant.id()] = outcome;
        }
        return trial;
    }

    std::set<std::string> works = {"simd_reduction", "simdgroup_matrix", "bfloat16"};
    std::string flaky;
    bool inactive = false;
    std::size_t stop_at = 0;
    std::vector<TrialRequest> requests;

  private:
    const Problem& problem_;
};

/// The stock guest of an M1 Ultra: Apple5, no Metal3, 32 KiB; gates as llama.cpp, MLX and MoltenVK have them.
Problem guest() {
    Problem p;
    for (int n = 1; n <= 9; ++n) {
        p.stock[family(n)] = n <= 5;
        p.ladders.resize(1);
        p.ladders[0].push_back(family(n));
        if (n > 5)
            p.candidates.push_back({family(n), true, "published"});
    }
    p.stock[kMetal3] = false;
    p.stock[kMemory] = 32768;
    p.candidates.push_back({kMetal3, true, "published"});
    p.candidates.push_back({kMemory, 65536, "published"});
    p.gates = {
        {"ggml-reduction",
         "llama.cpp",
         Role::fast_path,
         {"simd_reduction"},
         any_of_keys({family(7), kMetal3})},
        {"ggml-mm", "llama.cpp", Role::fast_path, {"simdgroup_matrix"}, any_of_keys({family(7)})},
        {"ggml-bfloat", "llama.cpp", Role::fast_path, {"bfloat16"}, any_of_keys({family(6), kMetal3})},
        {"mlx-nax", "mlx", Role::fast_path, {"tensors"}, [](const AnswerSet&) { return false; }},
        {"mlx-residency", "mlx", Role::side_effect, {"residency_sets"}, any_of_keys({kMetal3})},
        {"vk-residency", "moltenvk", Role::side_effect, {"residency_sets"}, any_of_keys({family(6)})},
        {"doc-shift", "documented", Role::fast_path, {"shift_and_fill"}, any_of_keys({family(8)})},
        {"doc-atomics", "documented", Role::fast_path, {"atomics_64bit"}, any_of_keys({family(9)})},
        {"doc-mesh", "documented", Role::fast_path, {"mesh_shading"}, any_of_keys({family(7)})},
    };
    p.variants = {
        {"matmul", "naive", {}},
        {"matmul", "simdgroup", {"simdgroup_matrix"}},
        {"reduction", "simd_sum", {"simd_reduction"}},
        {"bfloat_product", "simdgroup", {"bfloat16", "simdgroup_matrix"}},
        {"bfloat_conversion", "convert", {"bfloat16"}},
        {"shift_and_fill", "shift", {"shift_and_fill"}},
        {"atomic_max", "atomic", {"atomics_64bit"}},
        {"threadgroup_memory", "all", {}},
        {"residency_set", "create", {"residency_sets"}},
    };
    p.goals = {"llama.cpp"};
    return p;
}

const CandidateVerdict& verdict(const SearchResult& result, const std::string& key) {
    return *std::find_if(result.candidates.begin(), result.candidates.end(),
                         [&](const auto& v) { return v.candidate.key == key; });
}

} // namespace

TEST_CASE("a stock guest needs exactly Apple6 and Apple7 for llama.cpp") {
    Problem problem = guest();
    problem.repeats = 3;
    FakeDevice device(problem);
    const SearchResult result = search(problem, device).value();
    CHECK(result.reach == SearchResult::Reach::reached);
    CHECK(result.chosen == OverrideSet{{family(6), true}, {family(7), true}});
    CHECK(result.proven_smallest);
    CHECK(result.confirmations == 3);
    CHECK(result.trials <= trial_budget(problem.candidates.size()));
    CHECK(verdict(result, family(7)).opens == std::vector<std::string>{"ggml-reduction", "ggml-mm"});
    CHECK(verdict(result, family(6)).opens == std::vector<std::string>{"ggml-bfloat"});
}

TEST_CASE("what is not needed is said to be so, with the kernel that shows its hazard") {
    const Problem problem = guest();
    FakeDevice device(problem);
    const SearchResult result = search(problem, device).value();
    const auto hazard_of = [&](const std::string& key) {
        const CandidateVerdict& v = verdict(result, key);
        CHECK(v.kind == CandidateVerdict::Kind::not_needed);
        REQUIRE(v.hazards.size() == 1);
        return v.hazards[0].kernel + " " + v.hazards[0].rung;
    };
    CHECK(hazard_of(family(8)) == "shift_and_fill compiles");
    CHECK(hazard_of(family(9)) == "atomic_max compiles");
    CHECK(hazard_of(kMetal3) == "residency_set compiles");
    CHECK(hazard_of(kMemory) == "threadgroup_memory runs");
}

TEST_CASE("a kept override's broken promise to another client is a hazard, not a veto") {
    const Problem problem = guest();
    FakeDevice device(problem);
    const SearchResult result = search(problem, device).value();
    REQUIRE(result.hazards.size() == 1);
    CHECK(result.hazards[0].overrides == std::vector<std::string>{family(6)});
    CHECK(result.hazards[0].kernel == "residency_set");
    CHECK(result.hazards[0].clients == std::vector<std::string>{"moltenvk"});
}

TEST_CASE("a documented feature that no kernel exercises is an unchecked promise") {
    const Problem problem = guest();
    FakeDevice device(problem);
    const SearchResult result = search(problem, device).value();
    REQUIRE(result.unchecked.size() == 1);
    CHECK(result.unchecked[0].feature == "mesh_shading");
}

TEST_CASE("hazards vanish when the device really executes what is promised") {
    const Problem problem = guest();
    FakeDevice device(problem);
    device.works.insert({"shift_and_fill", "atomics_64bit", "residency_sets"});
    const SearchResult result = search(problem, device).value();
    CHECK(result.hazards.empty());
    CHECK(verdict(result, family(9)).hazards.empty());
    CHECK(verdict(result, kMetal3).hazards.empty());
}

TEST_CASE("mlx gets no profile: its fast path needs what no kernel exercises, and Metal3 is unsafe") {
    Problem problem = guest();
    problem.goals = {"mlx"};
    FakeDevice device(problem);
    const SearchResult result = search(problem, device).value();
    CHECK(result.reach == SearchResult::Reach::unreachable);
    CHECK(result.chosen.empty());
    REQUIRE(result.gates.size() == 1);
    CHECK(result.gates[0].why == "needs feature tensors, which no kernel here exercises");
    const CandidateVerdict& metal3 = verdict(result, kMetal3);
    CHECK(metal3.kind == CandidateVerdict::Kind::unsafe);
    CHECK(metal3.decided->kernel == "residency_set");
}

TEST_CASE("a broken matrix unit closes the matrix gate, and does not blame bfloat") {
    const Problem problem = guest();
    FakeDevice device(problem);
    device.works.erase("simdgroup_matrix");
    const SearchResult result = search(problem, device).value();
    CHECK(result.reach == SearchResult::Reach::partly);
    CHECK(result.chosen == OverrideSet{{kMetal3, true}});
    const CandidateVerdict& apple7 = verdict(result, family(7));
    CHECK(apple7.kind == CandidateVerdict::Kind::unsafe);
    CHECK(apple7.decided->kernel == "matmul");
    const auto closed = std::find_if(result.gates.begin(), result.gates.end(),
                                     [](const auto& gate) { return gate.gate == "ggml-mm"; });
    REQUIRE(closed != result.gates.end());
    CHECK(closed->state == GateVerdict::State::closed);
    CHECK(closed->why == "simdgroup_matrix: matmul/simdgroup fails at compiles (no simdgroup_matrix)");
    CHECK(result.trials <= trial_budget(problem.candidates.size()));
}

TEST_CASE("a device that is Apple7 at stock needs no shim, and one trial says so") {
    Problem problem = guest();
    problem.stock[family(6)] = true;
    problem.stock[family(7)] = true;
    FakeDevice device(problem);
    const SearchResult result = search(problem, device).value();
    CHECK(result.reach == SearchResult::Reach::no_shim_needed);
    CHECK(device.requests.size() == 1);
    CHECK(verdict(result, family(7)).kind == CandidateVerdict::Kind::at_stock);
    CHECK(verdict(result, family(9)).kind == CandidateVerdict::Kind::not_needed);
}

TEST_CASE("a gate that is open at stock and broken is not called reached") {
    Problem problem = guest();
    problem.stock[family(6)] = true;
    problem.stock[family(7)] = true;
    FakeDevice device(problem);
    device.works.erase("simdgroup_matrix");
    const SearchResult result = search(problem, device).value();
    CHECK(result.reach == SearchResult::Reach::unreachable);
    CHECK(result.gates[1].state == GateVerdict::State::broken_at_stock);
    CHECK(result.gates[1].why == "matmul/simdgroup fails at compiles: no simdgroup_matrix");
}

TEST_CASE("several goals bind together") {
    Problem problem = guest();
    problem.goals = {"llama.cpp", "moltenvk"};
    FakeDevice device(problem);
    const SearchResult result = search(problem, device).value();
    // Apple6 would open MoltenVK's residency sets; Metal3 opens what can be had without it.
    CHECK(result.reach == SearchResult::Reach::partly);
    CHECK(result.chosen == OverrideSet{{kMetal3, true}});
}

TEST_CASE("documented as a goal makes Apple's tables binding") {
    Problem problem = guest();
    problem.goals = {"llama.cpp", "documented"};
    FakeDevice device(problem);
    device.works.insert({"residency_sets"});
    const SearchResult result = search(problem, device).value();
    CHECK(result.chosen == OverrideSet{{family(6), true}, {family(7), true}});
    CHECK(result.reach == SearchResult::Reach::partly);
}

TEST_CASE("a trial without the shim proves nothing and chooses nothing") {
    const Problem problem = guest();
    FakeDevice device(problem);
    device.inactive = true;
    const SearchResult result = search(problem, device).value();
    CHECK(result.chosen.empty());
    CHECK(verdict(result, family(7)).kind == CandidateVerdict::Kind::inconclusive);
    CHECK_FALSE(result.proven_smallest);
}

TEST_CASE("a wedged device stops the search at that trial and nothing unconfirmed is offered") {
    Problem problem = guest();
    problem.repeats = 2;
    for (std::size_t stop_at = 1; stop_at <= 10; ++stop_at) {
        FakeDevice device(problem);
        device.stop_at = stop_at;
        const SearchResult result = search(problem, device).value();
        CHECK(device.requests.size() == stop_at);
        CHECK(result.reach == SearchResult::Reach::stopped);
        CHECK(result.stopped == "wedged");
        CHECK(result.chosen.empty());
    }
}

TEST_CASE("a flaky kernel rejects the set and is labelled with its rate") {
    Problem problem = guest();
    problem.repeats = 5;
    FakeDevice device(problem);
    device.flaky = "matmul/simdgroup";
    const SearchResult result = search(problem, device).value();
    CHECK(result.reach == SearchResult::Reach::partly);
    REQUIRE_FALSE(result.rejected_in_confirmation.empty());
    CHECK(result.rejected_in_confirmation[0].detail == "failed in 2 of 5 confirmations; wrong");
    for (const auto& [key, value] : result.chosen)
        CHECK(key != family(7));
}

TEST_CASE("overrides that are safe alone and unsafe together are isolated") {
    Problem p;
    for (const std::string key : {"a", "b", "c", "d"}) {
        p.stock[key] = false;
        p.candidates.push_back({key, true, ""});
    }
    p.goals = {"client"};
    for (const std::string key : {"a", "b", "c"})
        p.gates.push_back({"gate-" + key, "client", Role::fast_path, {"f"}, any_of_keys({key})});
    p.variants = {{"kernel", "v", {"f"}}};
    class : public Oracle {
      public:
        Trial run(const TrialRequest& request) override {
            Trial trial;
            for (const std::string key : {"a", "b", "c", "d"})
                trial.answers[key] = request.overrides.count(key) != 0;
            const bool clash = yes(trial.answers, "a") && yes(trial.answers, "c");
            trial.outcomes["kernel/v"] = clash ? Outcome{Outcome::Status::failed, "correct", "", 0}
                                               : Outcome{Outcome::Status::passed, "", "", 0};
            return trial;
        }
    } device;
    const SearchResult result = search(p, device).value();
    CHECK(result.reach == SearchResult::Reach::partly);
    CHECK(result.chosen.size() == 2);
    REQUIRE(result.conflicts.size() == 1);
    CHECK(result.conflicts[0].overrides == std::vector<std::string>{"a", "c"});
    CHECK(result.conflicts[0].failure.kernel == "kernel");
}

TEST_CASE("too many candidates, and a goal without a gate, are errors") {
    Problem problem = guest();
    problem.goals = {"nobody"};
    FakeDevice device(problem);
    CHECK(search(problem, device).has_error());
    problem = guest();
    for (int i = 0; i < 20; ++i)
        problem.candidates.push_back({"key" + std::to_string(i), true, ""});
    CHECK(search(problem, device).has_error());
}
