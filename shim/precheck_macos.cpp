// macOS half of shim/launch.h: whether dyld will put a library into a program.
#include "shim/launch.h"
#include "shim/program_file.h"

#include <fstream>

namespace assay {

namespace {

constexpr int kMostInterpreters = 2;

std::string first_line(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::string line;
    std::getline(file, line);
    return line;
}

/// Programs in these folders are protected by System Integrity Protection: dyld ignores inserted libraries.
bool is_protected(const std::string& path) {
    for (const char* folder : {"/bin/", "/sbin/", "/usr/bin/", "/usr/sbin/", "/usr/libexec/", "/System/"})
        if (path.rfind(folder, 0) == 0)
            return true;
    return false;
}

} // namespace

Result<std::string> precheck(const std::string& program) {
    std::string name = program;
    for (int i = 0; i <= kMostInterpreters; ++i) {
        const auto path = find_program(name);
        if (!path)
            return path.error();
        const auto interpreter = script_interpreter(first_line(*path));
        if (interpreter.empty() && is_protected(*path))
            return environment_error(
                *path, "the library would not load: System Integrity Protection drops it from this program",
                "start the real program, not a system one that starts it");
        if (interpreter.empty())
            return *path;
        name = interpreter;
    }
    return environment_error(program, "scripts that run scripts: the chain of interpreters is too long");
}

} // namespace assay
