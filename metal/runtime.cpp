// Sending Objective-C messages from plain C++, on Apple's runtime and on GCC's.
#include "metal/runtime.h"

#include <stdexcept>

/// In guard.m: reading an Objective-C exception is not possible from C++.
extern "C" int assay_metal_guard(void (*body)(void*), void* context, char* name, unsigned long name_size,
                                 char* reason, unsigned long reason_size);

namespace assay::metal {

bool responds_to(id object, const char* selector) {
    return object && class_respondsToSelector(object_getClass(object), sel_registerName(selector));
}

id class_named(const char* name) { return reinterpret_cast<id>(objc_getClass(name)); }

bool guarded(void (*body)(void*), void* context, Raised& raised) {
    char name[256] = "";
    char reason[4096] = "";
    if (assay_metal_guard(body, context, name, sizeof name, reason, sizeof reason) == 0)
        return true;
    raised = {name, reason};
    return false;
}

void throw_exception_from_error(const SendError& error, const boost::source_location&) {
    throw std::runtime_error("message not answered: " + error.detail);
}

Pool::Pool() : pool_(send<id>(send<id>(class_named("NSAutoreleasePool"), "alloc"), "init")) {}

Pool::~Pool() { send<void>(pool_, "drain"); }

} // namespace assay::metal
