// The C functions of Metal, and what happens when the library is loaded.
#include "metal/software/creation.h"
#include "metal/software/device.h"

#define ASSAY_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

/// Programs name Metal's classes before they create a device, and injected libraries look for _MTLDevice.
__attribute__((constructor)) void register_classes() {
    assay::software::register_device_base();
    assay::software::register_descriptor_classes();
}

} // namespace

// What compiled Objective-C code refers to, under GCC's ABI, for each class that it names.
#define ASSAY_CLASS_NAME(name)                                                                               \
    ASSAY_EXPORT char __objc_class_name_##name;                                                              \
    char __objc_class_name_##name = 0
ASSAY_CLASS_NAME(MTLCompileOptions);
ASSAY_CLASS_NAME(MTLFunctionConstantValues);
ASSAY_CLASS_NAME(MTLResidencySetDescriptor);

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
    const auto& file = assay::software::device_file();
    return file ? file->text.c_str() : nullptr;
}
