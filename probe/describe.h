// Answers in words, for people.
#pragma once
#include "probe/catalogue.h"
#include "probe/table.h"
#include <string>

namespace assay {

/// "yes", "32768 (32 KiB)", "1 (Tier2)", "1024 x 1024 x 1024", "raised", "about 11453.25 MB"; `query` may be
/// null.
std::string describe(const Answer& answer, const Query* query);

/// A quantity of bytes in binary units where it is whole or has at most two decimals: "32 KiB"; else empty.
std::string binary_size(std::uint64_t bytes);

} // namespace assay
