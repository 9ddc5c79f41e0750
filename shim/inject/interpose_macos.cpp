// macOS: dyld replaces the creation functions, for every image but this one.
#include "shim/inject/creation.h"
#include "shim/inject/symbols.h"

#include <dlfcn.h>

extern "C" id MTLCreateSystemDefaultDevice(void);
extern "C" id MTLCopyAllDevices(void);

namespace {

using namespace assay::shim;

// Calls from this image are not interposed, so these do not call themselves.
id create_default() {
    const auto* stock = reinterpret_cast<const void*>(&MTLCreateSystemDefaultDevice);
    before_creation(stock);
    const id device = MTLCreateSystemDefaultDevice();
    after_creation(device, stock);
    return device;
}

id copy_all() {
    const auto* stock = reinterpret_cast<const void*>(&MTLCopyAllDevices);
    before_creation(stock);
    const id devices = MTLCopyAllDevices();
    after_creation_of_all(devices, stock);
    return devices;
}

struct Interpose {
    const void* replacement;
    const void* original;
};
__attribute__((used, section("__DATA,__interpose"))) const Interpose kInterposed[] = {
    {reinterpret_cast<const void*>(&create_default),
     reinterpret_cast<const void*>(&MTLCreateSystemDefaultDevice)},
    {reinterpret_cast<const void*>(&copy_all), reinterpret_cast<const void*>(&MTLCopyAllDevices)},
};

} // namespace

namespace assay::shim {

void* real_dlsym(void* library, const char* name) noexcept { return ::dlsym(library, name); }

void* symbol_beside(const void* address, const char* name) noexcept {
    Dl_info info{};
    if (!address || ::dladdr(address, &info) == 0 || !info.dli_fname)
        return nullptr;
    void* library = ::dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    return library ? ::dlsym(library, name) : nullptr;
}

} // namespace assay::shim
