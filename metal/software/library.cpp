// MTLLibrary and MTLFunction: from source to functions.
#include "metal/software/library.h"
#include "metal/foundation.h"
#include "metal/software/compile_options.h"
#include "metal/software/constant_values.h"
#include "metal/software/creation.h"
#include "metal/software/kernel_execution.h"
#include "metal/software/ns_error.h"

#include <algorithm>

namespace assay::software {

namespace {

using metal::UInteger;

constexpr const char* kCompilerDied =
    "Compiler encountered XPC_ERROR_CONNECTION_INTERRUPTED (is the OS shutting "
    "down?)";
constexpr UInteger kFunctionTypeKernel = 3;

id new_library(id self, SEL selector, id source, id options, id* error) {
    if (creation_refused(self, selector))
        return nullptr;
    const Faults& faults = device_of(self).faults;
    if (faults.strikes(Effect::compiler_dies, {.device = self}))
        return fail(error, kLibraryErrorDomain, kLibraryInternal, kCompilerDied);
    auto library = msl::Library::make(metal::to_string(source), compile_options(options), kernel_runtime());
    if (!library) {
        const bool users = library.error().kind == ErrorKind::bad_input;
        return fail(error, kLibraryErrorDomain, users ? kLibraryCompileFailure : kLibraryInternal,
                    users ? library.error().message : library.error().text());
    }
    if (error && !(*library)->warnings().empty())
        *error = make_error(kLibraryErrorDomain, kLibraryCompileWarning, (*library)->warnings());
    const bool empty = faults.strikes(Effect::empty_library, {.device = self}) != nullptr;
    return make<LibraryBox>(self, std::move(*library), empty);
}

const msl::EntryPoint* find(const LibraryBox& box, const std::string& name) {
    return box.empty ? nullptr : box.library->find(name);
}

id new_function(id self, SEL, id name) {
    const LibraryBox& box = *boxed<LibraryBox>(self);
    const auto function = metal::to_string(name);
    if (!find(box, function))
        return nullptr;
    return make<FunctionBox>(box.device, box.library, function);
}

id new_specialised_function(id self, SEL, id name, id values, id* error) {
    const LibraryBox& box = *boxed<LibraryBox>(self);
    const auto function = metal::to_string(name);
    if (!find(box, function))
        return fail(error, kLibraryErrorDomain, kLibraryFunctionNotFound,
                    "Function " + function + " was not found in the library");
    return make<FunctionBox>(box.device, box.library, function, constant_values(values));
}

id function_names(id self, SEL) {
    const LibraryBox& box = *boxed<LibraryBox>(self);
    const id names = metal::send<id>(metal::class_named("NSMutableArray"), "array");
    if (!box.empty)
        for (const auto& name : box.library->function_names())
            metal::send<void>(names, "addObject:", metal::ns_string(name));
    return names;
}

} // namespace

void register_library_classes() {
    const auto object = reinterpret_cast<Class>(metal::class_named("NSObject"));
    ClassBuilder("AssayLibrary", object)
        .boxes<LibraryBox>()
        .method("newFunctionWithName:", new_function)
        .method("newFunctionWithName:constantValues:error:", new_specialised_function)
        .method("functionNames", function_names)
        .method(
            "device", +[](id self, SEL) -> id { return boxed<LibraryBox>(self)->device; })
        .method(
            "label", +[](id self, SEL) -> id { return boxed<LibraryBox>(self)->label.get(); })
        .method(
            "setLabel:", +[](id self, SEL, id label) { boxed<LibraryBox>(self)->label = Reference(label); })
        .finish();
    ClassBuilder("AssayFunction", object)
        .boxes<FunctionBox>()
        .method(
            "name", +[](id self, SEL) -> id { return metal::ns_string(boxed<FunctionBox>(self)->name); })
        .method(
            "functionType", +[](id, SEL) -> UInteger { return kFunctionTypeKernel; })
        .method(
            "device", +[](id self, SEL) -> id { return boxed<FunctionBox>(self)->device; })
        .method(
            "label", +[](id self, SEL) -> id { return boxed<FunctionBox>(self)->label.get(); })
        .method(
            "setLabel:", +[](id self, SEL, id label) { boxed<FunctionBox>(self)->label = Reference(label); })
        .finish();
}

void add_library_creation(ClassBuilder& builder, const Device& device) {
    add_creation(builder, device, "newLibraryWithSource:options:error:", new_library);
}

} // namespace assay::software
