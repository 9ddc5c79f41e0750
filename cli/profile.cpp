// assay profile: what a profile says, and whether the shim would take it.
#include "shim/profile.h"
#include "base/file.h"
#include "base/text.h"
#include "base/text_table.h"
#include "cli/commands.h"

#include <fmt/format.h>

namespace assay::cli {

namespace {

std::string answer_at_stock(const Profile& profile, const std::string& key) {
    for (const auto& stock : profile.stock)
        if (stock.key == key)
            return to_text(stock.answer);
    return "not recorded";
}

std::string overrides_text(const Profile& profile) {
    TextTable table;
    for (const auto& [key, answer] : profile.overrides)
        table.add({key, to_text(answer), "instead of " + answer_at_stock(profile, key)});
    return profile.overrides.empty() ? "  none\n" : table.text(2);
}

std::string pins_text(const Pins& pins) {
    TextTable table;
    const auto add = [&table](const char* what, const std::string& value) {
        if (!value.empty())
            table.add({what, value});
    };
    add("device", pins.device_name);
    add("device class", pins.device_class);
    add("system build", pins.os_build);
    add("chip", pins.chip);
    add("Metal UUID", pins.metal_uuid);
    add("driver UUID", pins.driver_uuid);
    if (pins.host) {
        const std::string note = pins.host->verified ? "" : "  (stated by the user, not verified)";
        add("host chip", pins.host->chip + (pins.host->chip.empty() ? "" : note));
        add("host build", pins.host->build + (pins.host->build.empty() ? "" : note));
        add("host preference", pins.host->preference + (pins.host->preference.empty() ? "" : note));
    }
    const auto text = table.text(2);
    return text.empty() ? "  nowhere in particular: nothing is checked\n" : text;
}

std::string hazards_text(const std::vector<Hazard>& hazards) {
    TextTable table;
    for (const auto& hazard : hazards)
        table.add({join(hazard.overrides, ", "), hazard.feature,
                   hazard.kernel + (hazard.rung.empty() ? "" : " fails at " + hazard.rung),
                   join(hazard.clients, ", ")});
    return hazards.empty() ? "  none known\n" : table.text(2);
}

std::string evidence_text(const Evidence& evidence) {
    TextTable table;
    table.add({"run", evidence.run});
    table.add({"kernels", join(evidence.kernels, ", ")});
    table.add({"inputs", std::to_string(evidence.inputs)});
    table.add(
        {"repeats", std::to_string(evidence.repeats) +
                        (evidence.miss_rate.empty() ? "" : ", could have missed " + evidence.miss_rate)});
    table.add({"date", evidence.date});
    return table.text(2);
}

std::string_view state_meaning(ProfileState state) {
    switch (state) {
    case ProfileState::draft:
        return "nobody has validated it; it runs only with --draft";
    case ProfileState::simulated:
        return "concluded on the software device, whose abilities are assumed; real Metal refuses it";
    case ProfileState::validated:
        return "validated on the pinned device";
    }
    return "";
}

std::string explanation(const Profile& profile) {
    auto out =
        fmt::format("{}: {} ({})\n", profile.name, state_name(profile.state), state_meaning(profile.state));
    if (!profile.goal.empty())
        out += "for " + join(profile.goal, ", ") + "\n";
    out += "\nAnswers it changes\n" + overrides_text(profile);
    out += "\nWhere it is valid\n" + pins_text(profile.pins);
    out += "\nHazards: what it promises to other clients and does not keep\n" + hazards_text(profile.hazards);
    if (profile.evidence)
        out += "\nEvidence\n" + evidence_text(*profile.evidence);
    return out;
}

Result<int> show(const std::string& path) {
    const auto text = read_file(path, kMaxProfileBytes);
    if (!text)
        return text.error();
    const auto profile = parse_profile(*text, path);
    if (!profile)
        return profile.error();
    print(explanation(*profile));
    if (!digest_holds(*text, *profile))
        print("\nThe digest does not match: the file was changed after it was written, and the shim refuses "
              "it.\n");
    return kDone;
}

Result<int> check(const std::string& path) {
    const auto profile = load_profile(path, true);
    if (!profile)
        return bad_input("", profile.error().detail, "the shim would refuse it: " + profile.error().reason);
    print(fmt::format("{}: {} override{}, state {}: digest, permissions and keys are in order.\n", path,
                      profile->overrides.size(), profile->overrides.size() == 1 ? "" : "s",
                      state_name(profile->state)));
    print("Whether it fits this system is decided when a program creates a device.\n");
    return kDone;
}

Result<int> run_profile(const Invocation& invocation) {
    const auto& words = invocation.positional;
    if (words.size() != 2)
        return bad_input("assay profile", "expected \"show FILE\" or \"check FILE\"",
                         "assay profile --help has examples");
    if (words[0] == "show")
        return show(words[1]);
    if (words[0] == "check")
        return check(words[1]);
    return bad_input("assay profile " + words[0],
                     "there is no such action" + did_you_mean(words[0], {"show", "check"}),
                     "assay profile --help has examples");
}

} // namespace

const Command profile_command{"profile",
                              "show|check FILE",
                              "explains or checks a profile",
                              "show explains what a profile changes, where it is valid and whom it "
                              "endangers. check decides what can be\n"
                              "decided without a device, as the injected library does: the digest, who can "
                              "write the file, and whether\n"
                              "every answer in it can be changed.\n\n"
                              "  assay profile show study/profile.json\n"
                              "  assay profile check study/profile.json\n",
                              [](po::options_description&) {},
                              run_profile};

} // namespace assay::cli
