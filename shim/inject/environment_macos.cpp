// macOS half of environment.h.
#include "shim/inject/environment.h"

#include <cstdlib>
#include <unistd.h>

namespace assay::shim {

std::optional<std::string> variable(const char* name) {
    const char* value = ::issetugid() ? nullptr : std::getenv(name);
    if (!value || !*value)
        return {};
    return value;
}

} // namespace assay::shim
