#include "metal/foundation.h"

#include <doctest/doctest.h>

using namespace assay::metal;

TEST_CASE("strings survive the way to Foundation and back") {
    const Pool pool;
    CHECK(to_string(ns_string("h\xc3\xa9llo")) == "h\xc3\xa9llo");
    CHECK(to_string(ns_string("")).empty());
    CHECK(to_string(nullptr).empty());
}

TEST_CASE("an NSError is read as text") {
    const Pool pool;
    const id error = send<id>(class_named("NSError"), "errorWithDomain:code:userInfo:", ns_string("Domain"),
                              Integer{3}, id{nullptr});
    CHECK(error_text(error).find("Domain") != std::string::npos);
    CHECK(error_text(nullptr) == "no error given");
}

TEST_CASE("the elements of an NSArray come in order") {
    const Pool pool;
    const id objects[] = {ns_string("a"), ns_string("b")};
    const auto array =
        Object::adopt(send<id>(send<id>(class_named("NSArray"), "alloc"),
                               "initWithObjects:count:", static_cast<const id*>(objects), UInteger{2}));
    REQUIRE(elements(array.get()).size() == 2);
    CHECK(to_string(elements(array.get())[1]) == "b");
    CHECK(elements(nullptr).empty());
}
