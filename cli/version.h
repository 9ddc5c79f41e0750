// What `assay --version` prints.
#pragma once

namespace assay::cli {

/// Version, commit and platform: "0.1.0 (1a2b3c4d5e6f, macOS arm64)".
extern const char* const kVersionText;

} // namespace assay::cli
