// Test helper: runs code that may raise, abort or hang against libMetal.so in a child process.
#pragma once
#include "metal/runtime.h"
#include <functional>
#include <string>

namespace assay::software {

/// How a child ended and what it said.
struct ChildOutcome {
    int exit_code = -1; ///< -1: killed by `signal`
    int signal = 0;
    bool timed_out = false;
    std::string said;   ///< what the body returned
    std::string errors; ///< its standard error
};

/// Forks, sets ASSAY_DEVICE to `device`, loads libMetal.so with its classes and runs `body`, whose text comes
/// back. The calling process must not have loaded libMetal.so. `seconds` is for children that are expected to
/// hang.
ChildOutcome in_child(const std::string& device, const std::function<std::string()>& body, int seconds = 120);

/// MTLCreateSystemDefaultDevice() in the child.
id child_device();
/// Any function of libMetal.so in the child.
void* child_symbol(const char* name);

} // namespace assay::software
