// Building Objective-C classes at run time: the calls into GCC's runtime.
#include "metal/software/class_builder.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>

// GCC's runtime tells selectors of one name and different types apart; Foundation's forwarding reads the
// types.
extern "C" SEL sel_registerTypedName(const char* name, const char* types);

namespace assay::software {

namespace {
constexpr const char* kBoxName = "assay_box";
} // namespace

ClassBuilder::ClassBuilder(const char* name, Class superclass)
    : class_(objc_allocateClassPair(superclass, name, 0)) {
    if (class_)
        return;
    std::fprintf(stderr, "metal-assay: cannot build the Objective-C class %s: the name is taken\n", name);
    std::abort();
}

void ClassBuilder::add(Class target, const char* selector, void (*function)(), const std::string& encoding) {
    const SEL typed = sel_registerTypedName(selector, encoding.c_str());
    class_addMethod(target, typed, reinterpret_cast<IMP>(function), encoding.c_str());
}

void ClassBuilder::add_box() {
    constexpr std::uint8_t kAlignmentLog2 = 3;
    class_addIvar(class_, kBoxName, sizeof(void*), kAlignmentLog2, "^v");
}

Class ClassBuilder::finish() {
    objc_registerClassPair(class_);
    if (offset_)
        *offset_ = ivar_getOffset(class_getInstanceVariable(class_, kBoxName));
    return class_;
}

void super_dealloc(id object, SEL selector, Class owner) {
    metal::call<void>(class_getMethodImplementation(class_getSuperclass(owner), selector), object, selector);
}

} // namespace assay::software
