// What happens around the creation of a device.
#include "shim/inject/creation.h"
#include "shim/inject/installer.h"

#include <atomic>

namespace assay::shim {

namespace {

constexpr const char* kInitSelector = "initGPUFamilySupport";

/// What the hook of initGPUFamilySupport needs. Written once, before the hook is installed.
std::atomic<IMP> g_stock_init{nullptr};
std::atomic<const void*> g_metal_function{nullptr};

Installer& installer(const ObjcRuntime& runtime) {
    static auto* made = new Installer(Session::get(), runtime);
    return *made;
}

/// Runs `use` under the session's lock; whatever goes wrong in it leaves the program alone.
template <class F>
void guarded(F use) noexcept {
    Session& session = Session::get();
    const std::lock_guard lock(session.lock());
    if (!session.willing())
        return;
    try {
        const auto* runtime = ObjcRuntime::find();
        if (runtime)
            use(session, *runtime);
    } catch (const std::exception& error) {
        session.refuse({refusal::kRolledBack, error.what()});
    } catch (...) {
        session.refuse({refusal::kRolledBack, "an Objective-C exception"});
    }
}

/// A device without a runtime that we know how to talk to.
void refuse_without_runtime() noexcept {
    Session& session = Session::get();
    const std::lock_guard lock(session.lock());
    static bool said = false;
    if (!session.willing() || said || ObjcRuntime::find())
        return;
    said = true;
    session.refuse({refusal::kNoRuntime, "no Objective-C runtime is loaded that this library knows"});
}

void init_hook(id self, SEL selector) {
    call_as<void>(g_stock_init.load(std::memory_order_acquire), self, selector);
    guarded([self](Session&, const ObjcRuntime& runtime) {
        installer(runtime).device(self, InstallPoint::init, g_metal_function.load(std::memory_order_acquire));
    });
}

} // namespace

void before_creation(const void* metal_function) noexcept {
    if (!metal_function)
        return;
    guarded([metal_function](Session& session, const ObjcRuntime& runtime) {
        if (g_stock_init.load(std::memory_order_relaxed) || !session.allows(InstallPoint::init))
            return;
        const auto base = reinterpret_cast<Class>(runtime.look_up_class("_MTLDevice"));
        const Method method = base ? runtime.method(base, kInitSelector) : nullptr;
        if (!method || runtime.type_of(method) != "v@:")
            return;
        g_metal_function.store(metal_function, std::memory_order_release);
        g_stock_init.store(runtime.method_get_implementation(method), std::memory_order_release);
        runtime.method_set_implementation(method, as_implementation(init_hook));
    });
}

void after_creation(id device, const void* metal_function) noexcept {
    if (!device)
        return;
    refuse_without_runtime();
    guarded([=](Session&, const ObjcRuntime& runtime) {
        installer(runtime).device(device, InstallPoint::creation, metal_function);
    });
}

void after_creation_of_all(id devices, const void* metal_function) noexcept {
    if (!devices)
        return;
    refuse_without_runtime();
    guarded([=](Session&, const ObjcRuntime& runtime) {
        const Class array = object_getClass(devices);
        const Method count = runtime.method(array, "count");
        const Method element = runtime.method(array, "objectAtIndex:");
        if (!count || !element)
            return;
        const auto n = call_as<unsigned long>(runtime.method_get_implementation(count), devices,
                                              runtime.sel_register_name("count"));
        for (unsigned long i = 0; i < n; ++i)
            if (const id device = call_as<id>(runtime.method_get_implementation(element), devices,
                                              runtime.sel_register_name("objectAtIndex:"), i))
                installer(runtime).device(device, InstallPoint::creation, metal_function);
    });
}

} // namespace assay::shim
