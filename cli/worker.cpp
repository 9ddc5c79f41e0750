// assay worker (hidden): serves the requests of a driver; see probe/worker.h.
#include "probe/worker.h"
#include "cli/commands.h"
#include "kernels/runner.h"
#include "probe/prober.h"

namespace assay::cli {

static Result<int> run_worker(const Invocation&) {
    static constexpr WorkerCommand kRequests[] = {
        {"ping",
         [](const json::object&, EventSink& events) {
             events.emit({{"event", "pong"}});
         }},
        {"probe", probe_request},
        {"kernel", kernel_request},
    };
    serve_requests(kRequests);
}

const Command worker_command{
    "worker",   "",  "serves the requests of a driver on standard input", "", [](po::options_description&) {},
    run_worker, true};

} // namespace assay::cli
