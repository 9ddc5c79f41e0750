// A capability table for eyes.
#include "probe/render.h"
#include "base/text.h"
#include "base/text_table.h"
#include "probe/catalogue.h"
#include "probe/describe.h"

#include <algorithm>

namespace assay {

namespace {

/// The group of keys that no row of the catalogue knows: tables of other versions and other tools.
constexpr std::string_view kUnknownGroup = "not in this version's catalogue";

std::string spaced(std::initializer_list<std::string> words) {
    std::string out;
    for (const auto& word : words)
        if (!word.empty())
            out += (out.empty() ? "" : " ") + word;
    return out;
}

std::string in_parentheses(const std::string& text) { return text.empty() ? text : "(" + text + ")"; }

std::string origin_mark(const Answer& answer) {
    return answer.origin == AnswerOrigin::asked ? std::string{} : std::string(origin_name(answer.origin));
}

std::string shim_text(const ActiveShim& shim) {
    switch (shim.kind) {
    case ActiveShim::Kind::unrecorded:
        return {};
    case ActiveShim::Kind::none:
        return "none";
    case ActiveShim::Kind::ours:
        return "assay's own";
    case ActiveShim::Kind::other:
        break;
    }
    return shim.name + ": the answers are those of a changed process";
}

/// Families that answered no, without a name, say nothing: the sweep around the named ones is one line.
bool is_quiet(const std::string& key, const Answer& answer) {
    constexpr std::string_view kPrefix = "supportsFamily(";
    return key.size() > kPrefix.size() && key.compare(0, kPrefix.size(), kPrefix) == 0 &&
           key[kPrefix.size()] >= '0' && key[kPrefix.size()] <= '9' && answer.answered() &&
           answer.value == json::value(false);
}

std::string device_text(const Device& device) {
    const auto& catalogue = Catalogue::get();
    auto groups = catalogue.groups();
    groups.emplace_back(kUnknownGroup);
    std::string out;
    for (const auto& group : groups) {
        TextTable rows;
        std::size_t quiet = 0;
        for (const auto& [key, answer] : device.answers()) {
            const auto* query = catalogue.find(key);
            if ((query ? query->group : kUnknownGroup) != group)
                continue;
            if (is_quiet(key, answer)) {
                ++quiet;
                continue;
            }
            rows.add({key, describe(answer, query), origin_mark(answer),
                      answer.detail.size() > 60 ? answer.detail.substr(0, 57) + "..." : answer.detail});
        }
        if (quiet != 0)
            rows.add({"supportsFamily(unnamed)", "no, " + std::to_string(quiet) + " numbers"});
        if (!rows.empty())
            out += "\n" + group + "\n" + rows.text(2);
    }
    return out;
}

bool has_origin(const Table& table, AnswerOrigin origin) {
    for (const auto& device : table.devices)
        for (const auto& entry : device.answers())
            if (entry.answer.origin == origin)
                return true;
    return false;
}

} // namespace

std::vector<std::pair<std::string, std::string>> identity_facts(const Identity& identity) {
    std::string machine;
    if (identity.virtual_machine)
        machine =
            *identity.virtual_machine ? spaced({"yes", in_parentheses(identity.virtual_machine_kind)}) : "no";
    std::string memory;
    if (identity.memory_bytes) {
        const auto size = binary_size(*identity.memory_bytes);
        memory = size.empty() ? std::to_string(*identity.memory_bytes) + " bytes" : size;
    }
    const std::string rosetta = identity.translated.value_or(false) ? "under Rosetta" : "";
    const std::string sdk = identity.sdk.empty() ? "" : "linked against SDK " + identity.sdk;
    return {
        {"os", spaced({identity.os_name, identity.os_version, identity.os_rapid_response,
                       in_parentheses(identity.os_build)})},
        {"model", identity.model},
        {"chip", identity.chip},
        {"memory", memory},
        {"virtual machine", machine},
        {"process", spaced({identity.process_architecture, rosetta, sdk})},
        {"driver", spaced({identity.driver_bundle, identity.driver_version})},
        {"shim", shim_text(identity.shim)},
    };
}

std::string table_text(const Table& table) {
    std::string out;
    if (table.simulated())
        out += "simulated: the device is a stand-in, answers marked \"assumed\" are its own\n\n";
    else if (table.source != kProbeSource)
        out += "read from a " + table.source + " log\n";
    TextTable system;
    for (const auto& [label, text] : identity_facts(table.identity))
        if (!text.empty())
            system.add({label, text});
    out += system.text();
    if (table.devices.empty())
        out += "\nno Metal device\n";
    std::size_t index = 0;
    for (const auto& device : table.devices) {
        TextTable heading;
        heading.add(
            {"device " + std::to_string(index++), spaced({device.name, in_parentheses(device.class_name)})});
        out += "\n" + heading.text() + device_text(device);
    }
    if (has_origin(table, AnswerOrigin::logged) || has_origin(table, AnswerOrigin::implied))
        out += "\nlogged: a client's log states it. implied: that client's own rules imply it.\n";
    return out;
}

} // namespace assay
