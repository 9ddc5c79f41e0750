// A Metal library that does what the software device cannot: two device classes, methods of another type, no
// initGPUFamilySupport, answers that raise. FAKE_METAL says which.
#include "metal/encoding.h"
#include "metal/runtime.h"
#include "metal/software/class_builder.h"

#include <cstdlib>
#include <string_view>

using namespace assay::metal;
using assay::software::ClassBuilder;

namespace {

bool fakes(std::string_view what) {
    const char* asked = std::getenv("FAKE_METAL");
    return asked && what == asked;
}

BOOL family(id, SEL, Integer number) { return number <= 1005; }
BOOL own_family(id, SEL, Integer number) { return number <= 1006; }
UInteger family_of_another_type(id, SEL, Integer number) { return number <= 1005; }
UInteger memory(id, SEL) { return 32768; }
UInteger tier(id, SEL) { return 1; }
BOOL unified(id, SEL) { return 1; }

id make_device(const char* name, Class base, bool owns_family) {
    ClassBuilder builder(name, base);
    if (owns_family)
        builder.method("supportsFamily:", own_family);
    const auto made = reinterpret_cast<id>(builder.finish());
    return send<id>(send<id>(made, "alloc"), "init");
}

/// The superclass that both device classes inherit from.
Class make_base() {
    ClassBuilder builder("FakeDevice", reinterpret_cast<Class>(class_named("NSObject")));
    if (fakes("type"))
        builder.method("supportsFamily:", family_of_another_type);
    else
        builder.method("supportsFamily:", family);
    if (!fakes("missing"))
        builder.method("maxThreadgroupMemoryLength", memory);
    builder.method("readWriteTextureSupport", tier).method("hasUnifiedMemory", unified);
    return builder.finish();
}

struct Devices {
    Class base = make_base();
    id all[2] = {make_device("FirstDevice", base, false), make_device("SecondDevice", base, true)};
};

Devices& devices() {
    static Devices made;
    return made;
}

} // namespace

extern "C" {
__attribute__((visibility("default"))) id MTLCreateSystemDefaultDevice(void) {
    return send<id>(devices().all[0], "retain");
}
__attribute__((visibility("default"))) id MTLCopyAllDevices(void) {
    const id* all = devices().all;
    return send<id>(send<id>(class_named("NSArray"), "alloc"), "initWithObjects:count:", all, UInteger{2});
}
__attribute__((visibility("default"))) const char* assay_software_device(void) {
    return fakes("metal") ? nullptr : "{}";
}
}
