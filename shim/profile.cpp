// A profile: reading and checking it.
#include "shim/profile.h"
#include "base/json_reader.h"
#include "base/platform.h"
#include "shim/trusted_file.h"

#include <algorithm>

namespace assay {

namespace {

constexpr std::string_view kDigestPrefix = "sha256:";
constexpr std::size_t kDigestDigits = 64;

bool is_digest(std::string_view text) {
    return text.size() == kDigestPrefix.size() + kDigestDigits &&
           text.substr(0, kDigestPrefix.size()) == kDigestPrefix &&
           text.find_first_not_of("0123456789abcdef", kDigestPrefix.size()) == text.npos;
}

/// A JSON value as an answer of this kind; false when it is none.
bool read_answer(const json::value& value, AnswerKind kind, ShimAnswer& out) {
    if (kind == AnswerKind::boolean) {
        if (value.is_bool())
            out = value.get_bool();
        return value.is_bool();
    }
    std::uint64_t number = 0;
    if (value.is_uint64())
        number = value.get_uint64();
    else if (value.is_int64() && value.get_int64() >= 0)
        number = static_cast<std::uint64_t>(value.get_int64());
    else
        return false;
    out = number;
    return kind == AnswerKind::integer || number <= UINT32_MAX;
}

const char* expected_answer(AnswerKind kind) {
    switch (kind) {
    case AnswerKind::boolean:
        return "expected true or false";
    case AnswerKind::integer:
        return "expected a whole number that is not negative";
    case AnswerKind::integer32:
        return "expected a whole number from 0 to 4294967295";
    }
    return "";
}

std::vector<KeyedAnswer> read_answers(ObjectReader& reader, std::string_view member) {
    std::vector<KeyedAnswer> out;
    std::vector<OverrideTarget> seen;
    const auto pointer = reader.pointer(member);
    for (const auto& entry : reader.object(member)) {
        const std::string_view key = entry.key();
        const auto place = pointer + "/" + pointer_escape(key);
        OverrideTarget target;
        std::string why;
        KeyedAnswer answer{std::string(key), false};
        if (!resolve_override(key, target, why))
            reader.problems().add(place, why);
        else if (std::find(seen.begin(), seen.end(), target) != seen.end())
            reader.problems().add(place, "names a query that another key names as well");
        else if (!read_answer(entry.value(), target.kind, answer.answer))
            reader.problems().add(place, expected_answer(target.kind));
        else {
            seen.push_back(target);
            out.push_back(std::move(answer));
        }
    }
    return out;
}

std::string text_or_empty(ObjectReader& reader, std::string_view key) {
    return reader.optional_string(key).value_or("");
}

HostPins read_host(const json::value& value, const std::string& pointer, Problems& problems) {
    ObjectReader reader(value, pointer, problems);
    HostPins host;
    host.chip = text_or_empty(reader, "chip");
    host.build = text_or_empty(reader, "build");
    host.preference = text_or_empty(reader, "preference");
    host.verified = reader.optional_bool("verified").value_or(false);
    return host;
}

Pins read_pins(const json::value& value, bool complete, Problems& problems) {
    ObjectReader reader(value, "/pins", problems);
    const auto pin = [&](std::string_view key) {
        auto text = text_or_empty(reader, key);
        if (complete && text.empty() && value.is_object())
            problems.add(reader.pointer(key), "a profile that is no draft must pin it");
        return text;
    };
    Pins pins;
    pins.device_class = pin("device_class");
    pins.device_name = pin("device_name");
    pins.os_build = pin("os_build");
    pins.chip = pin("chip");
    pins.metal_uuid = pin("metal_uuid");
    pins.driver_uuid = pin("driver_uuid");
    if (const auto* host = reader.find("host"))
        pins.host = read_host(*host, "/pins/host", problems);
    return pins;
}

Hazard read_hazard(const json::value& value, const std::string& pointer, Problems& problems) {
    ObjectReader reader(value, pointer, problems);
    Hazard hazard;
    hazard.overrides = reader.strings("override");
    hazard.feature = text_or_empty(reader, "feature");
    hazard.kernel = text_or_empty(reader, "kernel");
    hazard.variant = text_or_empty(reader, "variant");
    hazard.rung = text_or_empty(reader, "rung");
    hazard.clients = reader.strings("clients");
    hazard.gates = reader.strings("gates");
    hazard.detail = text_or_empty(reader, "detail");
    return hazard;
}

Evidence read_evidence(const json::value& value, Problems& problems) {
    ObjectReader reader(value, "/evidence", problems);
    Evidence evidence;
    evidence.run = text_or_empty(reader, "run");
    evidence.kernels = reader.strings("kernels");
    evidence.inputs = reader.optional_uint("inputs").value_or(0);
    evidence.repeats = reader.optional_uint("repeats").value_or(0);
    evidence.miss_rate = text_or_empty(reader, "miss_rate");
    evidence.date = text_or_empty(reader, "date");
    return evidence;
}

ProfileState read_state(ObjectReader& reader) {
    const auto name = reader.one_of("state", {"draft", "simulated", "validated"});
    return name == "validated"   ? ProfileState::validated
           : name == "simulated" ? ProfileState::simulated
                                 : ProfileState::draft;
}

void check_whole(const Profile& profile, Problems& problems) {
    if (profile.state == ProfileState::simulated && profile.backend != "software")
        problems.add("/state", "a simulated profile comes from the backend \"software\"");
    if (profile.state == ProfileState::validated && profile.backend != "metal")
        problems.add("/state", "only the backend \"metal\" makes a profile validated");
    if (!profile.digest.empty() && !is_digest(profile.digest))
        problems.add("/digest", "expected \"sha256:\" and 64 hexadecimal digits");
    if (profile.state == ProfileState::draft)
        return;
    if (profile.digest.empty())
        problems.add("", "missing key \"digest\": only a draft may lack it");
    for (const auto& [key, answer] : profile.overrides)
        if (std::none_of(profile.stock.begin(), profile.stock.end(),
                         [&name = key](const auto& stock) { return stock.key == name; }))
            problems.add("/stock", "lacks the stock answer of the override " + key);
}

Refusal refuse(const char* reason, const std::string& detail) { return {reason, detail}; }

} // namespace

std::string_view state_name(ProfileState state) {
    switch (state) {
    case ProfileState::draft:
        return "draft";
    case ProfileState::simulated:
        return "simulated";
    case ProfileState::validated:
        return "validated";
    }
    return "";
}

Result<Profile> parse_profile(std::string_view text, const std::string& file) {
    const auto document = parse_json(text, file);
    if (!document)
        return document.error();
    Problems problems(file);
    Profile profile;
    {
        ObjectReader reader(*document, "", problems);
        reader.schema("assay.profile/1");
        profile.name = reader.string("name");
        profile.state = read_state(reader);
        const bool complete = profile.state != ProfileState::draft;
        profile.backend = reader.one_of("backend", {"software", "metal"});
        profile.goal = reader.strings("goal");
        if (const auto* pins = complete ? reader.require("pins") : reader.find("pins"))
            profile.pins = read_pins(*pins, complete, problems);
        if (!reader.find("overrides"))
            reader.require("overrides");
        profile.overrides = read_answers(reader, "overrides");
        profile.stock = read_answers(reader, "stock");
        std::size_t index = 0;
        for (const auto& hazard : reader.array("hazards"))
            profile.hazards.push_back(read_hazard(hazard, "/hazards/" + std::to_string(index++), problems));
        if (!reader.array("callers").empty())
            problems.add("/callers", "limiting changed answers to some images is not possible yet");
        if (const auto* evidence = reader.find("evidence"))
            profile.evidence = read_evidence(*evidence, problems);
        profile.digest = text_or_empty(reader, "digest");
    }
    check_whole(profile, problems);
    if (!problems.empty())
        return problems.error();
    return profile;
}

bool digest_holds(std::string_view text, const Profile& profile) {
    if (profile.digest.empty())
        return profile.state == ProfileState::draft;
    const auto digits = std::string_view(profile.digest).substr(kDigestPrefix.size());
    const auto place = text.rfind(digits);
    // A digest spelled with escapes is none that this program wrote.
    if (place == text.npos)
        return false;
    std::string rest(text.substr(0, place));
    rest += text.substr(place + kDigestDigits);
    return sha256_hex(rest) == digits;
}

Accepted<Profile> load_profile(const std::string& path, bool allow_draft) {
    if (path.empty())
        return refuse(refusal::kNoProfile, "ASSAY_PROFILE names no profile");
    const auto text = read_trusted_file(path, kMaxProfileBytes);
    if (!text)
        return text.error();
    auto profile = parse_profile(*text, path);
    if (!profile)
        return refuse(refusal::kMalformed, profile.error().text());
    if (!digest_holds(*text, *profile))
        return refuse(refusal::kWrongDigest, path + ": the file is not what was written: its digest differs");
    if (profile->state == ProfileState::draft && !allow_draft)
        return refuse(refusal::kDraft,
                      path + ": is a draft, which runs only when drafts are allowed (--draft)");
    return std::move(*profile);
}

} // namespace assay
