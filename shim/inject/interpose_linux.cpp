// Linux: the creation functions and dlsym() under their own names, found before everybody else's.
//
// This file is always compiled with optimisation: see dlsym().
#include "shim/inject/creation.h"
#include "shim/inject/symbols.h"

#include <atomic>
#include <cstring>
#include <dlfcn.h>
#include <string_view>

#define ASSAY_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

using namespace assay::shim;

constexpr const char* kCreate = "MTLCreateSystemDefaultDevice";
constexpr const char* kCopyAll = "MTLCopyAllDevices";

#if defined(__x86_64__)
constexpr const char* kFirstVersion = "GLIBC_2.2.5";
#else
constexpr const char* kFirstVersion = "GLIBC_2.17";
#endif

// noexcept: else the compiler makes no sibling call from a function that is noexcept itself.
using Dlsym = void* (*)(void*, const char*) noexcept;
std::atomic<Dlsym> g_dlsym{nullptr};

Dlsym system_dlsym() noexcept {
    auto found = g_dlsym.load(std::memory_order_relaxed);
    if (found)
        return found;
    void* symbol = ::dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
    if (!symbol)
        symbol = ::dlvsym(RTLD_NEXT, "dlsym", kFirstVersion);
    found = reinterpret_cast<Dlsym>(symbol);
    g_dlsym.store(found, std::memory_order_relaxed);
    return found;
}

/// The stock function: what a client's own dlsym() found, else the next one in the global scope.
class Stock {
  public:
    explicit constexpr Stock(const char* name) : name_(name) {}
    const char* name() const { return name_; }
    void learn(void* function) { function_.store(function, std::memory_order_release); }
    void* get() {
        void* function = function_.load(std::memory_order_acquire);
        if (!function) {
            function = real_dlsym(RTLD_NEXT, name_);
            if (function)
                learn(function); // a miss is not remembered: Metal may be loaded later
        }
        return function;
    }

  private:
    const char* name_;
    std::atomic<void*> function_{nullptr};
};
constinit Stock g_create(kCreate);
constinit Stock g_copy_all(kCopyAll);

id call_stock(void* function) { return function ? reinterpret_cast<id (*)()>(function)() : nullptr; }

} // namespace

ASSAY_EXPORT id MTLCreateSystemDefaultDevice(void) {
    void* stock = g_create.get();
    before_creation(stock);
    const id device = call_stock(stock);
    after_creation(device, stock);
    return device;
}

ASSAY_EXPORT id MTLCopyAllDevices(void) {
    void* stock = g_copy_all.get();
    before_creation(stock);
    const id devices = call_stock(stock);
    after_creation_of_all(devices, stock);
    return devices;
}

namespace {

void* as_symbol(id (*function)()) { return reinterpret_cast<void*>(function); }

/// What a client gets that asks for a creation function: ours, if there is a stock one behind it.
void* interposed(void* library, Stock& stock, void* ours) {
    void* found = real_dlsym(library, stock.name());
    if (!found)
        return nullptr;
    if (found == ours)
        return stock.get() ? ours : nullptr;
    stock.learn(found);
    return ours;
}

} // namespace

/// A client that opens Metal itself asks here. Everything else goes on to the system's dlsym() by a sibling
/// call, because RTLD_NEXT is answered by the place the call comes from: with a frame of ours in between,
/// another inserted library would find itself.
ASSAY_EXPORT void* dlsym(void* library, const char* name) noexcept {
    if (library != RTLD_NEXT && name[0] == 'M' && name[1] == 'T' && name[2] == 'L') {
        const std::string_view asked = name;
        if (asked == kCreate)
            return interposed(library, g_create, as_symbol(&MTLCreateSystemDefaultDevice));
        if (asked == kCopyAll)
            return interposed(library, g_copy_all, as_symbol(&MTLCopyAllDevices));
    }
    return system_dlsym()(library, name);
}

namespace assay::shim {

void* real_dlsym(void* library, const char* name) noexcept { return system_dlsym()(library, name); }

void* symbol_beside(const void* address, const char* name) noexcept {
    Dl_info info{};
    if (!address || ::dladdr(address, &info) == 0 || !info.dli_fname)
        return nullptr;
    void* library = ::dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    return library ? real_dlsym(library, name) : nullptr;
}

} // namespace assay::shim
