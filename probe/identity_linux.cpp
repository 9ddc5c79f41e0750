// Linux half of probe/identity.h: there is no Metal here but a stand-in, so little of the system matters.
#include "base/file.h"
#include "base/text.h"
#include "probe/identity.h"

#include <sys/utsname.h>

namespace assay {

/// A value of /etc/os-release, unquoted.
static std::string os_release(std::string_view text, std::string_view key) {
    for (const auto line : split(text, '\n')) {
        if (line.substr(0, key.size()) != key || line.substr(key.size(), 1) != "=")
            continue;
        auto value = trim(line.substr(key.size() + 1));
        if (value.size() >= 2 && value.front() == '"' && value.back() == '"')
            value = value.substr(1, value.size() - 2);
        return std::string(value);
    }
    return {};
}

Identity system_identity(id) {
    Identity identity;
    utsname system{};
    if (::uname(&system) == 0)
        identity.process_architecture = system.machine;
    const auto release = read_file("/etc/os-release", 65536);
    if (release) {
        identity.os_name = os_release(*release, "NAME");
        identity.os_version = os_release(*release, "VERSION_ID");
    }
    return identity;
}

} // namespace assay
