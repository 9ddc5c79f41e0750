// Child processes: their own process group, a private channel for events, deadlines, kill escalation.
#pragma once
#include "base/error.h"
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace assay {

using Clock = std::chrono::steady_clock;

/// How a process ended.
struct ExitStatus {
    int code = 0;   ///< exit code, if signal is 0
    int signal = 0; ///< the signal that killed it, or 0
    bool clean() const { return code == 0 && signal == 0; }
    /// "exit 3", "signal 6 (Aborted)".
    std::string text() const;
};

/// What a child is started with.
struct SpawnRequest {
    std::vector<std::string> argv; ///< argv[0] is searched in PATH
    std::vector<std::pair<std::string, std::string>>
        environment;       ///< set on top of ours; an empty value unsets
    bool own_group = true; ///< so that all it starts can be killed with it
};

/// A child process with three channels: requests on its standard input, events as lines on descriptor
/// kEventDescriptor, and its standard output and error collected as a log. The destructor kills and reaps it.
class Child {
  public:
    static constexpr int kEventDescriptor = 3;
    static constexpr std::size_t kMaxLogBytes = 256 * 1024; ///< older output is dropped
    static constexpr std::size_t kMaxLineBytes = 16u << 20; ///< a longer event line ends the channel

    static Result<Child> spawn(const SpawnRequest& request);
    Child(Child&& other) noexcept;
    Child& operator=(Child&& other) noexcept;
    ~Child();

    pid_t pid() const { return pid_; }
    /// Writes one line to its standard input; false when it no longer reads.
    bool send_line(std::string_view line);
    /// Closes its standard input.
    void close_input();

    enum class Read { line, end, timeout };
    /// The next event line (without its newline), the end of the channel, or the passing of the deadline.
    /// An interrupted system call does not end it early.
    Read read_line(std::string& line, Clock::time_point deadline);

    /// Waits for it to end; nullopt when the deadline passes first.
    std::optional<ExitStatus> wait(Clock::time_point deadline);
    /// SIGTERM to the group, after `grace` SIGKILL, then waits up to `patience`; nullopt: it cannot be
    /// reaped.
    std::optional<ExitStatus> stop(std::chrono::milliseconds grace = std::chrono::milliseconds(200),
                                   std::chrono::milliseconds patience = std::chrono::seconds(5));

    /// What it wrote to standard output and error so far (the newest kMaxLogBytes).
    const std::string& log() const { return log_; }

  private:
    Child() = default;
    void drain_log();
    void swap(Child& other) noexcept;
    pid_t pid_ = -1;
    pid_t group_ = 0; ///< 0: shares ours
    int input_ = -1;
    int events_ = -1;
    int output_ = -1;
    std::string pending_;
    std::string log_;
    std::optional<ExitStatus> status_;
};

/// Runs a program to its end and collects standard output and error together.
struct Finished {
    ExitStatus status;
    bool timed_out = false;
    std::string output;
};
Result<Finished> run_program(const SpawnRequest& request, std::chrono::milliseconds limit,
                             std::string_view input = {});

/// Our environment with `changes` applied, as "NAME=value" strings.
std::vector<std::string> environment_with(const std::vector<std::pair<std::string, std::string>>& changes);

} // namespace assay
