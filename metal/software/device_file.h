// Device files (assay.device/1): what a software device reports, what it executes, and its faults.
#pragma once
#include "base/error.h"
#include "metal/software/answer.h"
#include "metal/software/faults.h"
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace assay::software {

/// What execution really allows, whatever is reported.
struct ExecutionLimits {
    std::uint64_t max_threadgroup_memory = 32768;     ///< bytes per threadgroup
    std::uint64_t max_threads_per_threadgroup = 1024; ///< threads per threadgroup
};

/// One device file, checked.
struct DeviceFile {
    std::string text; ///< the file's bytes
    std::string name;
    std::string class_name;                             ///< Objective-C class of the device
    std::string superclass_name;                        ///< "_MTLDevice", "NSObject" or a class in between
    std::map<std::string, Answer, std::less<>> reports; ///< by query key
    std::set<std::string> features;                     ///< ids that execute correctly
    ExecutionLimits limits;
    std::vector<Fault> faults;

    /// The reported answer; null when the file does not record the key.
    const Answer* report(std::string_view key) const;
    /// The families that supportsFamily: answers YES to, ascending.
    std::vector<metal::Integer> families() const;
};

/// Reads a device file. An error lists every problem with its JSON pointer. The answers that creating a
/// device needs (name, maxThreadsPerThreadgroup, maxThreadgroupMemoryLength) are required.
Result<DeviceFile> read_device_file(std::string_view text, const std::string& file);

/// Names of the device files that are compiled in, the default first.
std::vector<std::string_view> shipped_device_names();
/// The text of a shipped device file; empty for an unknown name.
std::string_view shipped_device(std::string_view name);

/// The device that ASSAY_DEVICE names (a path or a shipped name), or the default.
Result<DeviceFile> load_device_file();

} // namespace assay::software
