// The prober: every question of the catalogue, asked in a worker so that a bad answer costs only itself.
#pragma once
#include "probe/table.h"
#include "probe/worker.h"
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace assay {

/// The worker's side: serves {"do": "probe", "device": N, "skip": [keys]}. Device 0 is the default device.
/// Events: {"event": "system", "backend", "identity", "devices": count, "class"}, then for each question
/// {"event": "begin", "key"} and {"event": "answer", "key", "answer"}; or {"event": "error", "exit",
/// "where", "message", "next_step"}.
void probe_request(const json::object& request, EventSink& events);

struct ProbeOptions {
    std::optional<std::size_t> device; ///< index, 0 is the default device; nothing: all devices
    std::vector<std::pair<std::string, std::string>> environment; ///< of the workers, on top of ours
    std::vector<std::string> worker;                              ///< argv; empty: this executable
    std::chrono::milliseconds query_deadline{2000};
    std::chrono::milliseconds start_deadline{30000}; ///< loading Metal and finding the device
    std::function<void(std::size_t done, std::size_t total)> progress;
};

/// Asks every question of the catalogue. A question that raises, ends the worker or does not return in time
/// is recorded so and not asked again; the others are answered by a new worker. Fails when there is no
/// device, no Metal, or no working worker.
Result<Table> probe_devices(const ProbeOptions& options);

} // namespace assay
