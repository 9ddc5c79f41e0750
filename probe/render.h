// A capability table for eyes.
#pragma once
#include "probe/table.h"
#include <string>

namespace assay {

/// The system and every answer, grouped as the catalogue groups them, in aligned columns. Says once when the
/// device is simulated, and marks what was not asked of a device.
std::string table_text(const Table& table);

/// The system's facts as label and text: "os" "macOS 26.5.2 (25F84)", ... The text of an unrecorded one is
/// empty.
std::vector<std::pair<std::string, std::string>> identity_facts(const Identity& identity);

} // namespace assay
