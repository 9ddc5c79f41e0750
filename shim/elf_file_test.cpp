#include "base/file.h"
#include "shim/elf_file.h"

#include <doctest/doctest.h>

using namespace assay;

TEST_CASE("the loader starts a program with an interpreter, not a static one") {
    auto bytes = read_file("/bin/true").value();
    const auto dynamic = read_elf("true", bytes);
    REQUIRE(dynamic.has_value());
    CHECK(dynamic->is_elf);
    CHECK(dynamic->same_machine);
    CHECK(dynamic->has_interpreter);
    // The same file with its PT_INTERP (type 3, in the first program headers) turned into PT_NULL.
    for (std::size_t i = 64; i + 56 <= 64 + 56 * 13; i += 56)
        if (bytes[i] == 3)
            bytes[i] = 0;
    CHECK(!read_elf("static", bytes)->has_interpreter);
}

TEST_CASE("a cut ELF file is an error, anything else is no ELF file") {
    const auto bytes = read_file("/bin/true").value();
    for (std::size_t n = 0; n < 400; ++n) {
        const auto elf = read_elf("cut", bytes.substr(0, n));
        CHECK((!elf || !elf->is_elf));
    }
    CHECK(!read_elf("text", "#!/bin/sh\n")->is_elf);
}
