// The worker: the child process in which everything that touches Metal runs.
//
// The driver writes one JSON request per line to its standard input. The worker answers with JSON event lines
// on descriptor 3, the last of each request being {"event": "done"}. A worker that crashes or hangs costs
// what it was doing and is replaced.
#pragma once
#include "base/json.h"
#include "base/process.h"
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace assay {

/// Where a worker's function sends its events; each is flushed before the call returns.
class EventSink {
  public:
    explicit EventSink(int descriptor) : descriptor_(descriptor) {}
    void emit(const json::object& event);

  private:
    int descriptor_;
};

/// One kind of request, named by its member "do". `run` may raise, crash or hang; it must not call exit().
struct WorkerCommand {
    std::string_view name;
    void (*run)(const json::object& request, EventSink& events);
};

/// The body of `assay worker`: serves requests until standard input ends, then leaves by _exit(), because
/// exit handlers of a driver that is in trouble may hang.
[[noreturn]] void serve_requests(std::span<const WorkerCommand> commands);

/// What the driver hears from a worker.
struct WorkerEvent {
    enum class Kind {
        event,     ///< `data` holds what the worker sent
        done,      ///< the request is finished
        died,      ///< the worker has ended; `exit` says how
        timed_out, ///< the deadline passed; the worker still runs and should be stopped
    };
    Kind kind = Kind::event;
    json::object data;
    ExitStatus exit;
};

/// The driver's end of a worker process.
class Worker {
  public:
    struct Options {
        std::vector<std::string> argv; ///< empty: this executable with "worker"
        std::vector<std::pair<std::string, std::string>> environment; ///< set on top of ours
    };

    static Result<Worker> start(const Options& options);

    /// Sends a request; false when the worker no longer reads (the next event then says how it ended).
    bool send(const json::object& request) { return child_.send_line(write_json_line(request)); }
    /// The next event. A line that is not a JSON object counts as the worker's death by its own garbage.
    WorkerEvent next(Clock::time_point deadline);
    /// Kills it and all it started; nullopt when it cannot be reaped.
    std::optional<ExitStatus> stop() { return child_.stop(); }
    /// What it printed on standard output and error.
    const std::string& log() const { return child_.log(); }
    pid_t pid() const { return child_.pid(); }

  private:
    explicit Worker(Child child) : child_(std::move(child)) {}
    Child child_;
};

} // namespace assay
