// The C++ text that makes one kernel, with its function constants, a function the runtime can call.
#pragma once
#include "base/error.h"
#include "metal/software/msl/rewriter.h"
#include <string>
#include <vector>

namespace assay::msl {

/// A function constant's value, by index or, when `name` is not empty, by name.
struct Constant {
    std::uint32_t index = 0;
    std::string name;
    std::string type;    ///< Metal's name: "bool", "float", "half4", …
    std::string literal; ///< a C++ expression of that type, e.g. "true", "1.5f", "half4(1, 2, 3, 4)"
};

/// The text for `entry`. Constants without a value are zero and not defined for
/// is_function_constant_defined(). A parameter that cannot be passed on this device, and a value for which
/// the types differ, is bad_input.
Result<std::string> entry_source(const Rewritten& source, const EntryPoint& entry,
                                 const std::vector<Constant>& constants);

} // namespace assay::msl
