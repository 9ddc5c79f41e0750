// The functions that answer in the place of a device's methods.
//
// They run in the client's hottest places: no allocation, no lock, no call but the stock one.
#pragma once
#include "shim/overridable.h"
#include <objc/runtime.h>
#include <vector>

namespace assay::shim {

/// One override, resolved.
struct Override {
    std::string key;
    OverrideTarget target;
    ShimAnswer answer;
};

/// Gives the hooks their answers. Call once, before the first hook is installed.
void set_answers(const std::vector<Override>& overrides);

/// Whether a program has asked for this override's answer.
bool was_consulted(const Override& override_);

/// The hook of a query without arguments. It is the same for all device classes.
IMP constant_hook(std::size_t row);

/// The hook of supportsFamily: for one device class, which passes other families on to `stock`. Null when
/// kMostDeviceClasses are taken.
inline constexpr std::size_t kMostDeviceClasses = 16;
IMP take_family_hook(IMP stock);

/// Whether an implementation is one of the hooks above.
bool is_hook(IMP implementation);

} // namespace assay::shim
