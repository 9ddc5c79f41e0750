#include "base/platform.h"

#include <doctest/doctest.h>

using namespace assay;

TEST_CASE("SHA-256 matches the published test vectors (FIPS 180-4)") {
    CHECK(sha256_hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK(sha256_hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST_CASE("the executable and the boot session are known") {
    CHECK(executable_path().find("base_test") != std::string::npos);
    CHECK(!boot_session().empty());
    CHECK(boot_session() == boot_session());
}
