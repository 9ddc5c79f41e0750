// When the library is loaded and when the process ends.
#include "shim/inject/session.h"

namespace {

__attribute__((constructor)) void on_load() { assay::shim::Session::get(); }

__attribute__((destructor)) void on_exit() {
    auto& session = assay::shim::Session::get();
    // A thread that still creates a device must not hold up the program's end.
    const std::unique_lock lock(session.lock(), std::try_to_lock);
    if (lock)
        session.finish();
}

} // namespace
