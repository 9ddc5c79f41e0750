// Finding the file that runs when a command is started.
#include "shim/program_file.h"
#include "base/text.h"

#include <cstdlib>
#include <filesystem>
#include <unistd.h>

namespace assay {

namespace {

bool is_program(const std::string& path) {
    std::error_code code;
    return std::filesystem::is_regular_file(path, code) && ::access(path.c_str(), X_OK) == 0;
}

} // namespace

Result<std::string> find_program(const std::string& name) {
    std::error_code code;
    if (name.find('/') != std::string::npos) {
        if (!std::filesystem::exists(name, code))
            return bad_input(name, "there is no such program");
        if (!is_program(name))
            return bad_input(name, "is not a program: no executable file");
        return name;
    }
    const char* variable = std::getenv("PATH");
    const std::string_view folders = variable ? variable : "/usr/bin:/bin";
    for (const auto folder : split(folders, ':')) {
        const auto path = (folder.empty() ? std::string(".") : std::string(folder)) + "/" + name;
        if (is_program(path))
            return path;
    }
    return bad_input(name, "there is no such program in PATH");
}

std::string script_interpreter(std::string_view head) {
    if (head.substr(0, 2) != "#!")
        return {};
    auto line = trim(head.substr(2, head.find('\n') == head.npos ? head.npos : head.find('\n') - 2));
    const auto next_word = [&line] {
        const auto end = std::min(line.find_first_of(" \t"), line.size());
        const auto word = line.substr(0, end);
        line = trim(line.substr(end));
        return std::string(word);
    };
    const auto interpreter = next_word();
    if (std::filesystem::path(interpreter).filename() != "env")
        return interpreter;
    // env runs what it is told to; its options and assignments come first.
    for (auto word = next_word(); !word.empty(); word = next_word())
        if (word.front() != '-' && word.find('=') == std::string::npos)
            return word;
    return interpreter;
}

} // namespace assay
