#include "metal/encoding.h"

#include <doctest/doctest.h>

using namespace assay::metal;

TEST_CASE("the same method encodes equally on macOS arm64, macOS x86_64 and GCC once normalised") {
    // supportsFamily: as the three compilers emit it.
    CHECK(normalised_encoding("B24@0:8q16") == "B@:q");
    CHECK(normalised_encoding("c24@0:8q16") == "B@:q");
    CHECK(normalised_encoding("C24@0:8q16") == "B@:q");
    // MTLSize is an untagged structure; a tagged one is compared by its members.
    CHECK(normalised_encoding("{?=QQQ}16@0:8") == "{QQQ}@:");
    CHECK(normalised_encoding("{MTLSize=QQQ}16@0:8") == "{QQQ}@:");
    CHECK(normalised_encoding("{Opaque}16@0:8") == "{}@:");
    // GCC leaves out the members of some structures that are pointed at.
    CHECK(normalised_encoding("v32@0:8^{?={?=QQQ}{?=QQQ}}16Q24") == "v@:^{}Q");
    CHECK(normalised_encoding("v32@0:8r^{?}16Q24") == "v@:^{}Q");
    CHECK(normalised_encoding("r^v16@\"NSString\"0:8L16") == "^v@:Q");
}

TEST_CASE("normalising is total on broken encodings") {
    CHECK(normalised_encoding("").empty());
    CHECK(normalised_encoding("{?") == "");
    CHECK(normalised_encoding("^{?={") == "^{}");
    CHECK(normalised_encoding("@\"NSStr") == "@");
}

static Size size_method(id, SEL, UInteger, BOOL, id*) { return {}; }

TEST_CASE("a C++ function's encoding is the one its method would have") {
    CHECK(normalised_encoding(method_encoding(size_method)) == "{QQQ}@:QB^@");
    CHECK(method_encoding(size_method).starts_with("{?=QQQ}40@0:8Q16"));
}
