// An ablation in words.
#include "ablate/report.h"
#include <doctest/doctest.h>

using namespace assay;
using namespace assay::ablate;

namespace {

Ablation reached() {
    Ablation out;
    out.device = "Apple Paravirtual device";
    out.system = "macOS 26.5.2 (25F84)";
    out.simulated = true;
    out.goals = {"llama.cpp"};
    out.repeats = 5;
    SearchResult& r = out.result;
    r.reach = SearchResult::Reach::reached;
    r.chosen = {{"supportsFamily(Apple6)", true}};
    r.proven_smallest = true;
    r.trials = 8;
    r.confirmations = 5;
    CandidateVerdict kept;
    kept.candidate = {"supportsFamily(Apple6)", true, "read by ggml-bfloat"};
    kept.kind = CandidateVerdict::Kind::needed;
    kept.opens = {"ggml-bfloat"};
    kept.shown_by = {"bfloat_conversion/convert"};
    CandidateVerdict memory;
    memory.candidate = {"maxThreadgroupMemoryLength", 65536, "published"};
    memory.hazards = {{{"maxThreadgroupMemoryLength"}, "", "threadgroup_memory", "all", "runs", {}, {}, ""}};
    r.candidates = {kept, memory};
    r.hazards = {{{"supportsFamily(Apple6)"},
                  "residency_sets",
                  "residency_set",
                  "create",
                  "runs",
                  {"moltenvk", "documented"},
                  {"a", "b"},
                  "nil"}};
    r.gates = {{"ggml-bfloat", "llama.cpp", Role::fast_path, GateVerdict::State::opened, ""}};
    return out;
}

} // namespace

TEST_CASE("clean repeats say which failure rate they could have missed") {
    CHECK(missed_rate(30) == doctest::Approx(0.0950).epsilon(0.01)); // the rule of three: about 3 / n
    CHECK(missed_rate_text(30) == "10 % at 95 % confidence");
    CHECK(missed_rate_text(5) == "46 % at 95 % confidence");
    CHECK(missed_rate(0) == 1.0);
    CHECK(missed_rate_text(0) == "any");
}

TEST_CASE("verdicts, hazards and the confirmation are printed as aligned text") {
    CHECK(ablation_text(reached()) ==
          R"(Apple Paravirtual device, macOS 26.5.2 (25F84)
Everything below is simulated: a software device stands in for Metal, and its device file says
what works.

override                            verdict                   decided by
supportsFamily(Apple6) = true       needed                    opens ggml-bfloat; bfloat_conversion/convert is correct
maxThreadgroupMemoryLength = 65536  not needed for llama.cpp  threadgroup_memory/all fails at runs

Hazards: promises to others that are not kept
  promised by                 kept  kernel                  fails at  feature         clients that may believe it
  supportsFamily(Apple6)      yes   residency_set/create    runs      residency_sets  moltenvk, documented
  maxThreadgroupMemoryLength  no    threadgroup_memory/all  runs      -               whoever uses all that is reported

Goal llama.cpp reached with 1 override.
  ggml-bfloat  opened
8 trials; no smaller set does as well.
Confirmed in 5 fresh runs, all clean: a failure rate of 46 % at 95 % confidence could have been missed.
)");
}

TEST_CASE("simulated is said exactly once, and only of the software device") {
    Ablation ablation = reached();
    const std::string text = ablation_text(ablation);
    CHECK(text.find("simulated") == text.rfind("simulated"));
    CHECK(text.find("simulated") != std::string::npos);
    ablation.simulated = false;
    CHECK(ablation_text(ablation).find("simulated") == std::string::npos);
}

TEST_CASE("a goal out of reach names kernel and rung") {
    Ablation ablation = reached();
    SearchResult& r = ablation.result;
    r.reach = SearchResult::Reach::unreachable;
    r.chosen.clear();
    r.hazards.clear();
    r.candidates.clear();
    r.gates[0].state = GateVerdict::State::closed;
    r.gates[0].why = "bfloat16: bfloat_conversion/convert fails at correct";
    const std::string text = ablation_text(ablation);
    CHECK(text.find("not safely reachable") != std::string::npos);
    CHECK(text.find("stays closed: bfloat16: bfloat_conversion/convert fails at correct") !=
          std::string::npos);
    CHECK(text.find("Confirmed") == std::string::npos);
}

TEST_CASE("the decision event has a row for each candidate and gate") {
    const json::object event = decision_event(reached());
    CHECK(event.at("reach") == json::value("reached"));
    CHECK(event.at("candidates").as_array().size() == 2);
    CHECK(event.at("gates").as_array()[0].at("state") == json::value("opened"));
}
