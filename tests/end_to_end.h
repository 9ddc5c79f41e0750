// What end-to-end tests share: running the real binary, golden files, and damaging inputs on purpose.
#pragma once
#include "base/file.h"
#include "base/process.h"
#include <cstdlib>
#include <doctest/doctest.h>
#include <string>
#include <string_view>
#include <vector>

namespace assay::testing {

using Variables = std::vector<std::pair<std::string, std::string>>;

/// Runs `assay` with these arguments to its end (60 s at most); standard output and error together.
inline Finished run_assay(std::vector<std::string> arguments, const Variables& environment = {}) {
    arguments.insert(arguments.begin(), ASSAY_BINARY);
    auto done = run_program({std::move(arguments), environment}, std::chrono::seconds(60));
    REQUIRE(done.has_value());
    REQUIRE(!done->timed_out);
    return std::move(*done);
}

/// Path of a file under tests/.
inline std::string test_file(const std::string& name) { return ASSAY_SOURCE_DIR "/tests/" + name; }

/// Compares with tests/golden/NAME; with GOLDEN=update in the environment it writes that file instead.
inline void check_golden(const std::string& name, const std::string& text) {
    const auto path = test_file("golden/" + name);
    if (const char* mode = std::getenv("GOLDEN"); mode && std::string_view(mode) == "update") {
        REQUIRE(write_file(path, text).has_value());
        return;
    }
    const auto expected = read_file(path);
    REQUIRE_MESSAGE(expected.has_value(), "no golden file ", path, ": run with GOLDEN=update");
    CHECK(text == *expected);
}

/// Calls `use` with damaged copies of `text`: cut at every byte (at most 4,000 places), each line dropped,
/// each line doubled, and 500 copies with one byte changed. Always the same copies.
template <class F>
void for_each_damage(const std::string& text, F use) {
    const std::size_t step = text.size() / 4000 + 1;
    for (std::size_t n = 0; n < text.size(); n += step)
        use(text.substr(0, n));
    for (std::size_t begin = 0; begin < text.size();) {
        const auto end = std::min(text.find('\n', begin), text.size() - 1) + 1;
        use(text.substr(0, begin) + text.substr(end));
        use(text.substr(0, end) + text.substr(begin));
        begin = end;
    }
    std::uint64_t state = 0x9E3779B97F4A7C15u;
    for (int i = 0; i < 500 && !text.empty(); ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        std::string damaged = text;
        damaged[(state >> 33) % text.size()] = static_cast<char>(state >> 24);
        use(damaged);
    }
}

} // namespace assay::testing
