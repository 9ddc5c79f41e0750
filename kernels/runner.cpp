// Running kernels in workers: one request per variant, so that a crash or a hang costs one variant.
#include "kernels/runner.h"
#include "base/json_reader.h"
#include "base/text.h"

#include <fmt/format.h>

namespace assay {

namespace {

std::string text_of(const json::object& event, std::string_view key) {
    const auto* value = event.if_contains(key);
    return value && value->is_string() ? std::string(value->get_string()) : "";
}

Error error_of(const json::object& event) {
    Error error;
    const auto* exit = event.if_contains("exit");
    const auto code = exit && exit->is_int64() ? exit->get_int64() : 0;
    error.kind = code == 2 ? ErrorKind::bad_input : code == 3 ? ErrorKind::environment : ErrorKind::internal;
    error.where = text_of(event, "where");
    error.message = text_of(event, "message");
    error.next_step = text_of(event, "next_step");
    return error;
}

/// The newest line of a worker's log that says anything, to be appended to how it died.
std::string last_words(const std::string& log) {
    const auto lines = split(log, '\n');
    for (auto line = lines.rbegin(); line != lines.rend(); ++line)
        if (const auto text = trim(*line); !text.empty())
            return fmt::format(" (it said: {})", text.substr(0, 300));
    return {};
}

/// Where a variant was when its worker was lost.
struct Position {
    Rung rung = Rung::answers;
    std::string step;

    void note(const json::object& event) {
        const auto name = text_of(event, "rung");
        for (const auto one : {Rung::compiles, Rung::runs, Rung::correct, Rung::pays})
            if (rung_name(one) == name)
                rung = one;
        step = text_of(event, "case");
    }
    std::string text(const std::string& what) const { return step.empty() ? what : step + ": " + what; }
};

} // namespace

Result<KernelResult> KernelRunner::listen(const KernelVariant& what) {
    const auto deadline = Clock::now() + options_.deadline;
    Position position;
    std::optional<KernelResult> result;
    std::optional<Error> error;
    KernelResult lost;
    lost.kernel = what.kernel->name;
    lost.variant = what.variant->name;
    lost.features.assign(what.variant->features.begin(), what.variant->features.end());
    lost.seed = options_.seed;
    lost.quick = options_.quick;
    for (;;) {
        const auto event = worker_->next(deadline);
        switch (event.kind) {
        case WorkerEvent::Kind::event: {
            const auto kind = text_of(event.data, "event");
            if (kind == "system") {
                system_.backend = text_of(event.data, "backend");
                system_.device = text_of(event.data, "device");
                if (const auto* os = event.data.if_contains("os"); os && os->is_object())
                    system_.os = {text_of(os->get_object(), "name"), text_of(os->get_object(), "version")};
            } else if (kind == "promise") {
                const auto answer = text_of(event.data, "reported");
                for (const auto truth : {Truth::no, Truth::unknown, Truth::yes})
                    if (truth_name(truth) == answer)
                        lost.reported = truth;
                lost.promise = text_of(event.data, "promise");
            } else if (kind == "step") {
                position.note(event.data);
            } else if (kind == "error") {
                error = error_of(event.data);
            } else if (kind == "result" && event.data.contains("result")) {
                Problems problems("worker");
                result = kernel_result_from_json(event.data.at("result"), "/result", problems);
                if (!problems.empty())
                    error = problems.error();
            }
            break;
        }
        case WorkerEvent::Kind::done:
            if (error)
                return *error;
            if (result)
                return std::move(*result);
            return internal_error(what.id(), "the worker gave no result");
        case WorkerEvent::Kind::died: {
            const auto log = worker_->log();
            worker_.reset();
            if (result)
                return std::move(*result);
            lost.fail(position.rung, position.text("worker died: " + event.exit.text() + last_words(log)));
            return lost;
        }
        case WorkerEvent::Kind::timed_out:
            unreapable_ = !worker_->stop().has_value();
            worker_.reset();
            if (unreapable_)
                return environment_error(what.id(), "its worker hangs and cannot be ended",
                                         "restart this system (a virtual machine: stop and start it)");
            lost.fail(position.rung,
                      position.text(fmt::format("no answer within {} s",
                                                std::chrono::duration<double>(options_.deadline).count())));
            return lost;
        }
    }
}

Result<KernelResult> KernelRunner::run(const KernelVariant& what) {
    if (unreapable_)
        return environment_error(what.id(), "not run: an earlier worker cannot be ended",
                                 "restart this system (a virtual machine: stop and start it)");
    if (!worker_) {
        auto worker = Worker::start({options_.worker, options_.environment});
        if (!worker)
            return worker.error();
        worker_.emplace(std::move(*worker));
    }
    worker_->send({{"do", "kernel"},
                   {"kernel", what.kernel->name},
                   {"variant", what.variant->name},
                   {"seed", options_.seed},
                   {"sizes", options_.quick ? "quick" : "full"},
                   {"force", options_.force},
                   {"time", options_.time}});
    return listen(what);
}

Result<KernelReport> run_kernels(const std::vector<KernelVariant>& what, const KernelOptions& options,
                                 const KernelListener& listener) {
    KernelRunner runner(options);
    std::vector<KernelResult> results;
    for (const auto& one : what) {
        if (listener.begin)
            listener.begin(one);
        auto result = runner.run(one);
        if (!result)
            return result.error();
        if (listener.end)
            listener.end(*result);
        results.push_back(std::move(*result));
    }
    auto report = runner.system();
    report.results = std::move(results);
    return report;
}

} // namespace assay
