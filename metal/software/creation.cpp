// The device's creation methods: one line per class of objects.
#include "metal/software/creation.h"
#include "metal/software/blit_encoder.h"
#include "metal/software/buffer.h"
#include "metal/software/command_buffer.h"
#include "metal/software/command_queue.h"
#include "metal/software/compile_options.h"
#include "metal/software/compute_encoder.h"
#include "metal/software/constant_values.h"
#include "metal/software/library.h"
#include "metal/software/pipeline.h"
#include "metal/software/residency_set.h"
#include "metal/software/shared_event.h"

namespace assay::software {

bool creation_refused(id device, SEL selector, const char* feature) {
    const Faults& faults = device_of(device).faults;
    const char* name = sel_getName(selector);
    std::set<std::string> features;
    if (feature)
        features.insert(feature);
    const Occasion occasion{.device = device, .query = name, .selector = name, .features = &features};
    stop_here(faults, occasion);
    return faults.strikes(Effect::nil_without_error, occasion) != nullptr;
}

void register_object_classes() {
    register_buffer_class();
    register_library_classes();
    register_pipeline_class();
    register_command_queue_class();
    register_command_buffer_class();
    register_compute_encoder_class();
    register_blit_encoder_class();
    register_shared_event_class();
    register_residency_set_class();
}

void register_descriptor_classes() {
    register_compile_options_class();
    register_constant_values_class();
    register_residency_set_descriptor_class();
}

void add_creation_methods(ClassBuilder& builder, const Device& device) {
    add_buffer_creation(builder, device);
    add_library_creation(builder, device);
    add_pipeline_creation(builder, device);
    add_command_queue_creation(builder, device);
    add_shared_event_creation(builder, device);
    add_residency_set_creation(builder, device);
}

} // namespace assay::software
