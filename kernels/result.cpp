// What became of one kernel variant: how far up the claim ladder it came.
#include "kernels/result.h"
#include "base/json_reader.h"

#include <array>
#include <cmath>

namespace assay {

namespace {

constexpr std::array<std::string_view, 6> kRungs = {"reported", "answers", "compiles",
                                                    "runs",     "correct", "pays"};
constexpr std::array<std::string_view, 4> kStatuses = {"passed", "failed", "skipped", "inconclusive"};
constexpr std::array<std::string_view, 5> kVerdicts = {"honest", "absent", "latent", "overclaimed",
                                                       "inconclusive"};

template <class Enum, std::size_t N>
Enum read_enum(ObjectReader& reader, std::string_view key, const std::array<std::string_view, N>& names) {
    const auto text = reader.string(key);
    for (std::size_t i = 0; i < N; ++i)
        if (names[i] == text)
            return static_cast<Enum>(i);
    reader.problems().add(reader.pointer(key), "\"" + text + "\" is not one of the known values");
    return Enum{};
}

json::value ratio_or_null(std::optional<double> value) {
    // An infinite error over bound is a fact of the result, but no JSON number.
    return value && std::isfinite(*value) ? json::value(*value) : json::value(nullptr);
}

json::object to_json(const Payoff& pays) {
    return {{"fallback", pays.fallback},
            {"ratio", pays.ratio},
            {"low", pays.low},
            {"high", pays.high},
            {"confidence", pays.confidence},
            {"clock", pays.clock},
            {"variant_seconds", json::value_from(pays.variant_seconds)},
            {"fallback_seconds", json::value_from(pays.fallback_seconds)}};
}

std::vector<double> read_numbers(ObjectReader& reader, std::string_view key) {
    std::vector<double> numbers;
    for (const auto& value : reader.array(key)) {
        if (!value.is_number())
            reader.problems().add(reader.pointer(key), "expected numbers only");
        else
            numbers.push_back(value.to_number<double>());
    }
    return numbers;
}

Payoff read_payoff(const json::value& value, const std::string& pointer, Problems& problems) {
    ObjectReader reader(value, pointer, problems);
    Payoff pays;
    pays.fallback = reader.string("fallback");
    pays.ratio = reader.optional_number("ratio").value_or(0);
    pays.low = reader.optional_number("low").value_or(0);
    pays.high = reader.optional_number("high").value_or(0);
    pays.confidence = reader.optional_number("confidence").value_or(0);
    pays.clock = reader.string("clock");
    pays.variant_seconds = read_numbers(reader, "variant_seconds");
    pays.fallback_seconds = read_numbers(reader, "fallback_seconds");
    return pays;
}

} // namespace

std::string_view rung_name(Rung rung) { return kRungs.at(static_cast<std::size_t>(rung)); }
std::string_view status_name(KernelStatus status) { return kStatuses.at(static_cast<std::size_t>(status)); }
std::string_view verdict_name(Verdict verdict) { return kVerdicts.at(static_cast<std::size_t>(verdict)); }

Verdict KernelResult::verdict() const {
    const bool decided = status == KernelStatus::passed || status == KernelStatus::failed;
    if (!decided || reported == Truth::unknown)
        return Verdict::inconclusive;
    if (reported == Truth::yes)
        return status == KernelStatus::passed ? Verdict::honest : Verdict::overclaimed;
    return status == KernelStatus::passed ? Verdict::latent : Verdict::absent;
}

Truth KernelResult::reached(Rung asked) const {
    if (status == KernelStatus::skipped || asked > rung)
        return Truth::unknown;
    if (asked == rung && status == KernelStatus::failed)
        return Truth::no;
    return asked == rung && status == KernelStatus::inconclusive ? Truth::unknown : Truth::yes;
}

void KernelResult::fail(Rung at, std::string why) {
    status = KernelStatus::failed;
    rung = at;
    detail = std::move(why);
}

json::object to_json(const KernelResult& result) {
    json::object rungs;
    rungs["reported"] = truth_name(result.reported);
    for (const auto rung : {Rung::answers, Rung::compiles, Rung::runs, Rung::correct})
        rungs[rung_name(rung)] = truth_name(result.reached(rung));
    json::object out = {{"kernel", result.kernel},
                        {"variant", result.variant},
                        {"features", json::value_from(result.features)},
                        {"verdict", verdict_name(result.verdict())},
                        {"status", status_name(result.status)},
                        {"rung", rung_name(result.rung)},
                        {"detail", result.detail},
                        {"rungs", std::move(rungs)},
                        {"promise", result.promise},
                        {"seed", result.seed},
                        {"sizes", result.quick ? "quick" : "full"},
                        {"inputs", result.inputs},
                        {"worst_error_over_bound", ratio_or_null(result.worst)}};
    if (result.pays)
        out["pays"] = to_json(*result.pays);
    if (!result.pays_detail.empty())
        out["pays_detail"] = result.pays_detail;
    return out;
}

KernelResult kernel_result_from_json(const json::value& value, const std::string& pointer,
                                     Problems& problems) {
    ObjectReader reader(value, pointer, problems);
    KernelResult result;
    result.kernel = reader.string("kernel");
    result.variant = reader.string("variant");
    result.features = reader.strings("features");
    result.status = read_enum<KernelStatus>(reader, "status", kStatuses);
    result.rung = read_enum<Rung>(reader, "rung", kRungs);
    result.detail = reader.string("detail");
    result.promise = reader.string("promise");
    result.seed = reader.optional_uint("seed").value_or(0);
    result.quick = reader.one_of("sizes", {"quick", "full"}) == "quick";
    result.inputs = static_cast<std::size_t>(reader.optional_uint("inputs").value_or(0));
    result.worst = reader.optional_number("worst_error_over_bound");
    if (const auto* rungs = reader.require("rungs")) {
        ObjectReader states(*rungs, reader.pointer("rungs"), problems);
        constexpr std::array<std::string_view, 3> kTruths = {"no", "unknown", "yes"};
        result.reported = read_enum<Truth>(states, "reported", kTruths);
        states.accept_rest(); // they follow from status and rung
    }
    reader.find("verdict"); // follows as well
    if (const auto* pays = reader.find("pays"))
        result.pays = read_payoff(*pays, reader.pointer("pays"), problems);
    result.pays_detail = reader.optional_string("pays_detail").value_or("");
    return result;
}

json::object to_json(const KernelReport& report) {
    json::array results;
    for (const auto& result : report.results)
        results.push_back(to_json(result));
    return {{"schema", kKernelsSchema},
            {"tool", "assay " ASSAY_VERSION},
            {"backend", report.backend},
            {"device", report.device},
            {"os", {{"name", report.os.name}, {"version", report.os.version}}},
            {"results", std::move(results)}};
}

Result<KernelReport> kernel_report_from_json(const json::value& value, const std::string& name) {
    Problems problems(name);
    KernelReport report;
    {
        ObjectReader reader(value, "", problems);
        reader.schema(kKernelsSchema);
        reader.find("tool");
        report.backend = reader.one_of("backend", {"metal", "software"});
        report.device = reader.string("device");
        if (const auto* os = reader.require("os")) {
            ObjectReader system(*os, "/os", problems);
            report.os = {system.string("name"), system.string("version")};
        }
        std::size_t index = 0;
        for (const auto& result : reader.array("results"))
            report.results.push_back(
                kernel_result_from_json(result, "/results/" + std::to_string(index++), problems));
    }
    if (!problems.empty())
        return problems.error();
    return report;
}

} // namespace assay
