// The functions of the Objective-C runtime that the shim calls, found when the first device is created.
//
// The library is loaded into every program of a session's process tree; most of them know no Objective-C, and
// linking its runtime would load it into all of them.
#pragma once
#include <objc/runtime.h>
#include <string>

namespace assay::shim {

struct ObjcRuntime {
    const char* (*class_get_name)(Class);
    Class (*class_get_superclass)(Class);
    Method (*class_get_instance_method)(Class, SEL);
    Method* (*class_copy_method_list)(Class, unsigned*);
    BOOL (*class_add_method)(Class, SEL, IMP, const char*);
    IMP (*method_get_implementation)(Method);
    IMP (*method_set_implementation)(Method, IMP);
    const char* (*method_get_type_encoding)(Method);
    SEL (*sel_register_name)(const char*);
    id (*look_up_class)(const char*);

    /// Looked up once; null when this process has no Objective-C runtime.
    static const ObjcRuntime* find();

    /// The method a message to an instance of `owner` would run, or null.
    Method method(Class owner, const char* selector) const {
        return class_get_instance_method(owner, sel_register_name(selector));
    }
    /// Normalised (metal/encoding.h).
    std::string type_of(Method method) const;
};

/// Calls an implementation as R(id, SEL, A...). The caller has compared the method's type.
template <class R, class... A>
R call_as(IMP implementation, id object, SEL selector, A... arguments) {
    using Function = R (*)(id, SEL, A...);
    return reinterpret_cast<Function>(reinterpret_cast<void (*)()>(implementation))(object, selector,
                                                                                    arguments...);
}

/// A function of this library as a method implementation.
template <class F>
IMP as_implementation(F* function) {
    return reinterpret_cast<IMP>(reinterpret_cast<void (*)()>(function));
}

} // namespace assay::shim
