#include "base/file.h"

#include <doctest/doctest.h>
#include <filesystem>
#include <sys/stat.h>

using namespace assay;

TEST_CASE("a written file reads back, and nothing is left beside it") {
    const auto folder = TemporaryFolder::make("assay-file-test").value();
    const auto path = folder.path() + "/a.json";
    REQUIRE(write_file(path, "one").has_value());
    REQUIRE(write_file(path, "two").has_value());
    CHECK(read_file(path).value() == "two");
    std::size_t entries = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path()))
        ++entries;
    CHECK(entries == 1);
}

TEST_CASE("reading says which file and why it could not be read") {
    const auto missing = read_file("/nonexistent/file");
    REQUIRE(missing.has_error());
    CHECK(missing.error().kind == ErrorKind::bad_input);
    CHECK(missing.error().text() == "/nonexistent/file: cannot open: No such file or directory");
    const auto folder = TemporaryFolder::make("assay-file-test").value();
    CHECK(read_file(folder.path()).has_error());
    REQUIRE(write_file(folder.path() + "/big", "12345").has_value());
    CHECK(read_file(folder.path() + "/big", 4).error().message == "is larger than 4 bytes");
}

TEST_CASE("writing into a missing folder is an error and creates nothing") {
    CHECK(write_file("/nonexistent/folder/file", "x").has_error());
}

TEST_CASE("a temporary folder disappears with its owner") {
    std::string path;
    {
        const auto folder = TemporaryFolder::make("assay-file-test").value();
        path = folder.path();
        CHECK(std::filesystem::is_directory(path));
    }
    CHECK(!std::filesystem::exists(path));
}
