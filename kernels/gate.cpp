// Client gates: what known programs read from a device, and which of their paths that opens.
#include "kernels/gate.h"
#include "base/json_reader.h"
#include "base/text.h"
#include "embedded/kernels.h"
#include "kernels/feature.h"

#include <algorithm>
#include <charconv>

namespace assay {

namespace {

/// The generation in an architecture name, as MLX reads it: 17 for "applegpu_g17g". A phone's chip ("p")
/// carries the number of the next generation of Macs, so it counts one less: MLX asks 18 of it where it asks
/// 17 of the others (mlx/backend/metal/device.cpp). Names of another form ("air64_v27") have none.
std::optional<int> architecture_generation(std::string_view name) {
    constexpr std::string_view kPrefix = "applegpu_g";
    if (name.substr(0, kPrefix.size()) != kPrefix)
        return {};
    int generation = 0;
    const char* last = name.data() + name.size();
    const auto [end, error] = std::from_chars(name.data() + kPrefix.size(), last, generation);
    if (error != std::errc{})
        return {};
    return end != last && *end == 'p' ? generation - 1 : generation;
}

Truth truth_of(bool value) { return value ? Truth::yes : Truth::no; }

} // namespace

const std::vector<Expression::Comparison>& Expression::comparisons() {
    static const std::vector<Comparison> rows = {{"is", Kind::is},
                                                 {"equals", Kind::equals},
                                                 {"contains", Kind::contains},
                                                 {"at_least", Kind::at_least},
                                                 {"generation_at_least", Kind::generation_at_least}};
    return rows;
}

Expression Expression::from_json(const json::value& value, const std::string& pointer, Problems& problems) {
    Expression result;
    ObjectReader reader(value, pointer, problems);
    const auto read_parts = [&](std::string_view key, Kind kind) {
        result.kind_ = kind;
        const auto& parts = reader.array(key);
        if (parts.empty())
            problems.add(reader.pointer(key), "expected at least one expression");
        for (std::size_t i = 0; i < parts.size(); ++i)
            result.parts_.push_back(
                from_json(parts[i], reader.pointer(key) + '/' + std::to_string(i), problems));
    };
    if (reader.find("any")) {
        read_parts("any", Kind::any);
    } else if (reader.find("all")) {
        read_parts("all", Kind::all);
    } else if (const auto* part = reader.find("not")) {
        result.kind_ = Kind::negation;
        result.parts_.push_back(from_json(*part, reader.pointer("not"), problems));
    } else if (reader.find("os")) {
        result.kind_ = Kind::os;
        result.subject_ = reader.string("os");
        result.wanted_ = reader.string("at_least");
    } else if (reader.find("env")) {
        result.kind_ = Kind::env;
        result.subject_ = reader.string("env");
    } else if (reader.find("query")) {
        result.subject_ = reader.string("query");
        std::size_t found = 0;
        for (const auto& comparison : comparisons())
            if (const auto* wanted = reader.find(comparison.key)) {
                ++found;
                result.kind_ = comparison.kind;
                result.wanted_ = *wanted;
                const bool fits = comparison.kind == Kind::is ? wanted->is_bool()
                                  : comparison.kind == Kind::equals || comparison.kind == Kind::contains
                                      ? wanted->is_string()
                                      : wanted->is_number();
                if (!fits)
                    problems.add(reader.pointer(comparison.key),
                                 "a comparison cannot use " + std::string(kind_name(*wanted)));
            }
        if (found != 1)
            problems.add(pointer, "expected exactly one of is, equals, contains, at_least and "
                                  "generation_at_least beside \"query\"");
    } else if (value.is_object()) {
        problems.add(pointer, "expected one of the keys any, all, not, query, os and env");
    }
    return result;
}

json::value Expression::to_json() const {
    const auto list = [this] {
        json::array parts;
        for (const auto& part : parts_)
            parts.push_back(part.to_json());
        return parts;
    };
    switch (kind_) {
    case Kind::any:
        return {{"any", list()}};
    case Kind::all:
        return {{"all", list()}};
    case Kind::negation:
        return {{"not", parts_.front().to_json()}};
    case Kind::os:
        return {{"os", subject_}, {"at_least", wanted_}};
    case Kind::env:
        return {{"env", subject_}};
    default:
        break;
    }
    for (const auto& comparison : comparisons())
        if (comparison.kind == kind_)
            return {{"query", subject_}, {comparison.key, wanted_}};
    return {};
}

Truth Expression::compare(const json::value& answer) const {
    const auto* text = answer.if_string();
    switch (kind_) {
    case Kind::is:
        return answer.is_bool() && wanted_.is_bool() ? truth_of(answer == wanted_) : Truth::unknown;
    case Kind::equals:
        return text ? truth_of(answer == wanted_) : Truth::unknown;
    case Kind::contains:
        return text && wanted_.is_string()
                   ? truth_of(std::string_view(*text).find(std::string_view(wanted_.get_string())) !=
                              std::string_view::npos)
                   : Truth::unknown;
    case Kind::at_least:
        return answer.is_number() && wanted_.is_number()
                   ? truth_of(answer.to_number<double>() >= wanted_.to_number<double>())
                   : Truth::unknown;
    case Kind::generation_at_least: {
        if (!text || !wanted_.is_number())
            return Truth::unknown;
        const auto generation = architecture_generation(*text);
        return truth_of(generation && *generation >= wanted_.to_number<double>());
    }
    default:
        return Truth::unknown;
    }
}

Truth Expression::evaluate(const Answers& answers) const {
    Truth result = Truth::unknown;
    switch (kind_) {
    case Kind::any:
        result = Truth::no;
        for (const auto& part : parts_)
            result = std::max(result, part.evaluate(answers));
        return result;
    case Kind::all:
        result = Truth::yes;
        for (const auto& part : parts_)
            result = std::min(result, part.evaluate(answers));
        return result;
    case Kind::negation:
        return truth_not(parts_.front().evaluate(answers));
    case Kind::os:
        if (answers.os.name.empty() || !wanted_.is_string())
            return Truth::unknown;
        if (answers.os.name != subject_)
            return Truth::no;
        return version_at_least(answers.os.version, wanted_.get_string());
    case Kind::env:
        return truth_of(answers.environment && answers.environment(subject_));
    default:
        break;
    }
    const auto answer = answers.find(subject_);
    return answer ? compare(*answer) : Truth::unknown;
}

void Expression::collect(std::vector<std::string>& keys) const {
    for (const auto& part : parts_)
        part.collect(keys);
    const bool asks = parts_.empty() && kind_ != Kind::os && kind_ != Kind::env && !subject_.empty();
    if (asks && std::find(keys.begin(), keys.end(), subject_) == keys.end())
        keys.push_back(subject_);
}

std::vector<std::string> Expression::queries() const {
    std::vector<std::string> keys;
    collect(keys);
    return keys;
}

Expression Expression::is(std::string query, bool wanted) {
    Expression result;
    result.kind_ = Kind::is;
    result.subject_ = std::move(query);
    result.wanted_ = wanted;
    return result;
}

Expression Expression::os_at_least(std::string os, std::string version) {
    Expression result;
    result.kind_ = Kind::os;
    result.subject_ = std::move(os);
    result.wanted_ = version;
    return result;
}

Expression Expression::any(std::vector<Expression> parts) {
    Expression result;
    result.kind_ = Kind::any;
    result.parts_ = std::move(parts);
    return result;
}

Expression Expression::all(std::vector<Expression> parts) {
    Expression result;
    result.kind_ = Kind::all;
    result.parts_ = std::move(parts);
    return result;
}

Result<std::vector<Gate>> gates_from_json(const json::value& value, const std::string& name) {
    Problems problems(name);
    std::vector<Gate> gates;
    {
        ObjectReader document(value, "", problems);
        document.schema("assay.gates/1");
        document.object("how_to_read");
        std::size_t index = 0;
        for (const auto& row : document.array("gates")) {
            ObjectReader reader(row, "/gates/" + std::to_string(index++), problems);
            Gate gate;
            gate.id = reader.string("id");
            gate.client = reader.string("client");
            gate.version = reader.string("version");
            gate.goal = reader.optional_string("goal").value_or("");
            gate.role =
                reader.one_of("role", {"fast_path", "admission", "side_effect", "limit", "tuning", "info"});
            if (const auto* expression = reader.require("expr"); expression && !expression->is_null())
                gate.expression = Expression::from_json(*expression, reader.pointer("expr"), problems);
            gate.needs = reader.strings("needs");
            gate.query = reader.optional_string("query").value_or("");
            gate.condition = reader.optional_string("condition").value_or("");
            gate.path = reader.string("path");
            gate.if_broken = reader.optional_string("if_broken").value_or("");
            gate.environment_override = reader.strings("env_override");
            gate.where = reader.optional_string("where").value_or("");
            gate.references = reader.strings("refs");
            gates.push_back(std::move(gate));
        }
    }
    if (!problems.empty())
        return problems.error();
    return gates;
}

static Gate documented_gate(const Feature& feature) {
    std::vector<Expression> families;
    for (auto& key : promising_queries(feature))
        families.push_back(Expression::is(std::move(key), true));
    auto expression = Expression::any(std::move(families));
    if (!feature.min_macos.empty())
        expression =
            Expression::all({std::move(expression), Expression::os_at_least("macOS", feature.min_macos)});
    Gate gate;
    gate.id = std::string(kDocumented) + "-" + feature.id;
    gate.client = kDocumented;
    gate.goal = kDocumented;
    gate.version = join(feature.sources, ", ");
    gate.role = "fast_path";
    gate.expression = std::move(expression);
    gate.needs = {feature.id};
    gate.path = feature.id + " may be used";
    gate.condition = feature.note;
    return gate;
}

const std::vector<Gate>& client_gates() {
    static const std::vector<Gate> gates = [] {
        auto all =
            gates_from_json(parse_json(embedded::kernels::client_gates_json, "client_gates.json").value(),
                            "client_gates.json")
                .value();
        for (const auto& feature : features())
            all.push_back(documented_gate(feature));
        return all;
    }();
    return gates;
}

std::vector<std::string> goals() {
    std::vector<std::string> names;
    for (const auto& gate : client_gates())
        if (!gate.goal.empty() && std::find(names.begin(), names.end(), gate.goal) == names.end())
            names.push_back(gate.goal);
    return names;
}

Result<std::vector<const Gate*>> gates_of(std::string_view goal) {
    std::vector<const Gate*> found;
    for (const auto& gate : client_gates())
        if (gate.goal == goal)
            found.push_back(&gate);
    if (found.empty()) {
        const auto names = goals();
        return bad_input("--goal " + std::string(goal),
                         "no gates are known for this client" +
                             did_you_mean(goal, {names.begin(), names.end()}),
                         "known: " + join(names, ", "));
    }
    return found;
}

} // namespace assay
