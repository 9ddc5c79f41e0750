// Linux half of environment.h.
#include "shim/inject/environment.h"

#include <cstdlib>

namespace assay::shim {

std::optional<std::string> variable(const char* name) {
    const char* value = ::secure_getenv(name);
    if (!value || !*value)
        return {};
    return value;
}

} // namespace assay::shim
