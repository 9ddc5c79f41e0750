// A client that opens Metal when it runs, out of everybody else's sight.
#include "tests/clients/metal_client.h"

#include <cstdlib>
#include <dlfcn.h>

static id call(const char* name) {
    static void* library = ::dlopen(std::getenv("ASSAY_METAL_LIBRARY"), RTLD_NOW | RTLD_LOCAL);
    const auto function = library ? reinterpret_cast<id (*)()>(::dlsym(library, name)) : nullptr;
    return function ? function() : nullptr;
}

id create_default_device() { return call("MTLCreateSystemDefaultDevice"); }
id copy_all_devices() { return call("MTLCopyAllDevices"); }
