// From a confirmed set of overrides to the profile.
#include "ablate/profile_maker.h"
#include "base/text.h"

namespace assay::ablate {

namespace {

/// A boolean or whole-number answer as the shim gives it; false for anything else, which candidates exclude.
ShimAnswer shim_answer(const json::value& value) {
    if (value.is_bool())
        return value.get_bool();
    if (value.is_uint64())
        return value.get_uint64();
    return value.is_int64() ? ShimAnswer{static_cast<std::uint64_t>(value.get_int64())} : ShimAnswer{false};
}

std::vector<KeyedAnswer> keyed(const OverrideSet& overrides) {
    std::vector<KeyedAnswer> out;
    for (const auto& [key, value] : overrides)
        out.push_back({key, shim_answer(value)});
    return out;
}

} // namespace

Profile draft_profile(const OverrideSet& overrides, const std::string& backend) {
    Profile out;
    out.name = "trial";
    out.state = ProfileState::draft;
    out.backend = backend;
    out.overrides = keyed(overrides);
    return out;
}

std::vector<std::string> unpinned(const Table& stock) {
    const Device& device = stock.devices.front();
    const std::pair<const char*, const std::string&> pins[] = {
        {"device_class", device.class_name},       {"device_name", device.name},
        {"os_build", stock.identity.os_build},     {"chip", stock.identity.chip},
        {"metal_uuid", stock.identity.metal_uuid}, {"driver_uuid", stock.identity.driver_uuid},
    };
    std::vector<std::string> out;
    for (const auto& [name, text] : pins)
        if (text.empty())
            out.emplace_back(name);
    return out;
}

Profile made_profile(const Ablation& ablation, const Table& stock, const std::string& run_digest,
                     const std::string& date) {
    const SearchResult& result = ablation.result;
    const Device& device = stock.devices.front();
    Profile out;
    out.name = join(ablation.goals, "+");
    out.state = stock.simulated() ? ProfileState::simulated : ProfileState::validated;
    if (!unpinned(stock).empty())
        out.state = ProfileState::draft;
    out.backend = stock.backend;
    out.goal = ablation.goals;
    out.pins.device_class = device.class_name;
    out.pins.device_name = device.name;
    out.pins.os_build = stock.identity.os_build;
    out.pins.chip = stock.identity.chip;
    out.pins.metal_uuid = stock.identity.metal_uuid;
    out.pins.driver_uuid = stock.identity.driver_uuid;
    out.overrides = keyed(result.chosen);
    for (const auto& [key, value] : result.chosen)
        if (const auto seen = result.stock.answers.find(key); seen != result.stock.answers.end())
            out.stock.push_back({key, shim_answer(seen->second)});
    for (const auto& hazard : result.hazards)
        out.hazards.push_back({hazard.overrides, hazard.feature, hazard.kernel, hazard.variant, hazard.rung,
                               hazard.clients, hazard.gates, hazard.detail});
    Evidence evidence;
    evidence.run = run_digest;
    for (const auto& [id, outcome] : result.best.outcomes) {
        if (outcome.status != Outcome::Status::passed)
            continue;
        evidence.kernels.push_back(id);
        evidence.inputs += outcome.inputs;
    }
    evidence.repeats = result.confirmations;
    evidence.miss_rate = missed_rate_text(ablation.repeats);
    evidence.date = date;
    out.evidence = std::move(evidence);
    return out;
}

} // namespace assay::ablate
