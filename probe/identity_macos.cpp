// macOS half of probe/identity.h.
#include "base/file.h"
#include "metal/foundation.h"
#include "probe/identity.h"

#include <cstring>
#include <dlfcn.h>
#include <fmt/format.h>
#include <mach-o/dyld.h>
#include <mach-o/loader.h>
#include <sys/sysctl.h>

namespace assay {

namespace {

std::string sysctl_text(const char* name) {
    std::size_t size = 0;
    if (::sysctlbyname(name, nullptr, &size, nullptr, 0) != 0 || size == 0)
        return {};
    std::string text(size, '\0');
    if (::sysctlbyname(name, text.data(), &size, nullptr, 0) != 0)
        return {};
    text.resize(std::strlen(text.c_str()));
    return text;
}

/// Integers of 4 or 8 bytes.
std::optional<std::uint64_t> sysctl_number(const char* name) {
    std::uint64_t value = 0;
    std::size_t size = sizeof value;
    if (::sysctlbyname(name, &value, &size, nullptr, 0) != 0)
        return {};
    return size == 4 ? value & 0xFFFFFFFFu : value;
}

/// Calls `use` with every load command of an image.
template <class F>
void for_each_command(const mach_header* header, F use) {
    const auto* wide = reinterpret_cast<const mach_header_64*>(header);
    if (!wide || wide->magic != MH_MAGIC_64)
        return;
    const auto* command = reinterpret_cast<const load_command*>(wide + 1);
    for (std::uint32_t i = 0; i < wide->ncmds; ++i) {
        use(*command);
        command =
            reinterpret_cast<const load_command*>(reinterpret_cast<const char*>(command) + command->cmdsize);
    }
}

std::string uuid_of(const mach_header* header) {
    std::string out;
    for_each_command(header, [&](const load_command& command) {
        if (command.cmd != LC_UUID)
            return;
        const auto& bytes = reinterpret_cast<const uuid_command&>(command).uuid;
        out.clear();
        for (int i = 0; i < 16; ++i)
            out += fmt::format("{}{:02x}", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", bytes[i]);
    });
    return out;
}

std::string architecture(const mach_header* header) {
    const auto type = header ? header->cputype : 0;
    return type == CPU_TYPE_ARM64 ? "arm64" : type == CPU_TYPE_X86_64 ? "x86_64" : "";
}

/// The image that holds an address.
std::string uuid_of_image_with(const void* address) {
    Dl_info info{};
    if (!address || ::dladdr(address, &info) == 0)
        return {};
    return uuid_of(static_cast<const mach_header*>(info.dli_fbase));
}

/// "14.4" from the main executable's LC_BUILD_VERSION.
std::string linked_sdk() {
    std::string out;
    for_each_command(::_dyld_get_image_header(0), [&](const load_command& command) {
        if (command.cmd != LC_BUILD_VERSION)
            return;
        const auto sdk = reinterpret_cast<const build_version_command&>(command).sdk;
        out = fmt::format("{}.{}", sdk >> 16, (sdk >> 8) & 0xFF);
        if ((sdk & 0xFF) != 0)
            out += fmt::format(".{}", sdk & 0xFF);
    });
    return out;
}

/// The rapid security response suffix, "(a)", from the property list that sw_vers reads.
std::string rapid_response() {
    const auto text =
        read_file("/System/Cryptexes/OS/System/Library/CoreServices/SystemVersion.plist", 65536);
    if (!text)
        return {};
    const auto key = text->find("<key>ProductVersionExtra</key>");
    const auto begin = key == std::string::npos ? key : text->find("<string>", key);
    const auto end = begin == std::string::npos ? begin : text->find("</string>", begin);
    return end == std::string::npos ? std::string{} : text->substr(begin + 8, end - begin - 8);
}

std::string info_value(id bundle, const char* key) {
    const auto value = metal::try_send<id>(bundle, "objectForInfoDictionaryKey:", metal::ns_string(key));
    return value && *value ? metal::to_string(*value) : std::string{};
}

void read_driver(Identity& identity, id device) {
    const metal::Pool pool;
    const Class device_class = object_getClass(device);
    const auto bundle = metal::try_send<id>(metal::class_named("NSBundle"), "bundleForClass:", device_class);
    if (bundle && *bundle) {
        if (const auto identifier = metal::try_send<id>(*bundle, "bundleIdentifier"))
            identity.driver_bundle = metal::to_string(*identifier);
        identity.driver_version = info_value(*bundle, "CFBundleVersion");
    }
    // The class object lies in the data segment of the image that defines it.
    identity.driver_uuid = uuid_of_image_with(reinterpret_cast<const void*>(device_class));
}

} // namespace

Identity system_identity(id device) {
    Identity identity;
    identity.os_name = "macOS";
    identity.os_version = sysctl_text("kern.osproductversion");
    identity.os_build = sysctl_text("kern.osversion");
    identity.os_rapid_response = rapid_response();
    identity.model = sysctl_text("hw.model");
    identity.chip = sysctl_text("machdep.cpu.brand_string");
    identity.memory_bytes = sysctl_number("hw.memsize");
    if (const auto guest = sysctl_number("kern.hv_vmm_present")) {
        identity.virtual_machine = *guest != 0;
        // Apple's Virtualization framework names its guests; other hypervisors imitate a Mac's model.
        if (*guest != 0 && identity.model.rfind("VirtualMac", 0) == 0)
            identity.virtual_machine_kind = "Apple Virtualization";
    }
    // On Apple silicon only; the name is unknown elsewhere, and what runs there is not translated.
    const auto translated = sysctl_number("sysctl.proc_translated");
    identity.translated = translated.value_or(0) != 0;
    identity.process_architecture = architecture(::_dyld_get_image_header(0));
    identity.sdk = linked_sdk();
    identity.metal_uuid = uuid_of_image_with(::dlsym(RTLD_DEFAULT, "MTLCreateSystemDefaultDevice"));
    if (device)
        read_driver(identity, device);
    return identity;
}

} // namespace assay
