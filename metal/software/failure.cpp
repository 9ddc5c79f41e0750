// How calls fail that do not return: exceptions, failed assertions, and calls that never come back.
#include "metal/software/failure.h"
#include "metal/foundation.h"

#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace assay::software {

void raise(const std::string& name, const std::string& reason) {
    const id exception = metal::send<id>(metal::class_named("NSException"),
                                         "exceptionWithName:reason:userInfo:", metal::ns_string(name),
                                         metal::ns_string(reason), id(nullptr));
    metal::send<void>(exception, "raise");
    std::abort(); // -raise does not return
}

void fail_assertion(const std::string& method, const std::string& message) {
    std::fprintf(stderr, "%s: failed assertion `%s'\n", method.c_str(), message.c_str());
    std::abort();
}

void hang() {
    for (;;)
        ::pause();
}

} // namespace assay::software
