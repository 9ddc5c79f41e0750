// The functions of the Objective-C runtime that the shim calls.
#include "shim/inject/objc_runtime.h"
#include "metal/encoding.h"
#include "shim/inject/symbols.h"

#include <dlfcn.h>

namespace assay::shim {

namespace {

#ifdef __APPLE__
constexpr const char* kLibrary = "/usr/lib/libobjc.A.dylib";
#else
// Named, because a client that opens Metal with RTLD_LOCAL hides the runtime from the global scope.
constexpr const char* kLibrary = "libobjc.so.4";
#endif

/// Fills `function` with the symbol `name`; false when there is none.
template <class F>
bool take(void* library, const char* name, F*& function) {
    function = reinterpret_cast<F*>(real_dlsym(library, name));
    return function != nullptr;
}

// object_getClass() is not among them: GCC's runtime has it as an inline function.
bool fill(ObjcRuntime& r) {
    void* loaded = ::dlopen(kLibrary, RTLD_LAZY | RTLD_NOLOAD);
    void* from = loaded ? loaded : RTLD_DEFAULT;
    return take(from, "class_getName", r.class_get_name) &&
           take(from, "class_getSuperclass", r.class_get_superclass) &&
           take(from, "class_getInstanceMethod", r.class_get_instance_method) &&
           take(from, "class_copyMethodList", r.class_copy_method_list) &&
           take(from, "class_addMethod", r.class_add_method) &&
           take(from, "method_getImplementation", r.method_get_implementation) &&
           take(from, "method_setImplementation", r.method_set_implementation) &&
           take(from, "method_getTypeEncoding", r.method_get_type_encoding) &&
           take(from, "sel_registerName", r.sel_register_name) &&
           take(from, "objc_lookUpClass", r.look_up_class);
}

} // namespace

const ObjcRuntime* ObjcRuntime::find() {
    static ObjcRuntime runtime;
    static const bool found = fill(runtime);
    return found ? &runtime : nullptr;
}

std::string ObjcRuntime::type_of(Method method) const {
    const char* encoding = method_get_type_encoding(method);
    return metal::normalised_encoding(encoding ? encoding : "");
}

} // namespace assay::shim
