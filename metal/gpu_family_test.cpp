#include "metal/gpu_family.h"

#include <doctest/doctest.h>

using namespace assay::metal;

TEST_CASE("families are found by name and by number") {
    CHECK(gpu_family_value("Apple7") == 1007);
    CHECK(gpu_family_value("Metal4") == 5002);
    CHECK(gpu_family_value("1012") == 1012);
    CHECK(!gpu_family_value("Apple"));
    CHECK(!gpu_family_value(""));
    CHECK(!gpu_family_value("12x"));
    CHECK(gpu_family_name(3003) == "Common3");
    CHECK(gpu_family_name(1012) == "1012");
}
