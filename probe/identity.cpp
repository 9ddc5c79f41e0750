// The identity of the system that is being probed.
#include "probe/identity.h"
#include "base/file.h"
#include "base/json_reader.h"
#include "base/platform.h"
#include "base/process.h"
#include "base/text.h"

#include <cstdlib>
#include <unistd.h>

namespace assay {

namespace {

constexpr std::string_view kForeignPrefixes[] = {"LUME_METAL_", "TART_METAL_", "VEERTU_ANKA_GPU_"};

bool starts_with(std::string_view text, std::string_view prefix) {
    return text.substr(0, prefix.size()) == prefix;
}

/// File names of the libraries that the loader was told to insert.
std::vector<std::string> inserted_libraries(const std::vector<std::string>& environment) {
    std::vector<std::string> out;
    for (const std::string_view entry : environment) {
        std::string_view list;
        for (const std::string_view variable : {"LD_PRELOAD=", "DYLD_INSERT_LIBRARIES="})
            if (starts_with(entry, variable))
                list = entry.substr(variable.size());
        while (!list.empty()) {
            const auto end = std::min(list.find_first_of(": "), list.size());
            const auto path = list.substr(0, end);
            if (!path.empty())
                out.emplace_back(path.substr(path.rfind('/') + 1));
            list.remove_prefix(std::min(end + 1, list.size()));
        }
    }
    return out;
}

/// Our shim writes what it did to ASSAY_STATUS: inserted, but stock, changes nothing.
bool shim_stayed_stock() {
    const char* path = std::getenv("ASSAY_STATUS");
    const auto status = path ? read_json(path) : Result<json::value>(json::value());
    const auto* object = status ? status->if_object() : nullptr;
    const auto* state = object ? object->if_contains("state") : nullptr;
    const auto* pid = object ? object->if_contains("pid") : nullptr;
    return state && *state == "stock" && pid && *pid == static_cast<std::int64_t>(::getpid());
}

/// 8-4-4-4-12 from the first 32 digits.
std::string uuid_from(const std::string& hex) {
    return hex.substr(0, 8) + '-' + hex.substr(8, 4) + '-' + hex.substr(12, 4) + '-' + hex.substr(16, 4) +
           '-' + hex.substr(20, 12);
}

/// The stand-in has no bundle and no Mach-O UUID: the device file and our version take their places.
void apply_software_device(Identity& identity, const std::string& device_file) {
    const auto document = parse_json(device_file, "device file");
    const auto* object = document ? document->if_object() : nullptr;
    const auto* stated = object ? object->if_contains("identity") : nullptr;
    Problems ignored("device file"); // libMetal.so has read the file already
    const auto device = stated ? identity_from_json(*stated, "/identity", ignored) : Identity{};
    identity.os_name = device.os_name;
    identity.os_version = device.os_version;
    identity.os_build = device.os_build;
    identity.os_rapid_response = device.os_rapid_response;
    identity.model = device.model;
    identity.chip = device.chip;
    identity.memory_bytes = device.memory_bytes;
    identity.virtual_machine = device.virtual_machine;
    identity.virtual_machine_kind = device.virtual_machine_kind;
    identity.driver_bundle = device.driver_bundle;
    identity.driver_version = device.driver_version;
    identity.driver_uuid = uuid_from(sha256_hex(device_file));
    identity.metal_uuid = uuid_from(sha256_hex("metal-assay libMetal " ASSAY_VERSION));
}

} // namespace

ActiveShim shim_in(const std::vector<std::string>& environment) {
    const auto libraries = inserted_libraries(environment);
    bool profile = false;
    std::string variable;
    for (const std::string_view entry : environment) {
        const auto name = entry.substr(0, entry.find('='));
        profile = profile || (name == "ASSAY_PROFILE" && entry.size() > name.size() + 1);
        for (const auto prefix : kForeignPrefixes)
            if (starts_with(name, prefix) && variable.empty())
                variable = name;
    }
    bool ours = false;
    std::string unknown;
    for (const auto& library : libraries) {
        if (library.find("assay_shim") != std::string::npos)
            ours = true;
        else if (unknown.empty())
            unknown = library;
    }
    // Another library beside ours is the one to know about: its answers are nobody's here.
    if (!variable.empty())
        return {ActiveShim::Kind::other, unknown.empty() ? variable : variable + ", " + unknown};
    if (!unknown.empty())
        return {ActiveShim::Kind::other, unknown};
    if (ours && profile)
        return {ActiveShim::Kind::ours, {}};
    return {ActiveShim::Kind::none, {}};
}

Identity read_identity(const metal::Framework& framework, id device) {
    Identity identity = system_identity(device);
    identity.tool = ASSAY_VERSION;
    identity.shim = shim_in(environment_with({}));
    if (identity.shim.kind == ActiveShim::Kind::ours && shim_stayed_stock())
        identity.shim = {ActiveShim::Kind::none, {}};
    if (framework.backend() == metal::Backend::software)
        apply_software_device(identity, framework.software_device());
    return identity;
}

} // namespace assay
