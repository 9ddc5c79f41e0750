// MTLFunctionConstantValues.
#pragma once
#include "metal/runtime.h"
#include "metal/software/msl/entry_source.h"
#include <vector>

namespace assay::software {

void register_constant_values_class();

/// The values that have been set; none for nil.
std::vector<msl::Constant> constant_values(id values);

} // namespace assay::software
