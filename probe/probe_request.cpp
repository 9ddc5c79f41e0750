// The worker's side of the prober.
#include "base/json_reader.h"
#include "metal/framework.h"
#include "probe/ask.h"
#include "probe/identity.h"
#include "probe/prober.h"

#include <set>

namespace assay {

namespace {

/// What a device file says about its answers: which were logged, which are assumed.
class Reports {
  public:
    explicit Reports(const std::string& device_file) : software_(!device_file.empty()) {
        const auto document = parse_json(device_file, "device file");
        const auto* object = document ? document->if_object() : nullptr;
        const auto* reports = object ? object->if_contains("reports") : nullptr;
        Problems ignored("device file"); // libMetal.so has read the file already
        if (reports && reports->is_object())
            for (const auto& member : reports->get_object())
                known_.set(std::string(member.key()), answer_from_json(member.value(), "", ignored));
    }

    /// Gives the answer the origin that the device file states for it. An answer of the stand-in that the
    /// file does not state is assumed as well; one that differs from the file was asked and moved.
    void mark(const std::string& key, Answer& answer) const {
        if (!software_)
            return;
        const auto* report = known_.find(key);
        if (!report) {
            answer.origin = AnswerOrigin::assumed;
        } else if (report->status == answer.status && report->value == answer.value) {
            answer.origin = report->origin;
            answer.precision = report->precision;
        }
    }

  private:
    bool software_;
    Device known_;
};

void emit_error(const Error& error, EventSink& events) {
    events.emit({{"event", "error"},
                 {"exit", static_cast<int>(error.kind)},
                 {"where", error.where},
                 {"message", error.message},
                 {"next_step", error.next_step}});
}

/// The default device first, then the others.
std::vector<metal::Object> devices_of(const metal::Framework& framework) {
    std::vector<metal::Object> devices;
    if (auto device = framework.default_device())
        devices.push_back(std::move(device));
    for (auto& device : framework.all_devices()) {
        const bool known = !devices.empty() && [&] {
            if (devices.front().get() == device.get())
                return true;
            // Some systems hand out a new object each time: the registry tells that it is the same device.
            const auto first = metal::try_send<std::uint64_t>(devices.front().get(), "registryID");
            const auto other = metal::try_send<std::uint64_t>(device.get(), "registryID");
            return first && other && *first == *other;
        }();
        if (!known)
            devices.push_back(std::move(device));
    }
    return devices;
}

} // namespace

void probe_request(const json::object& request, EventSink& events) {
    const metal::Pool pool;
    const auto framework = metal::Framework::load();
    if (!framework)
        return emit_error(framework.error(), events);
    const auto devices = devices_of(**framework);
    if (devices.empty())
        return emit_error(
            environment_error("", "there is no Metal device on this system",
                              "a virtual machine needs a graphics device (Apple Virtualization: a Mac "
                              "graphics configuration), and a session that may use it; check with "
                              "system_profiler SPDisplaysDataType"),
            events);
    const auto* number = request.if_contains("device");
    const auto index = number && number->is_int64() ? static_cast<std::size_t>(number->get_int64()) : 0;
    if (index >= devices.size())
        return emit_error(
            bad_input("--device " + std::to_string(index),
                      "there is no such device; this system has " + std::to_string(devices.size()),
                      "device 0 is the default device"),
            events);
    const id device = devices[index].get();
    events.emit({{"event", "system"},
                 {"backend", metal::backend_name((*framework)->backend())},
                 {"identity", to_json(read_identity(**framework, device))},
                 {"devices", devices.size()},
                 {"class", class_getName(object_getClass(device))}});
    std::set<std::string> skip;
    if (const auto* keys = request.if_contains("skip"); keys && keys->is_array())
        for (const auto& key : keys->get_array())
            if (key.is_string())
                skip.emplace(key.get_string());
    const Reports reports((*framework)->software_device());
    for (const auto& question : Catalogue::get().questions()) {
        if (skip.count(question.key) != 0)
            continue;
        events.emit({{"event", "begin"}, {"key", question.key}});
        auto answer = ask(device, question);
        reports.mark(question.key, answer);
        events.emit({{"event", "answer"}, {"key", question.key}, {"answer", to_json(answer)}});
    }
}

} // namespace assay
