// Test helper: a forked child with libMetal.so.
#include "metal/software/in_child.h"
#include "metal/runtime.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace assay::software {

namespace {

void* library = nullptr;

[[noreturn]] void run_child(const std::string& device, const std::function<std::string()>& body, int said,
                            int errors) {
    ::dup2(errors, STDERR_FILENO);
    // The test framework's handlers would swallow what the parent wants to see.
    for (const int signal : {SIGABRT, SIGSEGV, SIGFPE, SIGILL, SIGTERM, SIGINT})
        ::signal(signal, SIG_DFL);
    ::setenv("ASSAY_DEVICE", device.c_str(), 1);
    library = ::dlopen(ASSAY_LIBMETAL, RTLD_NOW | RTLD_GLOBAL);
    if (!library) {
        std::fprintf(stderr, "%s\n", ::dlerror());
        ::_exit(99);
    }
    {
        const metal::Pool pool;
        const std::string text = body();
        if (::write(said, text.data(), text.size()) < 0)
            ::_exit(98);
    }
    ::_exit(0);
}

/// Reads both pipes to their ends; false when the time is over first.
bool read_all(int said, int errors, ChildOutcome& out, int seconds) {
    pollfd pipes[] = {{said, POLLIN, 0}, {errors, POLLIN, 0}};
    std::string* const texts[] = {&out.said, &out.errors};
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
    for (int open = 2; open > 0;) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
            deadline - std::chrono::steady_clock::now());
        if (left.count() <= 0)
            return false;
        ::poll(pipes, 2, static_cast<int>(left.count()));
        for (int i = 0; i < 2; ++i) {
            if (pipes[i].fd < 0 || !pipes[i].revents)
                continue;
            char buffer[4096];
            const auto got = ::read(pipes[i].fd, buffer, sizeof buffer);
            if (got > 0)
                texts[i]->append(buffer, static_cast<std::size_t>(got));
            else {
                pipes[i].fd = -1;
                --open;
            }
        }
    }
    return true;
}

} // namespace

ChildOutcome in_child(const std::string& device, const std::function<std::string()>& body, int seconds) {
    int said[2];
    int errors[2];
    if (::pipe(said) != 0 || ::pipe(errors) != 0)
        return {};
    const pid_t child = ::fork();
    if (child == 0) {
        ::close(said[0]);
        ::close(errors[0]);
        run_child(device, body, said[1], errors[1]);
    }
    ::close(said[1]);
    ::close(errors[1]);
    ChildOutcome out;
    out.timed_out = !read_all(said[0], errors[0], out, seconds);
    if (out.timed_out)
        ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    ::close(said[0]);
    ::close(errors[0]);
    if (WIFEXITED(status))
        out.exit_code = WEXITSTATUS(status);
    else
        out.signal = WTERMSIG(status);
    return out;
}

id child_device() { return reinterpret_cast<id (*)()>(child_symbol("MTLCreateSystemDefaultDevice"))(); }

void* child_symbol(const char* name) { return ::dlsym(library, name); }

} // namespace assay::software
