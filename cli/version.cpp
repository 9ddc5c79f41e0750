// What `assay --version` prints. The build supplies the parts, see cli/CMakeLists.txt.
#include "cli/version.h"

namespace assay::cli {

const char* const kVersionText = ASSAY_VERSION " (" ASSAY_COMMIT ", " ASSAY_PLATFORM ")";

} // namespace assay::cli
