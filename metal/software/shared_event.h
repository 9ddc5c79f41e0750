// MTLSharedEvent: a counter that command buffers and the program wait for.
#pragma once
#include "metal/software/class_builder.h"
#include "metal/software/device.h"
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>

namespace assay::software {

/// The counter, which outlives the object while a command buffer waits for it.
class EventCounter {
  public:
    std::uint64_t value() const;
    void set(std::uint64_t value);
    /// Waits until the value is at least `target`; false when `milliseconds` pass first.
    bool wait(std::uint64_t target, std::uint64_t milliseconds);
    void wait(std::uint64_t target);

  private:
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::uint64_t value_ = 0;
};

/// What an event object holds.
struct EventBox {
    std::shared_ptr<EventCounter> counter = std::make_shared<EventCounter>();
};

void register_shared_event_class();
void add_shared_event_creation(ClassBuilder& builder, const Device& device);

} // namespace assay::software
