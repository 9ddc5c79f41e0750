// The C functions of Metal, and what happens when the library is loaded.
#include "metal/software/device.h"
#include "metal/software/device_file.h"

#include <string>

#define ASSAY_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

/// Programs name Metal's classes before they create a device, and injected libraries look for _MTLDevice.
__attribute__((constructor)) void register_classes() { assay::software::register_device_base(); }

} // namespace

ASSAY_EXPORT id MTLCreateSystemDefaultDevice(void) {
    return assay::metal::send<id>(assay::software::shared_device(), "retain");
}

ASSAY_EXPORT id MTLCopyAllDevices(void) {
    const id device = assay::software::shared_device();
    const id array = assay::metal::send<id>(assay::metal::class_named("NSArray"), "alloc");
    return assay::metal::send<id>(array, "initWithObjects:count:", &device,
                                  assay::metal::UInteger(device ? 1 : 0));
}

/// The text of the device file in use; null when there is none. What makes a Metal library the software one.
ASSAY_EXPORT const char* assay_software_device(void) {
    static const auto text = []() -> std::string {
        const auto file = assay::software::load_device_file();
        return file ? file->text : std::string();
    }();
    return text.empty() ? nullptr : text.c_str();
}
