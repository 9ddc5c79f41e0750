// Strings, errors and arrays of Foundation.
#include "metal/foundation.h"

namespace assay::metal {

std::string to_string(id ns_string) {
    const char* bytes = send<const char*>(ns_string, "UTF8String");
    return bytes ? bytes : "";
}

id ns_string(std::string_view text) {
    constexpr UInteger kUTF8 = 4; // NSUTF8StringEncoding
    const id string = send<id>(class_named("NSString"), "alloc");
    const id made = send<id>(string, "initWithBytes:length:encoding:", static_cast<const void*>(text.data()),
                             static_cast<UInteger>(text.size()), kUTF8);
    return send<id>(made, "autorelease");
}

std::string error_text(id ns_error) {
    if (!ns_error)
        return "no error given";
    for (const char* selector : {"localizedDescription", "description"}) {
        const auto text = try_send<id>(ns_error, selector);
        if (text && *text)
            return to_string(*text);
    }
    return "an error without a description";
}

std::vector<id> elements(id ns_array) {
    std::vector<id> out;
    const auto count = send<UInteger>(ns_array, "count");
    for (UInteger i = 0; i < count; ++i)
        out.push_back(send<id>(ns_array, "objectAtIndex:", i));
    return out;
}

} // namespace assay::metal
