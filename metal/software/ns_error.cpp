// Making NSError objects.
#include "metal/software/ns_error.h"
#include "metal/foundation.h"

/// Foundation's constant: its text differs between Apple's Foundation and GNUstep.
extern "C" id NSLocalizedDescriptionKey;

namespace assay::software {

using namespace metal;

id make_error(const char* domain, Integer code, const std::string& description) {
    const id info =
        send<id>(class_named("NSDictionary"), "dictionaryWithObject:forKey:", ns_string(description),
                 NSLocalizedDescriptionKey);
    return send<id>(class_named("NSError"), "errorWithDomain:code:userInfo:", ns_string(domain), code, info);
}

id fail(id* out, const char* domain, Integer code, const std::string& description) {
    if (out)
        *out = make_error(domain, code, description);
    return nullptr;
}

} // namespace assay::software
