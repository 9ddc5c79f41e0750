// Running a program as a shell would: in front, with our terminal.
#include "shim/foreground.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <iterator>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace assay {

namespace {

constexpr int kForwarded[] = {SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2};

volatile std::sig_atomic_t g_program = 0;

void forward(int signal, siginfo_t* info, void*) {
    // What the kernel sends comes from the terminal and goes to the whole group: the program has it already,
    // and decides whether it ends.
    if (g_program > 0 && info->si_code <= 0)
        ::kill(static_cast<pid_t>(g_program), signal);
}

/// Sets handlers for its lifetime.
class Forwarding {
  public:
    Forwarding() {
        for (const int signal : kForwarded)
            install(signal);
    }
    ~Forwarding() {
        for (std::size_t i = 0; i < count_; ++i)
            ::sigaction(saved_[i].signal, &saved_[i].action, nullptr);
        g_program = 0;
    }
    Forwarding(const Forwarding&) = delete;
    Forwarding& operator=(const Forwarding&) = delete;

  private:
    struct Saved {
        int signal;
        struct sigaction action;
    };
    void install(int signal) {
        struct sigaction action {};
        action.sa_sigaction = forward;
        action.sa_flags = SA_SIGINFO | SA_RESTART;
        saved_[count_].signal = signal;
        ::sigaction(signal, nullptr, &saved_[count_].action);
        if (saved_[count_].action.sa_handler == SIG_IGN)
            return; // nohup: stays ignored, in the program too
        ::sigaction(signal, &action, nullptr);
        ++count_;
    }
    Saved saved_[std::size(kForwarded)];
    std::size_t count_ = 0;
};

} // namespace

int exit_code(const ExitStatus& status) { return status.signal ? 128 + status.signal : status.code; }

Result<ExitStatus> run_in_foreground(const std::vector<std::string>& command,
                                     const std::vector<std::pair<std::string, std::string>>& environment) {
    std::vector<char*> argv;
    for (const auto& argument : command)
        argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    auto variables = environment_with(environment);
    std::vector<char*> envp;
    for (auto& variable : variables)
        envp.push_back(variable.data());
    envp.push_back(nullptr);

    const Forwarding forwarding;
    pid_t pid = 0;
    // Handlers become defaults in the program by themselves; what was ignored stays ignored.
    const int code = ::posix_spawnp(&pid, argv[0], nullptr, nullptr, argv.data(), envp.data());
    if (code != 0)
        return environment_error(command.front(), std::string("cannot start: ") + std::strerror(code));
    g_program = pid;
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return internal_error(command.front(),
                                  std::string("cannot wait for it: ") + std::strerror(errno));
    if (WIFSIGNALED(status))
        return ExitStatus{0, WTERMSIG(status)};
    return ExitStatus{WEXITSTATUS(status), 0};
}

} // namespace assay
