// Sending Objective-C messages from plain C++, on Apple's runtime and on GCC's.
//
// Facts this file rests on (measured): GCC's runtime has no objc_msgSend; its class_getMethodImplementation()
// returns, for a selector the class lacks, a stub that crashes; struct returns over 16 bytes need
// class_getMethodImplementation_stret() on macOS x86_64.
#pragma once
#include "base/error.h"
#include <cstdint>
#include <objc/message.h>
#include <objc/runtime.h>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace assay::metal {

using Integer = long;           ///< NSInteger
using UInteger = unsigned long; ///< NSUInteger

/// MTLSize: width, height, depth. Its encoding is "{?=QQQ}".
struct Size {
    UInteger width = 0;
    UInteger height = 0;
    UInteger depth = 0;
    bool operator==(const Size&) const = default;
};

/// The function that answers `selector` for `object`, for a method that returns R. `object` is not nil.
template <class R>
IMP implementation_for(id object, SEL selector) {
#ifdef __APPLE__
#ifdef __x86_64__
    if constexpr (std::is_class_v<R>)
        if constexpr (sizeof(R) > 16)
            return class_getMethodImplementation_stret(object_getClass(object), selector);
#endif
    return class_getMethodImplementation(object_getClass(object), selector);
#else
    return objc_msg_lookup(object, selector);
#endif
}

/// Calls a method implementation. R and A must be the exact types of the method's encoding.
template <class R, class... A>
R call(IMP implementation, id object, SEL selector, A... arguments) {
    using Function = R (*)(id, SEL, A...);
    // By way of void(*)(): a direct cast between function types is what -Wcast-function-type warns about.
    return reinterpret_cast<Function>(reinterpret_cast<void (*)()>(implementation))(object, selector,
                                                                                    arguments...);
}

/// Sends a message; nil answers R{}. A selector the object lacks raises NSInvalidArgumentException, as
/// everywhere in Objective-C: ask responds_to() first, or use try_send().
template <class R, class... A>
R send(id object, SEL selector, A... arguments) {
    if (!object) {
        if constexpr (std::is_void_v<R>)
            return;
        else
            return R{};
    }
    return call<R>(implementation_for<R>(object, selector), object, selector, arguments...);
}

/// The same by name; costs a lookup (tens of nanoseconds) more.
template <class R, class... A>
R send(id object, const char* selector, A... arguments) {
    return send<R>(object, sel_registerName(selector), arguments...);
}

/// Whether the object's class implements the selector. Not a promise that calling it will not raise.
bool responds_to(id object, const char* selector);

/// The class as a receiver of class messages, or nil.
id class_named(const char* name);

/// An Objective-C exception, as text.
struct Raised {
    std::string name;
    std::string reason;
};

/// Runs `body(context)`; true when it returned, false when it raised (then `raised` says what).
/// C++ exceptions must not leave `body`.
bool guarded(void (*body)(void*), void* context, Raised& raised);

/// Runs any callable under guarded().
template <class F>
bool guarded(F&& body, Raised& raised) {
    return guarded([](void* context) { (*static_cast<std::remove_reference_t<F>*>(context))(); },
                   const_cast<void*>(static_cast<const void*>(&body)), raised);
}

/// Why a message has no answer.
enum class Unanswered { nil_receiver, absent, raised };

struct SendError {
    Unanswered why;
    std::string detail; ///< for raised: "name: reason"
};

/// Sends a message and survives what can be survived in-process: nil, a missing selector, an exception.
template <class R, class... A>
boost::system::result<R, SendError> try_send(id object, const char* selector, A... arguments) {
    if (!object)
        return SendError{Unanswered::nil_receiver, {}};
    if (!responds_to(object, selector))
        return SendError{Unanswered::absent, {}};
    R answer{};
    Raised raised;
    if (!guarded([&] { answer = send<R>(object, selector, arguments...); }, raised))
        return SendError{Unanswered::raised, raised.name + ": " + raised.reason};
    return answer;
}

[[noreturn]] void throw_exception_from_error(const SendError& error, const boost::source_location& location);

/// An owned reference: released by the destructor.
class Object {
  public:
    Object() = default;
    /// Takes over a reference that the caller owns ("new…", "copy…", MTLCreate…).
    static Object adopt(id object) { return Object(object); }
    /// Retains an object that somebody else owns.
    static Object retain(id object) { return Object(send<id>(object, "retain")); }
    Object(Object&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
    Object& operator=(Object&& other) noexcept {
        std::swap(object_, other.object_);
        return *this;
    }
    ~Object() { send<void>(object_, "release"); }
    id get() const { return object_; }
    explicit operator bool() const { return object_ != nullptr; }

  private:
    explicit Object(id object) : object_(object) {}
    id object_ = nullptr;
};

/// An autorelease pool for the scope. Without Foundation in the process it does nothing.
class Pool {
  public:
    Pool();
    ~Pool();
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

  private:
    id pool_;
};

} // namespace assay::metal
