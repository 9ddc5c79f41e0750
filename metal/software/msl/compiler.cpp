// The C++ compiler as a child process with bounded time, memory and output.
#include "metal/software/msl/compiler.h"

#include "base/process.h"
#include "base/text.h"
#include <cstdlib>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace assay::msl {

namespace {

/// Memory in KiB, processor time in seconds, file size in blocks of 512 bytes; no core files.
constexpr const char* kLimits =
    "ulimit -v 6291456; ulimit -t 30; ulimit -f 1048576; ulimit -c 0; cd \"$1\" && shift && exec \"$@\"";

std::string find_in_path(const std::string& name) {
    const char* path = std::getenv("PATH");
    for (const auto folder : split(path ? path : "", ':')) {
        const std::string candidate = std::string(folder) + "/" + name;
        if (!folder.empty() && ::access(candidate.c_str(), X_OK) == 0)
            return candidate;
    }
    return "";
}

std::string identify(const std::string& path) {
    std::error_code code;
    const std::string real = std::filesystem::canonical(path, code);
    struct stat status {};
    if (code || ::stat(real.c_str(), &status) != 0)
        return "";
    return real + " " + std::to_string(status.st_size) + " " + std::to_string(status.st_mtim.tv_sec) + "." +
           std::to_string(status.st_mtim.tv_nsec);
}

} // namespace

Compiler Compiler::locate(std::chrono::milliseconds deadline) {
    Compiler out;
    out.deadline_ = deadline;
    const char* chosen = std::getenv("ASSAY_CLANG");
    out.path_ = chosen && *chosen ? chosen : find_in_path("clang++-19");
    out.identity_ = out.path_.empty() ? "" : identify(out.path_);
    if (out.identity_.empty())
        out.path_.clear();
    return out;
}

Result<Compilation> Compiler::run(const std::vector<std::string>& arguments,
                                  const std::string& folder) const {
    if (!available())
        return environment_error("clang++-19",
                                 "not found in PATH: it compiles the kernels of the software device",
                                 "apt-get install clang-19, or name it in ASSAY_CLANG");
    SpawnRequest request;
    request.argv = {"/bin/sh", "-c", kLimits, "sh", folder, path_};
    request.argv.insert(request.argv.end(), arguments.begin(), arguments.end());
    // Neither the injected library nor the user's compiler settings may reach the compiler.
    request.environment = {{"LD_PRELOAD", ""},          {"CPATH", ""},   {"C_INCLUDE_PATH", ""},
                           {"CPLUS_INCLUDE_PATH", ""},  {"LC_ALL", "C"}, {"TMPDIR", folder},
                           {"CCC_OVERRIDE_OPTIONS", ""}};
    const auto done = run_program(request, deadline_);
    if (!done)
        return done.error();
    return Compilation{done->status.clean() && !done->timed_out, done->timed_out, done->output};
}

} // namespace assay::msl
