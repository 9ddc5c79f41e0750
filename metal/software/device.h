// The Metal device: one Objective-C object that answers from a device file.
#pragma once
#include "metal/software/device_file.h"
#include "metal/software/queries.h"
#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

namespace assay::software {

/// One query's method looks here for its answer.
struct AnswerSlot {
    std::uint64_t number = 0;
    metal::Size size;
    id object = nullptr;   ///< immortal: strings, the architecture, counter sets
    bool troubled = false; ///< the reported status or a fault must be looked at first
};

/// What the device object holds.
struct Device {
    explicit Device(DeviceFile device_file);

    DeviceFile file;
    Faults faults;
    std::array<AnswerSlot, kQueryCount> answers;
    std::vector<metal::Integer> families;          ///< what initGPUFamilySupport built, ascending
    std::vector<metal::Integer> troubled_families; ///< numbers whose query raises, aborts or hangs
    std::atomic<std::uint64_t> allocated{0};       ///< bytes of live buffers

    /// Limits that the framework asks its device for once, at creation.
    std::uint64_t cached_max_buffer_length = 0;
    std::uint64_t cached_max_threads = 0;

    bool executes(const std::string& feature) const { return file.features.contains(feature); }
};

/// The state behind a device object.
Device& device_of(id device);

/// Registers _MTLDevice, which exists before any device does.
void register_device_base();

/// The device file of this process, read once.
const Result<DeviceFile>& device_file();

/// The process's device: created on first use; nil, after one line on standard error, when the device file is
/// bad, and nil in silence when the file says that there is no device.
id shared_device();

} // namespace assay::software
