#include "metal/foundation.h"
#include "metal/runtime.h"

#include <doctest/doctest.h>

using namespace assay::metal;

TEST_CASE("a message to nil answers zero of any type") {
    CHECK(send<id>(nullptr, "name") == nullptr);
    CHECK(send<UInteger>(nullptr, "count") == 0);
    CHECK(send<Size>(nullptr, "size") == Size{});
    CHECK(try_send<UInteger>(nullptr, "count").error().why == Unanswered::nil_receiver);
}

TEST_CASE("a selector that the class lacks is told apart from an answer") {
    const Pool pool;
    const id text = ns_string("x");
    CHECK(responds_to(text, "length"));
    CHECK(!responds_to(text, "noSuchSelector"));
    CHECK(try_send<UInteger>(text, "noSuchSelector").error().why == Unanswered::absent);
    CHECK(try_send<UInteger>(text, "length").value() == 1);
}

TEST_CASE("an exception comes back with its name and reason") {
    const Pool pool;
    const auto result = try_send<id>(ns_string("x"), "substringFromIndex:", UInteger{9});
    REQUIRE(result.has_error());
    CHECK(result.error().why == Unanswered::raised);
    CHECK(result.error().detail.starts_with("NSRangeException: "));
}

TEST_CASE("a raise unwinds the C++ frames between it and the guard") {
    const Pool pool;
    bool destroyed = false;
    struct Witness {
        bool& flag;
        ~Witness() { flag = true; }
    };
    Raised raised;
    CHECK(!guarded(
        [&] {
            const Witness witness{destroyed};
            send<id>(ns_string("x"), "noSuchSelector");
        },
        raised));
    CHECK(destroyed);
    CHECK(raised.name == "NSInvalidArgumentException");
    CHECK(guarded([] {}, raised));
}

TEST_CASE("an owned object is released once") {
    const Pool pool;
    const id object = send<id>(class_named("NSObject"), "new");
    {
        const auto kept = Object::retain(object);
        CHECK(send<UInteger>(object, "retainCount") == 2);
    }
    CHECK(send<UInteger>(object, "retainCount") == 1);
    auto first = Object::adopt(object);
    auto second = std::move(first);
    CHECK(!first);
    CHECK(second.get() == object);
}
