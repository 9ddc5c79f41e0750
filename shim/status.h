// What the injected library did in a process (schema assay.status/1).
#pragma once
#include "base/error.h"
#include <optional>
#include <string>
#include <vector>

namespace assay {

/// One device class whose answers were changed.
struct StatusDevice {
    std::string device_class;
    std::vector<std::string> applied; ///< query keys
};

struct Status {
    bool active = false;
    std::string reason; ///< identifier of the refusal (shim/refusal.h); empty when active or undecided
    std::string detail; ///< a sentence; empty when active
    long pid = 0;
    std::string profile;       ///< its path
    std::string install_point; ///< "init" or "creation"; empty before a device was created
    std::vector<StatusDevice> devices;
    std::vector<std::string> consulted; ///< overrides whose answer was asked for, as of the program's end

    /// Loaded, nothing wrong, but no device was created so far.
    bool waiting() const { return !active && reason == "no-device"; }
};

/// Reads a status file, with all its problems reported together.
Result<Status> read_status(const std::string& path);
Result<Status> parse_status(const std::string& text, const std::string& file);

std::string status_text(const Status& status);
/// Writes it atomically.
Result<void> write_status(const Status& status, const std::string& path);

} // namespace assay
