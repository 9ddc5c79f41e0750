// How calls fail that do not return: exceptions, failed assertions, and calls that never come back.
#pragma once
#include <string>

namespace assay::software {

/// Raises an Objective-C exception.
[[noreturn]] void raise(const std::string& name, const std::string& reason);

/// Prints one line and aborts, as Metal's argument checks do: they cannot be caught.
[[noreturn]] void fail_assertion(const std::string& method, const std::string& message);

/// Never returns.
[[noreturn]] void hang();

} // namespace assay::software
