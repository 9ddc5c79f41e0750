// macOS half of system_facts.h.
#include "shim/inject/system_facts.h"

#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <mach-o/loader.h>
#include <sys/sysctl.h>

namespace assay::shim {

namespace {

std::string sysctl_text(const char* name) {
    char text[256];
    std::size_t size = sizeof text;
    if (::sysctlbyname(name, text, &size, nullptr, 0) != 0)
        return {};
    return std::string(text, ::strnlen(text, size));
}

/// The Mach-O UUID of the image that holds an address, in lower case; empty when it has none.
std::string image_uuid(const void* address) {
    Dl_info info{};
    if (!address || ::dladdr(address, &info) == 0)
        return {};
    const auto* header = static_cast<const mach_header_64*>(info.dli_fbase);
    if (!header || header->magic != MH_MAGIC_64)
        return {};
    const auto* bytes = reinterpret_cast<const char*>(header + 1);
    for (std::uint32_t i = 0; i < header->ncmds; ++i) {
        const auto* command = reinterpret_cast<const load_command*>(bytes);
        if (command->cmd == LC_UUID) {
            const auto& uuid = reinterpret_cast<const uuid_command*>(command)->uuid;
            std::string out;
            for (int n = 0; n < 16; ++n) {
                char digits[4];
                std::snprintf(digits, sizeof digits, "%s%02x",
                              n == 4 || n == 6 || n == 8 || n == 10 ? "-" : "", uuid[n]);
                out += digits;
            }
            return out;
        }
        bytes += command->cmdsize;
    }
    return {};
}

} // namespace

SystemFacts native_facts(const void* metal_function, Class device_class) {
    SystemFacts facts;
    facts.backend = "metal";
    facts.os_build = sysctl_text("kern.osversion");
    facts.chip = sysctl_text("machdep.cpu.brand_string");
    facts.metal_uuid = image_uuid(metal_function);
    // The class object lies in the data segment of the image that defines it.
    facts.driver_uuid = image_uuid(reinterpret_cast<const void*>(device_class));
    return facts;
}

} // namespace assay::shim
