// A profile: a set of overrides, pinned to where it was validated (schema assay.profile/1).
#pragma once
#include "base/error.h"
#include "shim/overridable.h"
#include "shim/refusal.h"
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// A query key and an answer: an override, or the answer that was seen at stock.
struct KeyedAnswer {
    std::string key;
    ShimAnswer answer;
};

/// What the user stated about the host of a virtual machine; nothing in the guest can check it.
struct HostPins {
    std::string chip;
    std::string build;
    std::string preference;
    bool verified = false;
};

/// Where a profile is valid. An empty member pins nothing (drafts only).
struct Pins {
    std::string device_class;
    std::string device_name;
    std::string os_build;
    std::string chip;
    std::string metal_uuid;
    std::string driver_uuid;
    std::optional<HostPins> host;
};

/// What overrides of the profile promise to clients other than the goal's, and did not keep.
struct Hazard {
    std::vector<std::string> overrides;
    std::string feature;
    std::string kernel;
    std::string variant;
    std::string rung;
    std::vector<std::string> clients;
    std::vector<std::string> gates;
    std::string detail;
};

/// The run that a profile came out of.
struct Evidence {
    std::string run; ///< digest of the run record, "sha256:…"
    std::vector<std::string> kernels;
    std::uint64_t inputs = 0;
    std::uint64_t repeats = 0;
    std::string miss_rate; ///< the failure rate that the repeats could have missed
    std::string date;
};

enum class ProfileState { draft, simulated, validated };
std::string_view state_name(ProfileState state);

struct Profile {
    std::string name;
    ProfileState state = ProfileState::draft;
    std::string backend = "software"; ///< "software" or "metal"
    std::vector<std::string> goal;
    Pins pins;
    std::vector<KeyedAnswer> overrides;
    std::vector<KeyedAnswer> stock; ///< has every key of `overrides`, except in a draft
    std::vector<Hazard> hazards;
    std::optional<Evidence> evidence;
    std::string digest; ///< "sha256:…"; empty only in a draft
};

/// Reads the text of a profile and reports all its problems together: unknown and duplicate keys, what cannot
/// be overridden, what a profile that is no draft lacks. `file` names it in messages. Does not look at the
/// digest.
Result<Profile> parse_profile(std::string_view text, const std::string& file);

/// Whether the digest that the text states is the digest of the text: SHA-256 over all its bytes except the
/// 64 digits themselves. A draft without one passes. It detects damage and hand edits; it does not
/// authenticate.
bool digest_holds(std::string_view text, const Profile& profile);

/// The profile as a file's text, with its digest (drafts too). Whatever `profile.digest` holds is ignored.
std::string profile_text(const Profile& profile);

/// Writes profile_text() so that others cannot write it: the shim refuses a profile that they can.
Result<void> write_profile(const Profile& profile, const std::string& path);

/// Profiles are short; a longer file is refused before it is read.
inline constexpr std::size_t kMaxProfileBytes = 1u << 20;

/// All that can be decided about a profile without a device, as the injected library decides it: the file is
/// there, only we or root can write it, it parses, its digest holds, and a draft is allowed.
Accepted<Profile> load_profile(const std::string& path, bool allow_draft);

} // namespace assay
