// Giving the overrides to the classes of devices.
#pragma once
#include "shim/inject/class_edit.h"
#include "shim/inject/session.h"
#include <list>
#include <string>

namespace assay::shim {

/// Decides each device class of the process once: overrides or stock. Wants the session's lock.
class Installer {
  public:
    Installer(Session& session, const ObjcRuntime& runtime) : session_(session), runtime_(runtime) {}

    /// A device that is being created (init) or has been (creation). The first device of a class decides.
    void device(id device, InstallPoint point, const void* metal_function);

  private:
    struct Decided {
        ClassEdit edit;
        bool active = false;
        bool name_checked = false;
    };

    Accepted<void> apply(Decided& decided, id device, const void* metal_function);
    Accepted<void> check_pins(Class device_class, const void* metal_function) const;
    Accepted<void> check_name(Decided& decided, id device) const;
    Accepted<void> check_stock(Class device_class, id device) const;
    Accepted<void> install(ClassEdit& edit) const;
    /// The method that answers a query, if it has the type that the hook expects.
    Accepted<Method> method_of(Class device_class, const OverrideTarget& target) const;
    /// What that method was before an override of this library, if it has one.
    IMP stock_of(Class device_class, const char* selector, Method method) const;

    Session& session_;
    const ObjcRuntime& runtime_;
    std::list<Decided> decided_;
};

} // namespace assay::shim
