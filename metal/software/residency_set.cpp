// MTLResidencySet: a set of allocations with pending and committed members.
#include "metal/software/residency_set.h"
#include "metal/foundation.h"
#include "metal/software/creation.h"
#include "metal/software/ns_error.h"
#include "metal/software/reference.h"

#include <map>

namespace assay::software {

namespace {

using metal::Integer;
using metal::UInteger;

/// MTLDeviceErrorNotSupported.
constexpr Integer kNotSupported = 1;

struct Descriptor {
    Reference label = {};
    UInteger initial_capacity = 0;
};

Descriptor& descriptor_of(id object) {
    auto*& descriptor = boxed<Descriptor>(object);
    if (!descriptor)
        descriptor = new Descriptor;
    return *descriptor;
}

struct ResidencySet {
    id device;
    Reference label;
    std::map<id, Reference> pending = {};
    std::map<id, Reference> committed = {};
};

ResidencySet& set_of(id object) { return *boxed<ResidencySet>(object); }

id new_residency_set(id self, SEL selector, id descriptor, id* error) {
    if (creation_refused(self, selector, "residency_sets"))
        return nullptr;
    if (!device_of(self).executes("residency_sets"))
        return fail(error, kDeviceErrorDomain, kNotSupported,
                    "Residency sets are not supported on this device");
    return make<ResidencySet>(self, descriptor ? descriptor_of(descriptor).label : Reference());
}

id all_allocations(id self, SEL) {
    const id array = metal::send<id>(metal::class_named("NSMutableArray"), "array");
    for (const auto& [object, reference] : set_of(self).pending)
        metal::send<void>(array, "addObject:", object);
    return array;
}

UInteger allocated_size(id self, SEL) {
    UInteger total = 0;
    for (const auto& [object, reference] : set_of(self).committed)
        total += metal::send<UInteger>(object, "allocatedSize");
    return total;
}

} // namespace

void register_residency_set_descriptor_class() {
    ClassBuilder("MTLResidencySetDescriptor", reinterpret_cast<Class>(metal::class_named("NSObject")))
        .boxes<Descriptor>()
        .method(
            "label", +[](id self, SEL) -> id { return descriptor_of(self).label.get(); })
        .method(
            "setLabel:", +[](id self, SEL, id label) { descriptor_of(self).label = Reference(label); })
        .method(
            "initialCapacity", +[](id self, SEL) -> UInteger { return descriptor_of(self).initial_capacity; })
        .method(
            "setInitialCapacity:",
            +[](id self, SEL, UInteger capacity) { descriptor_of(self).initial_capacity = capacity; })
        .finish();
}

void register_residency_set_class() {
    ClassBuilder("AssayResidencySet", reinterpret_cast<Class>(metal::class_named("NSObject")))
        .boxes<ResidencySet>()
        .method(
            "addAllocation:",
            +[](id self, SEL, id allocation) {
                set_of(self).pending.emplace(allocation, Reference(allocation));
            })
        .method(
            "addAllocations:count:",
            +[](id self, SEL, const id* allocations, UInteger count) {
                for (UInteger i = 0; i < count; ++i)
                    set_of(self).pending.emplace(allocations[i], Reference(allocations[i]));
            })
        .method(
            "removeAllocation:", +[](id self, SEL, id allocation) { set_of(self).pending.erase(allocation); })
        .method(
            "removeAllAllocations", +[](id self, SEL) { set_of(self).pending.clear(); })
        .method(
            "containsAllocation:",
            +[](id self, SEL, id allocation) -> BOOL { return set_of(self).pending.contains(allocation); })
        .method(
            "allocationCount", +[](id self, SEL) -> UInteger { return set_of(self).pending.size(); })
        .method("allAllocations", all_allocations)
        .method("allocatedSize", allocated_size)
        .method(
            "commit", +[](id self, SEL) { set_of(self).committed = set_of(self).pending; })
        .method(
            "requestResidency", +[](id, SEL) {})
        .method(
            "endResidency", +[](id, SEL) {})
        .method(
            "device", +[](id self, SEL) -> id { return set_of(self).device; })
        .method(
            "label", +[](id self, SEL) -> id { return set_of(self).label.get(); })
        .finish();
}

void add_residency_set_creation(ClassBuilder& builder, const Device& device) {
    add_creation(builder, device, "newResidencySetWithDescriptor:error:", new_residency_set);
}

} // namespace assay::software
