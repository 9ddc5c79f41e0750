// MTLSharedEvent: a counter that command buffers and the program wait for.
#include "metal/software/shared_event.h"
#include "metal/software/creation.h"

#include <algorithm>
#include <chrono>

namespace assay::software {

std::uint64_t EventCounter::value() const {
    const std::lock_guard lock(mutex_);
    return value_;
}

void EventCounter::set(std::uint64_t value) {
    const std::lock_guard lock(mutex_);
    value_ = value;
    changed_.notify_all();
}

bool EventCounter::wait(std::uint64_t target, std::uint64_t milliseconds) {
    // Longer waits would overflow the clock.
    constexpr std::uint64_t kLongest = 1000ull * 3600 * 24 * 365;
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::milliseconds(std::min(milliseconds, kLongest)),
                             [&] { return value_ >= target; });
}

void EventCounter::wait(std::uint64_t target) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return value_ >= target; });
}

namespace {

EventCounter& counter_of(id event) { return *boxed<EventBox>(event)->counter; }

id new_event(id self, SEL selector) { return creation_refused(self, selector) ? nullptr : make<EventBox>(); }

} // namespace

void register_shared_event_class() {
    ClassBuilder("AssaySharedEvent", reinterpret_cast<Class>(metal::class_named("NSObject")))
        .boxes<EventBox>()
        .method(
            "signaledValue", +[](id self, SEL) -> std::uint64_t { return counter_of(self).value(); })
        .method(
            "setSignaledValue:", +[](id self, SEL, std::uint64_t value) { counter_of(self).set(value); })
        .method(
            "waitUntilSignaledValue:timeoutMS:",
            +[](id self, SEL, std::uint64_t value, std::uint64_t milliseconds) -> BOOL {
                return counter_of(self).wait(value, milliseconds);
            })
        .finish();
}

void add_shared_event_creation(ClassBuilder& builder, const Device& device) {
    add_creation(builder, device, "newSharedEvent", new_event);
    add_creation(builder, device, "newEvent", new_event);
}

} // namespace assay::software
