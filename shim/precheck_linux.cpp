// Linux half of shim/launch.h: whether ld.so will put a library into a program.
#include "base/file.h"
#include "shim/elf_file.h"
#include "shim/launch.h"
#include "shim/program_file.h"

#include <fstream>
#include <sys/stat.h>

namespace assay {

namespace {

/// Scripts may run scripts: as many as the kernel follows.
constexpr int kMostInterpreters = 5;
/// Program headers lie right behind the ELF header.
constexpr std::size_t kHeadBytes = 65536;

std::string read_head(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::string head(kHeadBytes, '\0');
    file.read(head.data(), kHeadBytes);
    head.resize(static_cast<std::size_t>(file.gcount()));
    return head;
}

Error would_not_load(const std::string& path, const std::string& why, const std::string& next_step) {
    return environment_error(path, "the library would not load: " + why, next_step);
}

} // namespace

Result<std::string> precheck(const std::string& program) {
    std::string name = program;
    for (int i = 0; i < kMostInterpreters; ++i) {
        const auto path = find_program(name);
        if (!path)
            return path.error();
        const auto head = read_head(*path);
        if (head.empty())
            return environment_error(*path, "cannot be read, so nobody knows whether the library would load");
        if (const auto interpreter = script_interpreter(head); !interpreter.empty()) {
            name = interpreter;
            continue;
        }
        const auto elf = read_elf(*path, head);
        if (!elf)
            return elf.error();
        if (!elf->is_elf)
            return *path; // a script without a first line: the shell runs it
        if (!elf->same_machine)
            return would_not_load(*path, "the program is built for another processor", "");
        if (!elf->has_interpreter)
            return would_not_load(*path, "the program is linked statically",
                                  "link it dynamically, or use the client's own switch");
        struct stat status {};
        if (::stat(path->c_str(), &status) == 0 && (status.st_mode & (S_ISUID | S_ISGID)) != 0)
            return would_not_load(*path, "the program is set-user-id or set-group-id",
                                  "run a copy without that bit");
        return *path;
    }
    return environment_error(program, "scripts that run scripts: the chain of interpreters is too long");
}

} // namespace assay
