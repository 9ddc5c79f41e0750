// Child processes: their own process group, a private channel for events, deadlines, kill escalation.
#include "base/process.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

extern char** environ;

namespace assay {

namespace {

void close_descriptor(int& fd) {
    if (fd >= 0)
        ::close(fd);
    fd = -1;
}

/// A pipe whose two ends close on exec and lie above the descriptors a child is given.
class Pipe {
  public:
    Pipe() {
        int ends[2];
        if (::pipe(ends) != 0)
            return;
        for (int i = 0; i < 2; ++i) {
            ends_[i] = ::fcntl(ends[i], F_DUPFD_CLOEXEC, 10);
            ::close(ends[i]);
        }
    }
    ~Pipe() {
        close_descriptor(ends_[0]);
        close_descriptor(ends_[1]);
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    bool ok() const { return ends_[0] >= 0 && ends_[1] >= 0; }
    int reader() const { return ends_[0]; }
    int writer() const { return ends_[1]; }
    int take_reader() { return std::exchange(ends_[0], -1); }
    int take_writer() { return std::exchange(ends_[1], -1); }

  private:
    int ends_[2] = {-1, -1};
};

void append_bounded(std::string& log, std::string_view text, std::size_t limit) {
    log += text;
    if (log.size() > limit)
        log.erase(0, log.size() - limit);
}

int poll_timeout(Clock::time_point deadline) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    return static_cast<int>(std::clamp<long long>(left, 0, 1'000'000));
}

std::optional<ExitStatus> reap(pid_t pid) {
    int status = 0;
    pid_t got;
    do
        got = ::waitpid(pid, &status, WNOHANG);
    while (got < 0 && errno == EINTR);
    if (got != pid)
        return {};
    if (WIFSIGNALED(status))
        return ExitStatus{0, WTERMSIG(status)};
    return ExitStatus{WEXITSTATUS(status), 0};
}

} // namespace

std::string ExitStatus::text() const {
    if (signal == 0)
        return "exit " + std::to_string(code);
    return "signal " + std::to_string(signal) + " (" + ::strsignal(signal) + ")";
}

std::vector<std::string> environment_with(const std::vector<std::pair<std::string, std::string>>& changes) {
    std::vector<std::string> out;
    for (char** entry = environ; *entry; ++entry) {
        const std::string_view text = *entry;
        const auto name = text.substr(0, text.find('='));
        if (std::none_of(changes.begin(), changes.end(), [&](const auto& c) { return c.first == name; }))
            out.emplace_back(text);
    }
    for (const auto& [name, value] : changes)
        if (!value.empty())
            out.push_back(name + "=" + value);
    return out;
}

Result<Child> Child::spawn(const SpawnRequest& request) {
    Pipe input;
    Pipe events;
    Pipe output;
    if (!input.ok() || !events.ok() || !output.ok())
        return environment_error("", std::string("cannot make a pipe: ") + std::strerror(errno));
    // A write to a child that has died is an error to handle, not a reason to die ourselves.
    static const auto ignored = ::signal(SIGPIPE, SIG_IGN);
    (void)ignored;

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input.reader(), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output.writer(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output.writer(), STDERR_FILENO);
    posix_spawn_file_actions_adddup2(&actions, events.writer(), kEventDescriptor);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none;
    sigset_t pipe_only;
    sigemptyset(&none);
    sigemptyset(&pipe_only);
    sigaddset(&pipe_only, SIGPIPE);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &pipe_only);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes,
                             static_cast<short>(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                                (request.own_group ? POSIX_SPAWN_SETPGROUP : 0)));

    std::vector<char*> argv;
    for (const auto& argument : request.argv)
        argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    auto variables = environment_with(request.environment);
    std::vector<char*> envp;
    for (auto& variable : variables)
        envp.push_back(variable.data());
    envp.push_back(nullptr);

    Child child;
    const int code = ::posix_spawnp(&child.pid_, argv[0], &actions, &attributes, argv.data(), envp.data());
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (code != 0) {
        child.pid_ = -1;
        return environment_error(request.argv.front(), std::string("cannot start: ") + std::strerror(code));
    }
    child.group_ = request.own_group ? child.pid_ : 0;
    child.input_ = input.take_writer();
    child.events_ = events.take_reader();
    child.output_ = output.take_reader();
    ::fcntl(child.output_, F_SETFL, O_NONBLOCK);
    ::fcntl(child.events_, F_SETFL, O_NONBLOCK);
    return child;
}

void Child::swap(Child& other) noexcept {
    std::swap(pid_, other.pid_);
    std::swap(group_, other.group_);
    std::swap(input_, other.input_);
    std::swap(events_, other.events_);
    std::swap(output_, other.output_);
    std::swap(pending_, other.pending_);
    std::swap(log_, other.log_);
    std::swap(status_, other.status_);
}

Child::Child(Child&& other) noexcept { swap(other); }

Child& Child::operator=(Child&& other) noexcept {
    swap(other);
    return *this;
}

Child::~Child() {
    if (pid_ > 0 && !status_)
        stop(std::chrono::milliseconds(0));
    close_descriptor(input_);
    close_descriptor(events_);
    close_descriptor(output_);
}

bool Child::send_line(std::string_view line) {
    std::string text(line);
    text += '\n';
    std::string_view left = text;
    while (!left.empty() && input_ >= 0) {
        const ssize_t n = ::write(input_, left.data(), left.size());
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        left.remove_prefix(static_cast<std::size_t>(n));
    }
    return left.empty();
}

void Child::close_input() { close_descriptor(input_); }

void Child::drain_log() {
    char chunk[65536];
    for (;;) {
        const ssize_t n = output_ >= 0 ? ::read(output_, chunk, sizeof chunk) : 0;
        if (n > 0) {
            append_bounded(log_, {chunk, static_cast<std::size_t>(n)}, kMaxLogBytes);
            continue;
        }
        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0)
            close_descriptor(output_);
        return;
    }
}

Child::Read Child::read_line(std::string& line, Clock::time_point deadline) {
    for (;;) {
        if (const auto end = pending_.find('\n'); end != std::string::npos) {
            line = pending_.substr(0, end);
            pending_.erase(0, end + 1);
            return Read::line;
        }
        if (events_ < 0 || pending_.size() > kMaxLineBytes)
            return Read::end;
        pollfd fds[2] = {{events_, POLLIN, 0}, {output_, POLLIN, 0}};
        const int ready = ::poll(fds, output_ >= 0 ? 2 : 1, poll_timeout(deadline));
        if (ready < 0 && errno != EINTR)
            return Read::end;
        if (ready > 0 && output_ >= 0 && fds[1].revents)
            drain_log();
        if (ready > 0 && fds[0].revents) {
            char chunk[65536];
            const ssize_t n = ::read(events_, chunk, sizeof chunk);
            if (n > 0)
                pending_.append(chunk, static_cast<std::size_t>(n));
            else if (n == 0 || (errno != EINTR && errno != EAGAIN))
                close_descriptor(events_);
            continue;
        }
        if (Clock::now() >= deadline)
            return Read::timeout;
    }
}

std::optional<ExitStatus> Child::wait(Clock::time_point deadline) {
    auto pause = std::chrono::microseconds(50);
    while (!status_) {
        status_ = reap(pid_);
        drain_log();
        if (status_ || Clock::now() >= deadline)
            break;
        std::this_thread::sleep_for(pause);
        pause = std::min(pause * 2, std::chrono::microseconds(5000));
    }
    return status_;
}

std::optional<ExitStatus> Child::stop(std::chrono::milliseconds grace, std::chrono::milliseconds patience) {
    if (pid_ <= 0)
        return {};
    const pid_t target = group_ > 0 ? -group_ : pid_;
    if (!status_ && grace.count() > 0) {
        ::kill(target, SIGTERM);
        wait(Clock::now() + grace);
    }
    // The group is killed even when its leader has ended: what the leader started must not outlive it.
    if (!status_ || group_ > 0)
        ::kill(target, SIGKILL);
    return wait(Clock::now() + patience);
}

Result<Finished> run_program(const SpawnRequest& request, std::chrono::milliseconds limit,
                             std::string_view input) {
    auto child = Child::spawn(request);
    if (!child)
        return child.error();
    if (!input.empty())
        child->send_line(input);
    child->close_input();
    const auto deadline = Clock::now() + limit;
    // The program may leave descriptor 3 open in something it started, so its end is what counts.
    const auto status = child->wait(deadline);
    Finished out;
    out.timed_out = !status;
    const auto stopped = status ? status : child->stop();
    if (!stopped)
        return environment_error(request.argv.front(), "could not be killed");
    out.status = *stopped;
    out.output = child->log();
    return out;
}

} // namespace assay
