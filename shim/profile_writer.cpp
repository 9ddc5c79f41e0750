// A profile: writing it.
#include "base/file.h"
#include "base/json.h"
#include "base/platform.h"
#include "shim/profile.h"

#include <sys/stat.h>

namespace assay {

namespace {

json::array to_json(const std::vector<std::string>& texts) {
    json::array out;
    for (const auto& text : texts)
        out.emplace_back(text);
    return out;
}

json::object to_json(const std::vector<KeyedAnswer>& answers) {
    json::object out;
    for (const auto& [key, answer] : answers) {
        if (const auto* flag = std::get_if<bool>(&answer))
            out[key] = *flag;
        else
            out[key] = std::get<std::uint64_t>(answer);
    }
    return out;
}

/// Adds a text member unless it is empty.
void add(json::object& out, const char* key, const std::string& text) {
    if (!text.empty())
        out[key] = text;
}

json::object to_json(const Pins& pins) {
    json::object out;
    add(out, "device_class", pins.device_class);
    add(out, "device_name", pins.device_name);
    add(out, "os_build", pins.os_build);
    add(out, "chip", pins.chip);
    add(out, "metal_uuid", pins.metal_uuid);
    add(out, "driver_uuid", pins.driver_uuid);
    if (pins.host) {
        json::object host;
        add(host, "chip", pins.host->chip);
        add(host, "build", pins.host->build);
        add(host, "preference", pins.host->preference);
        host["verified"] = pins.host->verified;
        out["host"] = std::move(host);
    }
    return out;
}

json::object to_json(const Hazard& hazard) {
    json::object out;
    out["override"] = to_json(hazard.overrides);
    add(out, "feature", hazard.feature);
    add(out, "kernel", hazard.kernel);
    add(out, "variant", hazard.variant);
    add(out, "rung", hazard.rung);
    out["clients"] = to_json(hazard.clients);
    out["gates"] = to_json(hazard.gates);
    add(out, "detail", hazard.detail);
    return out;
}

json::object to_json(const Evidence& evidence) {
    json::object out;
    add(out, "run", evidence.run);
    out["kernels"] = to_json(evidence.kernels);
    out["inputs"] = evidence.inputs;
    out["repeats"] = evidence.repeats;
    add(out, "miss_rate", evidence.miss_rate);
    add(out, "date", evidence.date);
    return out;
}

} // namespace

std::string profile_text(const Profile& profile) {
    json::object out;
    out["schema"] = "assay.profile/1";
    out["name"] = profile.name;
    out["state"] = state_name(profile.state);
    out["backend"] = profile.backend;
    out["goal"] = to_json(profile.goal);
    out["pins"] = to_json(profile.pins);
    out["overrides"] = to_json(profile.overrides);
    out["stock"] = to_json(profile.stock);
    json::array hazards;
    for (const auto& hazard : profile.hazards)
        hazards.push_back(to_json(hazard));
    out["hazards"] = std::move(hazards);
    if (profile.evidence)
        out["evidence"] = to_json(*profile.evidence);
    out["digest"] = "sha256:";
    auto text = write_json(out);
    const auto digest = sha256_hex(text);
    // The member is the last one, so its empty digest is the last occurrence.
    text.insert(text.rfind("sha256:") + std::string_view("sha256:").size(), digest);
    return text;
}

Result<void> write_profile(const Profile& profile, const std::string& path) {
    if (const auto written = write_file(path, profile_text(profile)); !written)
        return written.error();
    if (path != "-" && ::chmod(path.c_str(), 0644) != 0)
        return environment_error(path, "cannot take away other users' right to write it");
    return {};
}

} // namespace assay
