// The worker's side of the kernel runner.
#include "base/json_reader.h"
#include "kernels/execute.h"
#include "kernels/runner.h"

namespace assay {

static void emit_error(const Error& error, EventSink& events) {
    events.emit({{"event", "error"},
                 {"exit", static_cast<int>(error.kind)},
                 {"where", error.where},
                 {"message", error.message},
                 {"next_step", error.next_step}});
}

void kernel_request(const json::object& request, EventSink& events) {
    Problems problems("request");
    KernelVariant what;
    ExecuteOptions options;
    {
        const json::value value = request;
        ObjectReader reader(value, "", problems);
        reader.find("do");
        const auto kernel = reader.string("kernel");
        const auto variant = reader.string("variant");
        options.seed = reader.optional_uint("seed").value_or(1);
        options.quick = reader.one_of("sizes", {"full", "quick"}) == "quick";
        options.force = reader.optional_bool("force").value_or(false);
        options.time = reader.optional_bool("time").value_or(false);
        what.kernel = find_kernel(kernel);
        what.variant = what.kernel ? what.kernel->find_variant(variant) : nullptr;
        if (!what.variant)
            problems.add("/kernel", "there is no kernel " + kernel + "/" + variant);
    }
    if (!problems.empty())
        return emit_error(problems.error(), events);
    const metal::Pool pool;
    const auto gpu = Gpu::open();
    if (!gpu)
        return emit_error(gpu.error(), events);
    const auto os = gpu->answers().os;
    events.emit({{"event", "system"},
                 {"backend", metal::backend_name(gpu->framework().backend())},
                 {"device", gpu->device_name()},
                 {"os", {{"name", os.name}, {"version", os.version}}}});
    events.emit({{"event", "begin"}, {"kernel", what.kernel->name}, {"variant", what.variant->name}});
    options.promised = [&](Truth reported, const std::string& promise) {
        events.emit({{"event", "promise"}, {"reported", truth_name(reported)}, {"promise", promise}});
    };
    options.progress = [&](Rung rung, const std::string& step) {
        events.emit({{"event", "step"}, {"rung", rung_name(rung)}, {"case", step}});
    };
    events.emit({{"event", "result"}, {"result", to_json(execute(*gpu, what, options))}});
}

} // namespace assay
