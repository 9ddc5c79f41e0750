// Building Objective-C classes at run time from plain C++ functions.
//
// A C++ function R(id, SEL, A...) becomes a method whose type encoding follows from its signature. Objects
// hold one C++ value, reached with boxed<T>(); it lives from make<T>() to the object's -dealloc.
#pragma once
#include "metal/encoding.h"
#include "metal/runtime.h"
#include <cstddef>
#include <string>
#include <utility>

namespace assay::software {

/// One class under construction. Without finish() the class is abandoned.
class ClassBuilder {
  public:
    /// `superclass` is a registered class. A name that is already taken is an internal error: aborts.
    ClassBuilder(const char* name, Class superclass);

    template <class R, class... A>
    ClassBuilder& method(const char* selector, R (*function)(id, SEL, A...)) {
        add(class_, selector, reinterpret_cast<void (*)()>(function), metal::method_encoding(function));
        return *this;
    }
    template <class R, class... A>
    ClassBuilder& class_method(const char* selector, R (*function)(id, SEL, A...)) {
        add(object_getClass(reinterpret_cast<id>(class_)), selector, reinterpret_cast<void (*)()>(function),
            metal::method_encoding(function));
        return *this;
    }

    /// Gives every instance room for a T*, and a -dealloc that deletes it.
    template <class T>
    ClassBuilder& boxes();

    /// Registers the class.
    Class finish();

  private:
    void add(Class target, const char* selector, void (*function)(), const std::string& encoding);
    void add_box();
    Class class_;
    std::ptrdiff_t* offset_ = nullptr; ///< where finish() stores the box's place
};

/// What is known about the class whose instances hold a T.
template <class T>
struct Box {
    static inline Class owner = nullptr;
    static inline std::ptrdiff_t offset = 0;
};

/// The value an instance holds; null before make<T>() has given it one.
template <class T>
T*& boxed(id object) {
    return *reinterpret_cast<T**>(reinterpret_cast<char*>(object) + Box<T>::offset);
}

/// Sends -dealloc to the superclass of `owner`.
void super_dealloc(id object, SEL selector, Class owner);

template <class T>
ClassBuilder& ClassBuilder::boxes() {
    add_box();
    offset_ = &Box<T>::offset;
    Box<T>::owner = class_;
    void (*dealloc)(id, SEL) = [](id self, SEL selector) {
        delete boxed<T>(self);
        boxed<T>(self) = nullptr;
        super_dealloc(self, selector, Box<T>::owner);
    };
    return method("dealloc", dealloc);
}

/// A new instance (+1) of the class that boxes T, holding a T made from the arguments.
template <class T, class... A>
id make(A&&... arguments) {
    const id object = metal::send<id>(reinterpret_cast<id>(Box<T>::owner), "alloc");
    boxed<T>(object) = new T{std::forward<A>(arguments)...};
    return object;
}

inline id autorelease(id object) { return metal::send<id>(object, "autorelease"); }

} // namespace assay::software
