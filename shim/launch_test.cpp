#include "base/file.h"
#include "shim/launch.h"
#include "shim/program_file.h"

#include <algorithm>
#include <cstdlib>
#include <doctest/doctest.h>
#include <sys/stat.h>

using namespace assay;

namespace {

std::string value_of(const std::vector<std::pair<std::string, std::string>>& variables,
                     const std::string& name) {
    const auto found =
        std::find_if(variables.begin(), variables.end(), [&](const auto& v) { return v.first == name; });
    REQUIRE(found != variables.end());
    return found->second;
}

} // namespace

TEST_CASE("the launcher's environment keeps libraries that are inserted already, and makes paths absolute") {
    ::setenv("ASSAY_SHIM_LIBRARY", "/proc/self/exe", 1);
    ::setenv("LD_PRELOAD", "/other.so", 1);
    LaunchOptions options;
    options.profile = "p.json";
    options.require = true;
    const auto environment = launch_environment(options);
    ::unsetenv("LD_PRELOAD");
    REQUIRE(environment.has_value());
    CHECK(value_of(*environment, "LD_PRELOAD") == "/proc/self/exe:/other.so");
    CHECK(value_of(*environment, "ASSAY_PROFILE").front() == '/');
    CHECK(value_of(*environment, "ASSAY_REQUIRE") == "1");
    CHECK(value_of(*environment, "ASSAY_DRAFT").empty());
    CHECK(value_of(*environment, "ASSAY_STATUS").empty());
    ::setenv("ASSAY_SHIM_LIBRARY", "/no/such/library.so", 1);
    CHECK(!launch_environment(options).has_value());
    ::unsetenv("ASSAY_SHIM_LIBRARY");
}

TEST_CASE("a library whose path the loader would split is refused") {
    const auto folder = TemporaryFolder::make("with space").value();
    const auto path = folder.path() + "/lib assay.so";
    REQUIRE(write_file(path, "x").has_value());
    ::setenv("ASSAY_SHIM_LIBRARY", path.c_str(), 1);
    CHECK(!launch_environment({}).has_value());
    ::unsetenv("ASSAY_SHIM_LIBRARY");
}

TEST_CASE("a script runs its interpreter") {
    CHECK(script_interpreter("#!/bin/sh\n") == "/bin/sh");
    CHECK(script_interpreter("#! /usr/bin/env -S A=1 python3 -u\n") == "python3");
    CHECK(script_interpreter("#!/bin/sh") == "/bin/sh");
    CHECK(script_interpreter("\x7f"
                             "ELF")
              .empty());
    const auto folder = TemporaryFolder::make("script").value();
    const auto path = folder.path() + "/script";
    REQUIRE(write_file(path, "#!/bin/sh\n").has_value());
    REQUIRE(::chmod(path.c_str(), 0755) == 0);
    CHECK(precheck(path).value() == "/bin/sh");
}

TEST_CASE("a missing program and a set-user-id one are recognised before the start") {
    CHECK(!precheck("/no/such/program").has_value());
    const auto folder = TemporaryFolder::make("suid").value();
    const auto path = folder.path() + "/program";
    REQUIRE(write_file(path, read_file("/bin/true").value()).has_value());
    REQUIRE(::chmod(path.c_str(), 0755) == 0);
    CHECK(precheck(path).value() == path);
    REQUIRE(::chmod(path.c_str(), 04755) == 0);
    CHECK(precheck(path).error().text().find("set-user-id") != std::string::npos);
}
