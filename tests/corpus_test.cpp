#include "kernels/gate.h"
#include "metal/software/device_file.h"
#include "probe/import/import.h"
#include "probe/table.h"
#include "shim/profile.h"
#include "shim/status.h"
#include "tests/end_to_end.h"

#include <filesystem>

using namespace assay;
using namespace assay::testing;

/// Calls `use` with every file of tests/corpus/FOLDER and with its damaged copies.
template <class F>
static void for_each_input(const std::string& folder, F use) {
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(test_file("corpus/" + folder))) {
        CAPTURE(entry.path().string());
        const auto text = read_file(entry.path().string()).value();
        use(text);
        for_each_damage(text, use);
        ++files;
    }
    CHECK(files > 0);
}

TEST_CASE("JSON: what is accepted survives writing and reading") {
    for_each_input("json", [](const std::string& text) {
        if (const auto value = parse_json(text, "corpus"))
            CHECK(write_json(parse_json(write_json(*value), "again").value()) == write_json(*value));
    });
}

TEST_CASE("capability tables: what is accepted survives writing and reading") {
    for_each_input("table", [](const std::string& text) {
        const auto value = parse_json(text, "corpus");
        if (!value)
            return;
        const auto table = table_from_json(*value, "corpus");
        if (table)
            CHECK(to_json(table_from_json(to_json(*table), "again").value()) == to_json(*table));
    });
}

TEST_CASE("profiles: what is accepted survives writing and reading, and its digest holds") {
    for_each_input("profile", [](const std::string& text) {
        const auto profile = parse_profile(text, "corpus");
        if (!profile)
            return;
        const auto written = profile_text(*profile);
        const auto again = parse_profile(written, "again").value();
        CHECK(digest_holds(written, again));
        CHECK(profile_text(again) == written);
    });
}

TEST_CASE("a profile with any byte changed is refused or fails its digest") {
    const auto text = read_file(test_file("corpus/profile/simulated.json")).value();
    REQUIRE(digest_holds(text, parse_profile(text, "corpus").value()));
    for_each_damage(text, [&](const std::string& damaged) {
        const auto profile = parse_profile(damaged, "damaged");
        if (profile && damaged != text)
            CHECK(!digest_holds(damaged, *profile));
    });
}

TEST_CASE("status files: what is accepted survives writing and reading") {
    for_each_input("status", [](const std::string& text) {
        if (const auto status = parse_status(text, "corpus"))
            CHECK(status_text(parse_status(status_text(*status), "again").value()) == status_text(*status));
    });
}

TEST_CASE("device files are read or refused") {
    for_each_input("device",
                   [](const std::string& text) { (void)software::read_device_file(text, "corpus"); });
}

TEST_CASE("client gates are read or refused, and what is read evaluates") {
    for_each_input("gates", [](const std::string& text) {
        if (const auto value = parse_json(text, "corpus"))
            (void)gates_from_json(*value, "corpus");
    });
}

TEST_CASE("logs: what is accepted survives writing and reading") {
    for_each_input("log", [](const std::string& text) {
        const auto table = import_log(text, "corpus");
        if (table)
            CHECK(to_json(table_from_json(to_json(*table), "again").value()) == to_json(*table));
    });
}
