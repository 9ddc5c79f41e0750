// The injected library with devices that the software device does not offer.
#include "shim/profile.h"
#include "tests/end_to_end.h"

using namespace assay;
using namespace assay::testing;

namespace {

constexpr const char* kClient = ASSAY_BUILD_DIR "/bin/answers_opened";
constexpr const char* kFailing = ASSAY_BUILD_DIR "/lib/libassay_shim_failing.so";
constexpr const char* kFirst = "FirstDevice 1005=1 1006=0 1007=0 1008=0 tgmem=32768 readwrite=1 unified=1\n";

/// A client that asks all devices of the fake Metal, under a draft that raises Apple7 and threadgroup memory.
Finished ask_all(const char* fake, Variables environment = {}, bool require = false) {
    const auto folder = TemporaryFolder::make("fake").value();
    Profile profile;
    profile.name = "draft";
    profile.overrides = {{"supportsFamily(Apple7)", true},
                         {"maxThreadgroupMemoryLength", std::uint64_t{65536}}};
    const auto path = folder.path() + "/profile.json";
    REQUIRE(write_profile(profile, path).has_value());
    environment.emplace_back("FAKE_METAL", fake);
    environment.emplace_back("ASSAY_METAL_LIBRARY", ASSAY_FAKE_METAL);
    std::vector<std::string> arguments{"run", "--draft", "--profile", path};
    if (require)
        arguments.push_back("--require");
    arguments.insert(arguments.end(), {"--", kClient, "all"});
    return run_assay(arguments, environment);
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("two device classes get the overrides, each on top of its own stock answers") {
    const auto done = ask_all("");
    CHECK(done.status.code == 0);
    CHECK(contains(done.output, "FirstDevice 1005=1 1006=0 1007=1 1008=0 tgmem=65536"));
    CHECK(contains(done.output, "SecondDevice 1005=1 1006=1 1007=1 1008=0 tgmem=65536"));
    CHECK(contains(done.output, "active: 2 overrides on FirstDevice, SecondDevice (creation), 2 consulted"));
}

TEST_CASE("a method of another type leaves all answers at stock") {
    const auto done = ask_all("type");
    CHECK(contains(done.output,
                   "stock answers: other-method-type (-[FirstDevice supportsFamily:] has the type "
                   "Q@:q, expected B@:q)"));
    CHECK(contains(done.output, kFirst));
    CHECK(ask_all("type", {}, true).status.code == 3);
}

TEST_CASE("a missing method leaves all answers at stock") {
    const auto done = ask_all("missing");
    CHECK(contains(done.output,
                   "stock answers: missing-method (-[FirstDevice maxThreadgroupMemoryLength] does"));
    CHECK(!contains(done.output, "1007=1"));
}

TEST_CASE("when a change fails half-way the changes before it are undone") {
    const auto done = ask_all("", {{"ASSAY_SHIM_LIBRARY", kFailing}});
    CHECK(contains(done.output, "stock answers: rolled-back"));
    CHECK(contains(done.output, kFirst));
    CHECK(!contains(done.output, "1007=1"));
    CHECK(!contains(done.output, "tgmem=65536"));
}
