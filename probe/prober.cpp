// The prober: every question of the catalogue, asked in a worker so that a bad answer costs only itself.
#include "probe/prober.h"
#include "base/json_reader.h"
#include "base/text.h"
#include "probe/catalogue.h"

#include <fmt/format.h>

namespace assay {

namespace {

/// After so many questions in a row that cost their worker, the device is taken for broken.
constexpr int kMostLostInARow = 8;

std::string text_member(const json::object& object, std::string_view key) {
    const auto* value = object.if_contains(key);
    return value && value->is_string() ? std::string(value->get_string()) : std::string{};
}

Error error_of(const json::object& event) {
    Error error;
    const auto* code = event.if_contains("exit");
    error.kind = code && *code == static_cast<int>(ErrorKind::bad_input) ? ErrorKind::bad_input
                                                                         : ErrorKind::environment;
    error.where = text_member(event, "where");
    error.message = text_member(event, "message");
    error.next_step = text_member(event, "next_step");
    return error;
}

/// The last lines that a worker printed, for an error message.
std::string tail_of(const std::string& log) {
    constexpr std::size_t kMost = 500;
    const auto text = trim(log);
    if (text.empty())
        return {};
    return "; it said: " + std::string(text.size() > kMost ? text.substr(text.size() - kMost) : text);
}

/// One device's questions, over as many workers as it takes.
class DeviceProbe {
  public:
    DeviceProbe(const ProbeOptions& options, std::size_t index, std::vector<Question> questions, Table& table)
        : options_(options), index_(index), questions_(std::move(questions)), table_(table) {}

    Result<Device> run() {
        while (!finished_) {
            auto worker = Worker::start({options_.worker, options_.environment});
            if (!worker)
                return worker.error();
            if (const auto served = serve(*worker); !served)
                return served.error();
        }
        if (const auto name = device_.answer_value("name"); name && name->is_string())
            device_.name = name->get_string();
        if (const auto name = device_.answer_value("architecture.name"); name && name->is_string())
            device_.architecture = name->get_string();
        return std::move(device_);
    }
    std::size_t devices() const { return devices_; }

  private:
    /// Talks to one worker until it has answered everything, or one question has cost it.
    Result<void> serve(Worker& worker) {
        json::array skip;
        for (const auto& entry : device_.answers())
            skip.emplace_back(entry.key);
        worker.send({{"do", "probe"}, {"device", index_}, {"skip", std::move(skip)}});
        pending_.clear();
        started_ = false;
        auto deadline = Clock::now() + options_.start_deadline;
        for (;;) {
            const auto event = worker.next(deadline);
            if (event.kind == WorkerEvent::Kind::done) {
                finished_ = true;
                if (!started_)
                    return internal_error("worker", "answered nothing" + tail_of(worker.log()));
                return {};
            }
            if (event.kind == WorkerEvent::Kind::event) {
                if (auto heard = hear(event.data); !heard)
                    return heard.error();
                deadline = Clock::now() + options_.query_deadline;
                continue;
            }
            return lost(worker, event);
        }
    }

    Result<void> hear(const json::object& event) {
        const auto kind = text_member(event, "event");
        if (kind == "error")
            return error_of(event);
        if (kind == "system") {
            started_ = true;
            hear_system(event);
        } else if (kind == "begin") {
            pending_ = text_member(event, "key");
        } else if (kind == "answer") {
            Problems problems("worker");
            const auto* value = event.if_contains("answer");
            auto answer = answer_from_json(value ? *value : json::value(), "/answer", problems);
            if (!problems.empty())
                return problems.error();
            record(std::move(answer));
            lost_in_a_row_ = 0;
        }
        return {};
    }

    void hear_system(const json::object& event) {
        Problems ignored("worker");
        if (const auto* identity = event.if_contains("identity"))
            table_.identity = identity_from_json(*identity, "/identity", ignored);
        table_.backend = text_member(event, "backend");
        device_.class_name = text_member(event, "class");
        if (const auto* count = event.if_contains("devices"); count && count->is_number())
            devices_ = count->to_number<std::size_t>();
    }

    /// The worker has died or does not return: that costs the question it was at.
    Result<void> lost(Worker& worker, const WorkerEvent& event) {
        const bool hung = event.kind == WorkerEvent::Kind::timed_out;
        const auto log = tail_of(worker.log());
        const bool reaped = !hung || worker.stop().has_value();
        if (pending_.empty() && !device_.answers().empty() && reaped && ++lost_in_a_row_ < kMostLostInARow)
            return {}; // between two questions: the next worker goes on
        if (pending_.empty()) {
            if (hung)
                return environment_error(
                    "", "Metal did not start within " + seconds(options_.start_deadline) + log,
                    "restart this system: its graphics device hangs");
            return environment_error("", "the worker ended before the first question: " + event.exit.text() +
                                             log);
        }
        record(
            hung ? Answer::none(AnswerStatus::timeout, "no answer within " + seconds(options_.query_deadline))
                 : Answer::none(AnswerStatus::aborted, "ended the process: " + event.exit.text()));
        if (!reaped)
            give_up("the process that asked before cannot be ended");
        else if (++lost_in_a_row_ == kMostLostInARow)
            give_up("the " + std::to_string(kMostLostInARow) +
                    " questions before it each cost the process that asked");
        return {};
    }

    void record(Answer answer) {
        device_.set(pending_, std::move(answer));
        pending_.clear();
        if (options_.progress)
            options_.progress(device_.answers().size(), questions_.size());
        finished_ = device_.answers().size() == questions_.size();
    }

    void give_up(const std::string& reason) {
        for (const auto& question : questions_)
            if (!device_.find(question.key))
                device_.set(question.key, Answer::none(AnswerStatus::not_asked, reason));
        finished_ = true;
    }

    static std::string seconds(std::chrono::milliseconds time) {
        return fmt::format("{:g} s", static_cast<double>(time.count()) / 1000);
    }

    const ProbeOptions& options_;
    std::size_t index_;
    std::vector<Question> questions_;
    Table& table_;
    Device device_;
    std::string pending_; ///< the question being asked
    bool started_ = false;
    bool finished_ = false;
    int lost_in_a_row_ = 0;
    std::size_t devices_ = 1;
};

} // namespace

Result<Table> probe_devices(const ProbeOptions& options) {
    Table table;
    std::size_t index = options.device.value_or(0);
    std::size_t end = index + 1;
    for (; index < end; ++index) {
        DeviceProbe probe(options, index, Catalogue::get().questions(), table);
        auto device = probe.run();
        if (!device)
            return device.error();
        table.devices.push_back(std::move(*device));
        if (!options.device)
            end = probe.devices();
    }
    return table;
}

} // namespace assay
