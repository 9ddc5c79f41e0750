// Giving the overrides to the classes of devices.
#include "shim/inject/installer.h"
#include "shim/inject/system_facts.h"

#include <cstring>

namespace assay::shim {

namespace {

const char* selector_of(const OverrideTarget& target) {
    return target.is_family() ? "supportsFamily:" : kOverridableQueries[target.row].selector;
}

std::string_view type_of(const OverrideTarget& target) {
    return target.is_family() ? kFamilyMethodType : method_type(target.kind);
}

Accepted<void> check_pin(const char* reason, const char* what, const std::string& pinned,
                         const std::string& found) {
    if (pinned.empty() || pinned == found)
        return {};
    return Refusal{reason, std::string("the profile was made for ") + what + " \"" + pinned +
                               "\", this is \"" + found + "\""};
}

/// Asks the stock method.
ShimAnswer ask(IMP stock, id device, SEL selector, const OverrideTarget& target) {
    if (target.is_family())
        return call_as<BOOL, long>(stock, device, selector, target.family) != 0;
    switch (target.kind) {
    case AnswerKind::boolean:
        return call_as<BOOL>(stock, device, selector) != 0;
    case AnswerKind::integer:
        return call_as<std::uint64_t>(stock, device, selector);
    case AnswerKind::integer32:
        return std::uint64_t{call_as<std::uint32_t>(stock, device, selector)};
    }
    return false;
}

} // namespace

void Installer::device(id device, InstallPoint point, const void* metal_function) {
    const Class device_class = object_getClass(device);
    const std::string name = runtime_.class_get_name(device_class);
    for (auto& decided : decided_) {
        if (decided.edit.target() != device_class)
            continue;
        if (!decided.active || decided.name_checked)
            return;
        if (const auto checked = check_name(decided, device); !checked) {
            decided.edit.roll_back();
            decided.active = false;
            session_.withdrawn(name);
            session_.refuse(checked.error());
        }
        return;
    }
    auto& decided = decided_.emplace_back(Decided{ClassEdit(runtime_, device_class)});
    if (point == InstallPoint::creation && session_.forces(InstallPoint::init)) {
        session_.refuse({refusal::kMissingMethod, "initGPUFamilySupport did not run when the " + name +
                                                      " was created, and no other install point is allowed"});
        return;
    }
    if (const auto done = apply(decided, device, metal_function); !done) {
        session_.refuse(done.error());
        return;
    }
    decided.active = true;
    session_.applied(name, point);
}

Accepted<void> Installer::apply(Decided& decided, id device, const void* metal_function) {
    const Class device_class = decided.edit.target();
    if (auto pins = check_pins(device_class, metal_function); !pins)
        return pins;
    if (auto name = check_name(decided, device); !name)
        return name;
    if (auto stock = check_stock(device_class, device); !stock)
        return stock;
    return install(decided.edit);
}

Accepted<void> Installer::check_pins(Class device_class, const void* metal_function) const {
    const auto& profile = session_.profile();
    const auto& pins = profile.pins;
    const auto facts = read_system_facts(metal_function, device_class);
    if (profile.backend == "software" && facts.backend == "metal")
        return Refusal{refusal::kSimulated,
                       "the profile comes from the software device, this is a real Metal"};
    if (auto pin = check_pin(refusal::kBackend, "the Metal", profile.backend, facts.backend); !pin)
        return pin;
    if (auto pin = check_pin(refusal::kOtherSystem, "the system build", pins.os_build, facts.os_build); !pin)
        return pin;
    if (auto pin = check_pin(refusal::kOtherChip, "the chip", pins.chip, facts.chip); !pin)
        return pin;
    if (auto pin = check_pin(refusal::kOtherClass, "the device class", pins.device_class,
                             runtime_.class_get_name(device_class));
        !pin)
        return pin;
    if (auto pin = check_pin(refusal::kOtherDriver, "the driver", pins.driver_uuid, facts.driver_uuid); !pin)
        return pin;
    return check_pin(refusal::kOtherMetal, "the Metal library", pins.metal_uuid, facts.metal_uuid);
}

Accepted<void> Installer::check_name(Decided& decided, id device) const {
    const auto& pinned = session_.profile().pins.device_name;
    const Method method = runtime_.method(decided.edit.target(), "name");
    std::string found;
    if (method && runtime_.type_of(method) == "@@:") {
        const id text = call_as<id>(runtime_.method_get_implementation(method), device,
                                    runtime_.sel_register_name("name"));
        if (!text)
            return {}; // still being created: asked again when it has been
        const Method utf8 = runtime_.method(object_getClass(text), "UTF8String");
        const char* bytes = utf8 ? call_as<const char*>(runtime_.method_get_implementation(utf8), text,
                                                        runtime_.sel_register_name("UTF8String"))
                                 : nullptr;
        found = bytes ? bytes : "";
    }
    decided.name_checked = true;
    return check_pin(refusal::kOtherName, "the device", pinned, found);
}

Accepted<Method> Installer::method_of(Class device_class, const OverrideTarget& target) const {
    const char* selector = selector_of(target);
    const auto described = std::string("-[") + runtime_.class_get_name(device_class) + " " + selector + "]";
    const Method method = runtime_.method(device_class, selector);
    if (!method)
        return Refusal{refusal::kMissingMethod, described + " does not exist"};
    if (const auto type = runtime_.type_of(method); type != type_of(target))
        return Refusal{refusal::kOtherType,
                       described + " has the type " + type + ", expected " + std::string(type_of(target))};
    return method;
}

IMP Installer::stock_of(Class device_class, const char* selector, Method method) const {
    const IMP implementation = runtime_.method_get_implementation(method);
    if (!is_hook(implementation))
        return implementation;
    // A device class may inherit from another one that has its overrides already.
    for (Class owner = device_class; owner; owner = runtime_.class_get_superclass(owner))
        for (const auto& decided : decided_)
            if (decided.edit.target() == owner)
                if (const IMP stock = decided.edit.stock(selector))
                    return stock;
    return implementation;
}

Accepted<void> Installer::check_stock(Class device_class, id device) const {
    for (const auto& expected : session_.stock()) {
        const auto method = method_of(device_class, expected.target);
        if (!method)
            return method.error();
        const char* selector = selector_of(expected.target);
        const IMP stock = stock_of(device_class, selector, *method);
        ShimAnswer found;
        try {
            found = ask(stock, device, runtime_.sel_register_name(selector), expected.target);
        } catch (...) { // an Objective-C exception: the runtime's C++ interface can only stop it
            return Refusal{refusal::kOtherAnswer, expected.key + " raised an exception at stock"};
        }
        if (found != expected.answer)
            return Refusal{refusal::kOtherAnswer, expected.key + " answers " + to_text(found) +
                                                      " at stock, the profile recorded " +
                                                      to_text(expected.answer)};
    }
    return {};
}

Accepted<void> Installer::install(ClassEdit& edit) const {
    struct Change {
        Method method;
        const char* selector;
        IMP hook;
    };
    std::vector<Change> changes;
    bool has_family = false;
    for (const auto& one : session_.overrides()) {
        const auto method = method_of(edit.target(), one.target);
        if (!method)
            return method.error();
        const char* selector = selector_of(one.target);
        // One method answers for all families, and a class may inherit hooks.
        if ((one.target.is_family() && has_family) || is_hook(runtime_.method_get_implementation(*method)))
            continue;
        has_family = has_family || one.target.is_family();
        const IMP hook = one.target.is_family()
                             ? take_family_hook(runtime_.method_get_implementation(*method))
                             : constant_hook(one.target.row);
        if (!hook)
            return Refusal{refusal::kTooManyClasses, "this process has more device classes than expected"};
        changes.push_back({*method, selector, hook});
    }
    for (const auto& change : changes)
        if (!edit.replace(change.method, change.selector, change.hook)) {
            edit.roll_back();
            return Refusal{refusal::kRolledBack,
                           std::string("the Objective-C runtime did not take the change of ") +
                               change.selector};
        }
    return {};
}

} // namespace assay::shim
