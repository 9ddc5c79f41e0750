// What a profile's pins are compared with: the software device states the system it stands for.
#include "shim/inject/system_facts.h"
#include "base/json_reader.h"
#include "base/platform.h"
#include "shim/inject/symbols.h"

namespace assay::shim {

namespace {

/// 8-4-4-4-12 from the first 32 digits of the SHA-256.
std::string uuid_of(std::string_view bytes) {
    const auto hex = sha256_hex(bytes);
    return hex.substr(0, 8) + '-' + hex.substr(8, 4) + '-' + hex.substr(12, 4) + '-' + hex.substr(16, 4) +
           '-' + hex.substr(20, 12);
}

std::string member_text(const json::value* value, std::string_view key) {
    const auto* object = value ? value->if_object() : nullptr;
    const auto* member = object ? object->if_contains(key) : nullptr;
    const auto* text = member ? member->if_string() : nullptr;
    return text ? std::string(*text) : std::string{};
}

SystemFacts software_facts(const char* text) {
    SystemFacts facts;
    facts.backend = "software";
    if (!text)
        return facts;
    if (const auto document = parse_json(text, "device file")) {
        const auto* file = document->if_object();
        const auto* identity = file ? file->if_contains("identity") : nullptr;
        const auto* stated = identity ? identity->if_object() : nullptr;
        facts.chip = member_text(identity, "chip");
        facts.os_build = member_text(stated ? stated->if_contains("os") : nullptr, "build");
    }
    facts.driver_uuid = uuid_of(text);
    facts.metal_uuid = uuid_of("metal-assay libMetal " ASSAY_VERSION);
    return facts;
}

} // namespace

SystemFacts read_system_facts(const void* metal_function, Class device_class) {
    const auto software_device =
        reinterpret_cast<const char* (*)()>(symbol_beside(metal_function, "assay_software_device"));
    return software_device ? software_facts(software_device()) : native_facts(metal_function, device_class);
}

} // namespace assay::shim
