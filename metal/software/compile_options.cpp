// MTLCompileOptions: the class, which programs allocate themselves.
#include "metal/software/compile_options.h"
#include "metal/foundation.h"
#include "metal/software/class_builder.h"
#include "metal/software/reference.h"

namespace assay::software {

namespace {

using metal::Integer;
using metal::UInteger;

constexpr Integer kMathModeFast = 2;

struct Options {
    Reference macros = {};
    UInteger language_version = 0;
    bool fast_math = true;
};

/// The state; made at the first message, because programs create the object with alloc and init.
Options& options_of(id object) {
    auto*& options = boxed<Options>(object);
    if (!options)
        options = new Options;
    return *options;
}

} // namespace

void register_compile_options_class() {
    ClassBuilder("MTLCompileOptions", reinterpret_cast<Class>(metal::class_named("NSObject")))
        .boxes<Options>()
        .method(
            "preprocessorMacros", +[](id self, SEL) -> id { return options_of(self).macros.get(); })
        .method(
            "setPreprocessorMacros:",
            +[](id self, SEL, id macros) {
                const auto copy = metal::Object::adopt(metal::send<id>(macros, "copy"));
                options_of(self).macros = Reference(copy.get());
            })
        .method(
            "languageVersion", +[](id self, SEL) -> UInteger { return options_of(self).language_version; })
        .method(
            "setLanguageVersion:",
            +[](id self, SEL, UInteger version) { options_of(self).language_version = version; })
        .method(
            "fastMathEnabled", +[](id self, SEL) -> BOOL { return options_of(self).fast_math; })
        .method(
            "setFastMathEnabled:",
            +[](id self, SEL, BOOL enabled) { options_of(self).fast_math = enabled != 0; })
        .method(
            "mathMode",
            +[](id self, SEL) -> Integer { return options_of(self).fast_math ? kMathModeFast : 0; })
        .method(
            "setMathMode:",
            +[](id self, SEL, Integer mode) { options_of(self).fast_math = mode == kMathModeFast; })
        .finish();
}

msl::CompileOptions compile_options(id object) {
    msl::CompileOptions out;
    if (!object)
        return out;
    const Options& options = options_of(object);
    out.language_version = static_cast<std::uint32_t>(options.language_version);
    out.fast_math = options.fast_math;
    const id macros = options.macros.get();
    for (const id key : metal::elements(metal::send<id>(macros, "allKeys"))) {
        const id value = metal::send<id>(macros, "objectForKey:", key);
        out.macros[metal::to_string(key)] = metal::to_string(metal::send<id>(value, "description"));
    }
    return out;
}

} // namespace assay::software
