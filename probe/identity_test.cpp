#include "probe/identity.h"

#include <doctest/doctest.h>

using namespace assay;
using Kind = ActiveShim::Kind;

TEST_CASE("an environment that inserts nothing has no shim") {
    CHECK(shim_in({"PATH=/bin", "HOME=/root", "LD_PRELOAD="}).kind == Kind::none);
}

TEST_CASE("our shim counts as active only with a profile") {
    CHECK(shim_in({"ASSAY_PROFILE=/p.json", "LD_PRELOAD=/opt/lib/libassay_shim.so"}).kind == Kind::ours);
    CHECK(shim_in({"DYLD_INSERT_LIBRARIES=/opt/lib/libassay_shim.dylib", "ASSAY_PROFILE=/p"}).kind ==
          Kind::ours);
    CHECK(shim_in({"LD_PRELOAD=/opt/lib/libassay_shim.so"}).kind == Kind::none);
    CHECK(shim_in({"ASSAY_PROFILE=/p.json"}).kind == Kind::none);
    CHECK(shim_in({"ASSAY_PROFILE=", "LD_PRELOAD=/opt/lib/libassay_shim.so"}).kind == Kind::none);
}

TEST_CASE("the other known shims are named by their variables") {
    for (const std::string variable :
         {"LUME_METAL_APPLE_FAMILY_MAX", "TART_METAL_FAMILY", "VEERTU_ANKA_GPU_X"}) {
        const auto shim = shim_in({"A=b", variable + "=1009"});
        CHECK(shim.kind == Kind::other);
        CHECK(shim.name == variable);
    }
    CHECK(shim_in({"MY_LUME_METAL_X=1"}).kind == Kind::none);
}

TEST_CASE("an unknown inserted library is named by its file, also beside ours") {
    CHECK(shim_in({"LD_PRELOAD=/a/libother.so"}).name == "libother.so");
    const auto both = shim_in({"ASSAY_PROFILE=/p", "LD_PRELOAD=/a/libassay_shim.so:/b/libhook.so"});
    CHECK(both.kind == Kind::other);
    CHECK(both.name == "libhook.so");
    CHECK(shim_in({"LUME_METAL_X=1", "DYLD_INSERT_LIBRARIES=/l/liblume.dylib"}).name ==
          "LUME_METAL_X, liblume.dylib");
}
