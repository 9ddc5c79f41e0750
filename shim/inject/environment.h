// The variables that tell the library what to do. Implemented once per system: environment_linux.cpp,
// environment_macos.cpp.
#pragma once
#include <optional>
#include <string>

namespace assay::shim {

/// A variable of this process; nothing when it is unset or empty, or when the process has another user's
/// rights (set-user-id): that user did not set it.
std::optional<std::string> variable(const char* name);

} // namespace assay::shim
