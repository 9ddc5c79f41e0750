// Strings, errors and arrays of Foundation.
#pragma once
#include "metal/runtime.h"
#include <string>
#include <string_view>
#include <vector>

namespace assay::metal {

/// UTF-8 text of an NSString; nil gives an empty string.
std::string to_string(id ns_string);

/// An autoreleased NSString; nil when `text` is not UTF-8.
id ns_string(std::string_view text);

/// What an NSError says: localizedDescription, else its description; "no error given" for nil.
std::string error_text(id ns_error);

/// The elements of an NSArray, not retained: the array must stay alive.
std::vector<id> elements(id ns_array);

} // namespace assay::metal
