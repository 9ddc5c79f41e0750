#include "base/json_reader.h"
#include "kernels/feature.h"
#include "kernels/gate.h"

#include <algorithm>
#include <doctest/doctest.h>

using namespace assay;

static Answers answers(const char* json_answers, Os os = {"macOS", "26.5.2"}) {
    const auto values = parse_json(json_answers, "answers").value();
    Answers result;
    result.os = std::move(os);
    result.lookup = [values](std::string_view key) -> std::optional<json::value> {
        const auto* value = values.as_object().if_contains(key);
        return value ? std::optional<json::value>(*value) : std::nullopt;
    };
    return result;
}

static Expression expression(const char* text) {
    Problems problems("expression");
    auto result = Expression::from_json(parse_json(text, "expression").value(), "", problems);
    REQUIRE_MESSAGE(problems.empty(), text);
    return result;
}

static Truth evaluate(const char* text, const Answers& given) { return expression(text).evaluate(given); }

static const Gate& gate(std::string_view id) {
    const auto& all = client_gates();
    const auto found = std::find_if(all.begin(), all.end(), [&](const Gate& g) { return g.id == id; });
    REQUIRE_MESSAGE(found != all.end(), id);
    return *found;
}

TEST_CASE("any, all and not follow three-valued logic") {
    const auto given = answers(R"({"y": true, "n": false})");
    CHECK(evaluate(R"({"any": [{"query": "n", "is": true}, {"query": "?", "is": true}]})", given) ==
          Truth::unknown);
    CHECK(evaluate(R"({"any": [{"query": "y", "is": true}, {"query": "?", "is": true}]})", given) ==
          Truth::yes);
    CHECK(evaluate(R"({"all": [{"query": "n", "is": true}, {"query": "?", "is": true}]})", given) ==
          Truth::no);
    CHECK(evaluate(R"({"all": [{"query": "y", "is": true}, {"query": "?", "is": true}]})", given) ==
          Truth::unknown);
    CHECK(evaluate(R"({"not": {"query": "?", "is": true}})", given) == Truth::unknown);
    CHECK(evaluate(R"({"not": {"query": "n", "is": true}})", given) == Truth::yes);
    CHECK(evaluate(R"({"query": "n", "is": false})", given) == Truth::yes);
}

TEST_CASE("comparisons read numbers, text and architecture names") {
    const auto given = answers(
        R"({"mem": 32768, "name": "Apple M5 Max", "mac": "applegpu_g17g", "phone": "applegpu_g17p", "air": "air64_v27"})");
    CHECK(evaluate(R"({"query": "mem", "at_least": 32768})", given) == Truth::yes);
    CHECK(evaluate(R"({"query": "mem", "at_least": 32769})", given) == Truth::no);
    CHECK(evaluate(R"({"query": "name", "contains": "M5"})", given) == Truth::yes);
    CHECK(evaluate(R"({"query": "name", "equals": "Apple M5"})", given) == Truth::no);
    CHECK(evaluate(R"({"query": "mac", "generation_at_least": 17})", given) == Truth::yes);
    CHECK(evaluate(R"({"query": "phone", "generation_at_least": 17})", given) == Truth::no);
    CHECK(evaluate(R"({"query": "air", "generation_at_least": 17})", given) == Truth::no);
}

TEST_CASE("an answer of the wrong type leaves a comparison unknown") {
    const auto given = answers(R"({"text": "yes", "flag": true})");
    CHECK(evaluate(R"({"query": "text", "is": true})", given) == Truth::unknown);
    CHECK(evaluate(R"({"query": "flag", "at_least": 1})", given) == Truth::unknown);
    CHECK(evaluate(R"({"query": "flag", "contains": "t"})", given) == Truth::unknown);
}

TEST_CASE("the system's version and the client's environment can be asked about") {
    auto given = answers("{}");
    CHECK(evaluate(R"({"os": "macOS", "at_least": "26.2"})", given) == Truth::yes);
    CHECK(evaluate(R"({"os": "iOS", "at_least": "1"})", given) == Truth::no);
    CHECK(evaluate(R"({"os": "macOS", "at_least": "15"})", answers("{}", {})) == Truth::unknown);
    CHECK(evaluate(R"({"env": "FAST"})", given) == Truth::no);
    given.environment = [](std::string_view name) { return name == "FAST"; };
    CHECK(evaluate(R"({"env": "FAST"})", given) == Truth::yes);
}

TEST_CASE("malformed expressions are problems at their place, never a crash") {
    for (const char* text :
         {R"({"any": []})", R"({"any": 3})", R"({"query": "a"})", R"({"query": "a", "is": 1})",
          R"({"query": "a", "is": true, "equals": "b"})", R"({"maybe": 1})", "[]", "null", R"({"not": []})",
          R"({"os": "macOS"})", R"({"query": "a", "at_least": "9"})"}) {
        Problems problems("expression");
        const auto broken = Expression::from_json(parse_json(text, "t").value(), "/expr", problems);
        CHECK_MESSAGE(!problems.empty(), text);
        broken.evaluate(answers("{}"));
        broken.queries();
        broken.to_json();
    }
}

TEST_CASE("an expression writes back as it was read") {
    for (const auto& row : client_gates())
        if (row.expression) {
            Problems problems("again");
            const auto text = row.expression->to_json();
            CHECK(Expression::from_json(text, "", problems).to_json() == text);
            CHECK(problems.empty());
        }
}

static Answers families(std::initializer_list<std::string_view> yes, Os os = {"macOS", "26.5.2"}) {
    Answers result;
    result.os = std::move(os);
    result.lookup = [names = std::vector<std::string_view>(yes)](std::string_view key) {
        const auto asked = [&](std::string_view n) {
            return key == "supportsFamily(" + std::string(n) + ")";
        };
        return std::optional<json::value>(std::any_of(names.begin(), names.end(), asked));
    };
    return result;
}

TEST_CASE("llama.cpp's fast paths are closed on a stock guest and open from Apple7") {
    for (const char* id : {"ggml-simdgroup-reduction", "ggml-simdgroup-mm", "ggml-bfloat"}) {
        CHECK_MESSAGE(gate(id).open(families({"Apple5", "Mac2"})) == Truth::no, id);
        CHECK_MESSAGE(gate(id).open(families({"Apple6", "Apple7"})) == Truth::yes, id);
    }
    CHECK(gate("ggml-simdgroup-mm").open(families({"Metal3"})) == Truth::no);
}

TEST_CASE("Metal3 opens MLX's residency sets from macOS 15 on") {
    CHECK(gate("mlx-residency").open(families({"Metal3"})) == Truth::yes);
    CHECK(gate("mlx-residency").open(families({"Metal3"}, {"macOS", "14.5"})) == Truth::no);
    CHECK(gate("mlx-residency").needs == std::vector<std::string>{"residency_sets"});
}

TEST_CASE("every feature has a documented gate that opens where the feature is promised") {
    std::size_t documented = 0;
    for (const auto& row : client_gates())
        documented += row.goal == kDocumented;
    CHECK(documented == features().size());
    for (const auto& feature : features())
        for (const char* family :
             {"Apple5", "Apple6", "Apple7", "Apple8", "Apple9", "Metal3", "Metal4", "Mac2"}) {
            const auto given = families({family});
            CHECK(gate("documented-" + feature.id).open(given) == promise(feature, given));
        }
}

TEST_CASE("gates without an expression are neither open nor closed") {
    CHECK(gate("ggml-limits").open(answers("{}")) == Truth::unknown);
}

TEST_CASE("a goal nobody knows is an error with a suggestion") {
    CHECK(gates_of("llama.cpp").value().size() >= 4);
    const auto unknown = gates_of("lama.cpp");
    REQUIRE(!unknown);
    CHECK(unknown.error().text().find("did you mean \"llama.cpp\"?") != std::string::npos);
}

TEST_CASE("gate documents with mistakes report all of them") {
    const auto result = gates_from_json(
        parse_json(R"({"schema": "assay.gates/1", "how_to_read": {}, "gates": [{"id": "a", "client": "b",
            "version": "c", "role": "hero", "expr": {"any": [{"query": 1, "is": true}]}, "path": "p", "refz": []}]})",
                   "t")
            .value(),
        "gates.json");
    REQUIRE(!result);
    const auto text = result.error().text();
    CHECK(text.find("/gates/0/role") != std::string::npos);
    CHECK(text.find("/gates/0/expr/any/0/query") != std::string::npos);
    CHECK(text.find("/gates/0/refz") != std::string::npos);
    CHECK(text.find("did you mean \"refs\"?") != std::string::npos);
}
