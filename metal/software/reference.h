// A counted reference to an Objective-C object that can be copied.
#pragma once
#include "metal/runtime.h"

namespace assay::software {

class Reference {
  public:
    Reference() = default;
    /// Retains.
    explicit Reference(id object) : object_(metal::send<id>(object, "retain")) {}
    Reference(const Reference& other) : Reference(other.object_) {}
    Reference(Reference&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
    Reference& operator=(Reference other) noexcept {
        std::swap(object_, other.object_);
        return *this;
    }
    ~Reference() { metal::send<void>(object_, "release"); }
    id get() const { return object_; }

  private:
    id object_ = nullptr;
};

} // namespace assay::software
