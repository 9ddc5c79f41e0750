// Asking one question of one Metal device, in this process.
#pragma once
#include "metal/runtime.h"
#include "probe/catalogue.h"
#include "probe/table.h"

namespace assay {

/// Asks `question` of `device`. A missing selector or a nil object on the way is `absent`, an exception is
/// `raised`; a method whose type differs from the catalogue's is not called but `not_asked`, with both types
/// in the detail. What aborts or hangs takes this process with it: call it in a worker.
Answer ask(id device, const Question& question);

} // namespace assay
