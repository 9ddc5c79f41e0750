// Candidates from gates and from what others have published.
#include "ablate/candidates.h"
#include <algorithm>
#include <doctest/doctest.h>

using namespace assay;
using namespace assay::ablate;

namespace {

Answers answers(const std::map<std::string, json::value>& values) {
    Answers out;
    out.os = {"macOS", "26.5.2"};
    out.lookup = [values](std::string_view key) -> std::optional<json::value> {
        const auto found = values.find(std::string(key));
        return found == values.end() ? std::nullopt : std::optional<json::value>(found->second);
    };
    return out;
}

std::map<std::string, json::value> apple(int level) {
    std::map<std::string, json::value> out;
    for (int n = 1; n <= 10; ++n)
        out["supportsFamily(Apple" + std::to_string(n) + ")"] = n <= level;
    out["supportsFamily(Metal3)"] = false;
    out["maxThreadgroupMemoryLength"] = 32768;
    return out;
}

std::vector<std::string> keys(const std::vector<Candidate>& candidates) {
    std::vector<std::string> out;
    for (const auto& candidate : candidates)
        out.push_back(candidate.key);
    return out;
}

assay::Gate gate(Expression expression, std::string role = "fast_path") {
    assay::Gate out;
    out.id = "gate";
    out.goal = "client";
    out.role = std::move(role);
    out.expression = std::move(expression);
    return out;
}

} // namespace

TEST_CASE("llama.cpp's closed gates ask for Apple6, Apple7 and Metal3 on an Apple5 guest") {
    const auto list = gate_candidates(client_gates(), {"llama.cpp"}, answers(apple(5)));
    auto found = keys(list);
    std::sort(found.begin(), found.end());
    CHECK(found == std::vector<std::string>{"supportsFamily(Apple6)", "supportsFamily(Apple7)",
                                            "supportsFamily(Metal3)"});
}

TEST_CASE("the ladder steps below a wanted family are candidates too") {
    const auto list = gate_candidates({gate(Expression::is("supportsFamily(Apple8)", true))}, {"client"},
                                      answers(apple(5)));
    CHECK(keys(list) == std::vector<std::string>{"supportsFamily(Apple8)", "supportsFamily(Apple6)",
                                                 "supportsFamily(Apple7)"});
}

TEST_CASE("open gates, gates nobody wants and other clients' gates give no candidates") {
    const auto stock = answers(apple(7));
    const auto seven = Expression::is("supportsFamily(Apple7)", true);
    const auto eight = Expression::is("supportsFamily(Apple8)", true);
    CHECK(gate_candidates({gate(seven)}, {"client"}, stock).empty());
    CHECK(gate_candidates({gate(eight, "side_effect")}, {"client"}, stock).empty());
    CHECK(gate_candidates({gate(eight)}, {"another"}, stock).empty());
}

TEST_CASE("an answer that the device does not give, or a string, cannot be overridden") {
    CHECK(gate_candidates({gate(Expression::is("unheard of", true))}, {"client"}, answers(apple(5))).empty());
    // MLX's fast path reads architecture.name.
    CHECK(gate_candidates(client_gates(), {"mlx"}, answers(apple(5))).empty());
}

TEST_CASE("published candidates are the families up to Apple9, Metal3 and 65536 bytes") {
    const auto list = published_candidates(answers(apple(5)));
    REQUIRE(list.size() == 6);
    CHECK(list[3].key == "supportsFamily(Apple9)");
    CHECK(list[5].value == json::value(65536));
    for (const auto& candidate : list)
        CHECK_FALSE(candidate.why.empty());
}

TEST_CASE("merging keeps each candidate once, ladder first") {
    const auto stock = answers(apple(5));
    const auto list =
        merged(gate_candidates(client_gates(), {"llama.cpp"}, stock), published_candidates(stock));
    CHECK(keys(list) == std::vector<std::string>{"supportsFamily(Apple6)", "supportsFamily(Apple7)",
                                                 "supportsFamily(Apple8)", "supportsFamily(Apple9)",
                                                 "supportsFamily(Metal3)", "maxThreadgroupMemoryLength"});
    CHECK(list[0].why == "read by ggml-bfloat");
}

TEST_CASE("a malformed candidate list names every problem") {
    const auto result = candidates_from_json(
        parse_json(
            R"({"schema": "assay.candidates/1", "candidates": [{"query": "a", "value": "x", "why": "w"},
                       {"value": true, "why": "w"}]})",
            "list")
            .value(),
        "list");
    REQUIRE(result.has_error());
    CHECK(result.error().text().find("/candidates/0/value") != std::string::npos);
    CHECK(result.error().text().find("/candidates/1") != std::string::npos);
}
