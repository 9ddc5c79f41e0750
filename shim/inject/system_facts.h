// What a profile's pins are compared with.
#pragma once
#include <objc/runtime.h>
#include <string>

namespace assay::shim {

struct SystemFacts {
    std::string backend; ///< "software" or "metal"
    std::string os_build;
    std::string chip;
    std::string metal_uuid;
    std::string driver_uuid;
};

/// `metal_function` is any function of the Metal library in use. An unknown fact is empty.
SystemFacts read_system_facts(const void* metal_function, Class device_class);

/// The same of a Metal that is not the software device. Implemented once per system: native_facts_linux.cpp,
/// native_facts_macos.cpp.
SystemFacts native_facts(const void* metal_function, Class device_class);

} // namespace assay::shim
