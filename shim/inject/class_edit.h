// Changing methods of one class, all of them or none.
#pragma once
#include "shim/inject/objc_runtime.h"
#include <string>
#include <vector>

namespace assay::shim {

/// The methods of one class that were changed, and how to undo it.
class ClassEdit {
  public:
    ClassEdit(const ObjcRuntime& runtime, Class target) : runtime_(runtime), target_(target) {}

    Class target() const { return target_; }
    /// Gives the class its own implementation of a method that it has or inherits. The superclass's method is
    /// never touched: other classes share it. False when the runtime refuses.
    bool replace(Method method, const char* selector, IMP hook);
    /// The stock implementation of a method this edit has replaced, or null.
    IMP stock(const char* selector) const;
    /// Puts the stock implementations back. (A method that was added stays, with the inherited
    /// implementation: runtimes cannot remove one.)
    void roll_back();

  private:
    struct Replaced {
        std::string selector;
        IMP stock;
    };
    bool owns(Method method) const;

    const ObjcRuntime& runtime_;
    Class target_;
    std::vector<Replaced> replaced_;
};

} // namespace assay::shim
