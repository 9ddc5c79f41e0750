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

/// The reason in the status of a process that is ready and has created no device so far.
inline constexpr const char* kNoDevice = "no-device";

struct Status {
    bool active = false;
    std::string reason; ///< identifier of the refusal (shim/refusal.h); empty when active
    std::string detail; ///< a sentence; empty when active
    long pid = 0;
    std::string profile;       ///< its path
    std::string install_point; ///< "init" or "creation"; empty before a device was created
    std::vector<StatusDevice> devices;
    std::vector<std::string> consulted; ///< overrides whose answer was asked for, as of the program's end

    /// Loaded, nothing wrong, but no device was created so far.
    bool waiting() const { return !active && reason == kNoDevice; }
};

/// Reads a status file, with all its problems reported together.
Result<Status> read_status(const std::string& path);
Result<Status> parse_status(const std::string& text, const std::string& file);

std::string status_text(const Status& status);
/// Writes it so that readers see the old status or the new one. It is not forced onto the medium: that would
/// cost the program more than everything else the shim does.
Result<void> write_status(const Status& status, const std::string& path);

} // namespace assay
