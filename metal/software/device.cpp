// The Metal device: its classes and its creation.
#include "metal/software/device.h"
#include "metal/foundation.h"
#include "metal/software/class_builder.h"
#include "metal/software/creation.h"
#include "metal/software/device_queries.h"
#include "metal/software/failure.h"

#include <cstdio>
#include <cstdlib>

namespace assay::software {

namespace {

using metal::Integer;

Class named_class(const std::string& name) {
    return reinterpret_cast<Class>(metal::class_named(name.c_str()));
}

void build_family_list(Device& device) { device.families = device.file.families(); }

/// The class of the device, under _MTLDevice by way of the file's superclass; null when a name is taken.
Class register_device_class(const Device& device) {
    const auto& file = device.file;
    Class superclass = named_class(file.superclass_name);
    if (named_class(file.class_name))
        return nullptr;
    if (!superclass)
        superclass = ClassBuilder(file.superclass_name.c_str(), named_class("_MTLDevice")).finish();
    ClassBuilder builder(file.class_name.c_str(), superclass);
    if (superclass == named_class("NSObject"))
        builder.boxes<Device>().method("supportsFamily:", supports_family);
    add_creation_methods(builder, device);
    add_query_methods(builder, device);
    return builder.finish();
}

id create_device(Device* state) {
    const Class concrete = register_device_class(*state);
    if (!concrete) {
        std::fprintf(stderr, "metal-assay: %s: /class: there already is a class called %s\n",
                     state->file.name.c_str(), state->file.class_name.c_str());
        return nullptr;
    }
    const id device = metal::send<id>(reinterpret_cast<id>(concrete), "alloc");
    boxed<Device>(device) = state;
    fill_answers(*state);
    metal::send<id>(device, "init");
    if (metal::responds_to(device, "initGPUFamilySupport"))
        metal::send<void>(device, "initGPUFamilySupport");
    else
        build_family_list(*state);
    derive_answers(device);
    if (metal::responds_to(device, "maxBufferLength"))
        state->cached_max_buffer_length = metal::send<metal::UInteger>(device, "maxBufferLength");
    state->cached_max_threads = metal::send<metal::Size>(device, "maxThreadsPerThreadgroup").width;
    return device;
}

id load_device() {
    const metal::Pool pool;
    const auto& file = device_file();
    if (!file) {
        std::fprintf(stderr, "metal-assay: no Metal device: %s\n", file.error().text().c_str());
        return nullptr;
    }
    // Immortal, like the device of a process.
    auto* state = new Device(*file);
    if (state->faults.strikes(Effect::no_device, {}))
        return nullptr;
    if (state->faults.strikes(Effect::hang_at_exit, {}))
        std::atexit(hang);
    register_answer_classes();
    register_object_classes();
    return create_device(state);
}

} // namespace

Device::Device(DeviceFile device_file) : file(std::move(device_file)), faults(file.faults) {}

Device& device_of(id device) { return *boxed<Device>(device); }

void register_device_base() {
    ClassBuilder("_MTLDevice", named_class("NSObject"))
        .boxes<Device>()
        .method(
            "initGPUFamilySupport", +[](id self, SEL) { build_family_list(device_of(self)); })
        .method("supportsFamily:", supports_family)
        .finish();
}

const Result<DeviceFile>& device_file() {
    static const auto file = load_device_file();
    return file;
}

id shared_device() {
    static const id device = load_device();
    return device;
}

} // namespace assay::software
