// Starting a program with the injected library: the environment it needs.
#include "shim/launch.h"
#include "base/platform.h"

#include <cstdlib>
#include <filesystem>
#include <unistd.h>

namespace assay {

namespace {

#ifdef __APPLE__
constexpr const char* kInsertVariable = "DYLD_INSERT_LIBRARIES";
constexpr const char* kListSeparators = ":";
#else
constexpr const char* kInsertVariable = "LD_PRELOAD";
constexpr const char* kListSeparators = ": \t\n";
#endif

std::string absolute(const std::string& path) {
    std::error_code code;
    const auto out = std::filesystem::absolute(path, code);
    return code ? path : out.lexically_normal().string();
}

std::string prepended(const std::string& library) {
    const char* inserted = std::getenv(kInsertVariable);
    return inserted && *inserted ? library + ":" + inserted : library;
}

} // namespace

std::string shim_library_path() {
    if (const char* path = std::getenv("ASSAY_SHIM_LIBRARY"); path && *path)
        return absolute(path);
    const auto bin = std::filesystem::path(executable_path()).parent_path();
    return (bin.parent_path() / "lib" / library_file_name("assay_shim")).string();
}

Result<std::vector<std::pair<std::string, std::string>>> launch_environment(const LaunchOptions& options) {
    const auto library = shim_library_path();
    if (::access(library.c_str(), R_OK) != 0)
        return environment_error(library, "the library to inject is not there",
                                 "run assay from where it was built or installed, or set ASSAY_SHIM_LIBRARY");
    if (library.find_first_of(kListSeparators) != std::string::npos)
        return environment_error(library,
                                 std::string("the loader cannot take this path: ") + kInsertVariable +
                                     " is a list without quotes, and the path has a separator in it",
                                 "move metal-assay to a folder without such characters in its path");
    return std::vector<std::pair<std::string, std::string>>{
        {kInsertVariable, prepended(library)},
        {"ASSAY_PROFILE", absolute(options.profile)},
        {"ASSAY_STATUS", options.status_path.empty() ? "" : absolute(options.status_path)},
        {"ASSAY_REQUIRE", options.require ? "1" : ""},
        {"ASSAY_DRAFT", options.allow_draft ? "1" : ""},
        {"ASSAY_INSTALL_POINT", options.install_point},
    };
}

} // namespace assay
