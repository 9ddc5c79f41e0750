// Starting a program with the injected library: the environment it needs, and what stands in the way.
#pragma once
#include "base/error.h"
#include <string>
#include <utility>
#include <vector>

namespace assay {

/// How the injected library is told what to do.
struct LaunchOptions {
    std::string profile;       ///< path of the profile
    std::string status_path;   ///< file for the status (shim/status.h); empty: none is written
    bool require = false;      ///< a program whose answers stay stock ends with exit 3
    bool allow_draft = false;  ///< drafts may run
    std::string install_point; ///< "init", "creation", or empty for the library's own choice
};

/// The variables that inject the library into a program, to be set on top of this process's own
/// (base/process.h: an empty value unsets). Paths are made absolute; libraries that are already inserted
/// stay. The library is ASSAY_SHIM_LIBRARY if set, else ../lib beside the executable. An error when it is
/// missing or when its path cannot be written into the loader's list.
Result<std::vector<std::pair<std::string, std::string>>> launch_environment(const LaunchOptions& options);

/// Looks before the leap: which file will run when `program` is started (searched in PATH; a script runs its
/// interpreter), and whether the loader will put the library into it. The value is the path of that file. An
/// error says why the library would not load. Implemented once per system: precheck_linux.cpp,
/// precheck_macos.cpp.
Result<std::string> precheck(const std::string& program);

/// Path of the library that is injected, whether or not it exists.
std::string shim_library_path();

} // namespace assay
