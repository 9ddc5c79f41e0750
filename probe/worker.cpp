// The worker: the child process in which everything that touches Metal runs.
#include "probe/worker.h"
#include "base/platform.h"

#include <cerrno>
#include <iostream>
#include <unistd.h>

namespace assay {

void EventSink::emit(const json::object& event) {
    const std::string line = write_json_line(event) + '\n';
    std::string_view left = line;
    while (!left.empty()) {
        const ssize_t n = ::write(descriptor_, left.data(), left.size());
        if (n < 0 && errno != EINTR)
            ::_exit(0); // the driver is gone: nobody is left to work for
        if (n > 0)
            left.remove_prefix(static_cast<std::size_t>(n));
    }
}

static void serve(const std::string& line, std::span<const WorkerCommand> commands, EventSink& events) {
    const auto request = parse_json(line, "request");
    const auto* object = request ? request->if_object() : nullptr;
    const auto* name = object ? object->if_contains("do") : nullptr;
    if (name && name->is_string())
        for (const auto& command : commands)
            if (command.name == name->get_string())
                return command.run(*object, events);
    events.emit({{"event", "error"}, {"message", "unknown request: " + line.substr(0, 200)}});
}

void serve_requests(std::span<const WorkerCommand> commands) {
    EventSink events(Child::kEventDescriptor);
    std::string line;
    while (std::getline(std::cin, line)) {
        serve(line, commands, events);
        events.emit({{"event", "done"}});
    }
    ::_exit(0);
}

Result<Worker> Worker::start(const Options& options) {
    SpawnRequest request;
    request.argv =
        options.argv.empty() ? std::vector<std::string>{executable_path(), "worker"} : options.argv;
    request.environment = options.environment;
    auto child = Child::spawn(request);
    if (!child)
        return child.error();
    return Worker(std::move(*child));
}

WorkerEvent Worker::next(Clock::time_point deadline) {
    WorkerEvent event;
    std::string line;
    switch (child_.read_line(line, deadline)) {
    case Child::Read::timeout:
        event.kind = WorkerEvent::Kind::timed_out;
        return event;
    case Child::Read::line:
        if (auto value = parse_json(line, "event"); value && value->is_object()) {
            event.data = std::move(value->get_object());
            if (const auto* kind = event.data.if_contains("event"); kind && *kind == "done")
                event.kind = WorkerEvent::Kind::done;
            return event;
        }
        break;
    case Child::Read::end:
        break;
    }
    const auto status = child_.wait(deadline);
    if (!status && child_.stop() == std::nullopt) {
        event.kind = WorkerEvent::Kind::timed_out;
        return event;
    }
    event.kind = WorkerEvent::Kind::died;
    event.exit = status ? *status : *child_.stop();
    return event;
}

} // namespace assay
