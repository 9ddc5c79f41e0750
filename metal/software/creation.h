// What the device's creation methods have in common.
#pragma once
#include "metal/software/class_builder.h"
#include "metal/software/device.h"

namespace assay::software {

/// Adds a creation method, unless the file says that its selector is absent or fails.
template <class R, class... A>
void add_creation(ClassBuilder& builder, const Device& device, const char* selector,
                  R (*function)(id, SEL, A...)) {
    const auto* answer = device.file.report(selector);
    if (!answer || answer->answered())
        builder.method(selector, function);
}

/// Lets faults that name the selector, or a feature that the call needs, strike. True: the method returns nil
/// and sets no error.
bool creation_refused(id device, SEL selector, const char* feature = nullptr);

/// Registers the classes of everything that a device makes.
void register_object_classes();
/// Registers the public classes that programs allocate themselves.
void register_descriptor_classes();
/// Adds all creation methods.
void add_creation_methods(ClassBuilder& builder, const Device& device);

} // namespace assay::software
