// MTLCompileOptions.
#pragma once
#include "metal/runtime.h"
#include "metal/software/msl/library.h"

namespace assay::software {

void register_compile_options_class();

/// What an MTLCompileOptions says; the defaults for nil.
msl::CompileOptions compile_options(id options);

} // namespace assay::software
