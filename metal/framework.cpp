// The Metal library of this process: Apple's framework or the software device.
#include "metal/framework.h"
#include "base/platform.h"
#include "metal/foundation.h"

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>

namespace assay::metal {

namespace {

std::string library_path() {
    if (const char* path = std::getenv("ASSAY_METAL_LIBRARY"); path && *path)
        return path;
#ifdef __APPLE__
    return "/System/Library/Frameworks/Metal.framework/Metal";
#else
    const auto bin = std::filesystem::path(executable_path()).parent_path();
    return (bin.parent_path() / "lib" / library_file_name("Metal")).string();
#endif
}

template <class F>
F symbol(void* library, const char* name) {
    return reinterpret_cast<F>(::dlsym(library, name));
}

} // namespace

std::string backend_name(Backend backend) { return backend == Backend::software ? "software" : "metal"; }

Result<const Framework*> Framework::load() {
    static const Result<Framework> loaded = []() -> Result<Framework> {
        const auto path = library_path();
        void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
        if (!library) {
            const char* reason = ::dlerror();
            return environment_error(
                path, std::string("cannot load Metal: ") + (reason ? reason : "unknown reason"),
                "set ASSAY_METAL_LIBRARY, or run assay from where it was built or installed");
        }
        Framework framework;
        framework.create_default_ = symbol<id (*)()>(library, "MTLCreateSystemDefaultDevice");
        framework.copy_all_ = symbol<id (*)()>(library, "MTLCopyAllDevices");
        framework.software_device_ = symbol<const char* (*)()>(library, "assay_software_device");
        if (!framework.create_default_ || !framework.copy_all_)
            return environment_error(path, "is not a Metal library: MTLCreateSystemDefaultDevice or "
                                           "MTLCopyAllDevices is missing");
        return framework;
    }();
    if (!loaded)
        return loaded.error();
    return &*loaded;
}

Object Framework::default_device() const { return Object::adopt(create_default_()); }

std::vector<Object> Framework::all_devices() const {
    const auto array = Object::adopt(copy_all_());
    std::vector<Object> devices;
    for (const id device : elements(array.get()))
        devices.push_back(Object::retain(device));
    return devices;
}

std::string Framework::software_device() const {
    const char* text = software_device_ ? software_device_() : nullptr;
    return text ? text : "";
}

} // namespace assay::metal
