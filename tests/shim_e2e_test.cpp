// Real programs under the injected library.
#include "base/json.h"
#include "base/platform.h"
#include "shim/launch.h"
#include "shim/profile.h"
#include "shim/status.h"
#include "tests/end_to_end.h"

#include <sys/stat.h>
#include <unistd.h>

using namespace assay;
using namespace assay::testing;

namespace {

constexpr const char* kLibMetal = ASSAY_BUILD_DIR "/lib/libMetal.so";
constexpr const char* kLinked = ASSAY_BUILD_DIR "/bin/answers_linked";
constexpr const char* kOpened = ASSAY_BUILD_DIR "/bin/answers_opened";

// What the default device answers, and what it answers with Apple6 and Apple7 raised. Of the derived answers
// Metal computes readWriteTextureSupport from the families as it creates the device.
constexpr const char* kStock =
    "AppleParavirtDevice 1005=1 1006=0 1007=0 1008=0 tgmem=32768 readwrite=1 unified=1";
constexpr const char* kRaised =
    "AppleParavirtDevice 1005=1 1006=1 1007=1 1008=0 tgmem=32768 readwrite=2 unified=1";
constexpr const char* kRaisedAfter =
    "AppleParavirtDevice 1005=1 1006=1 1007=1 1008=0 tgmem=32768 readwrite=1 unified=1";

std::string uuid_from(const std::string& hex) {
    return hex.substr(0, 8) + '-' + hex.substr(8, 4) + '-' + hex.substr(12, 4) + '-' + hex.substr(16, 4) +
           '-' + hex.substr(20, 12);
}

/// A profile that fits the default device.
Profile fitting() {
    const auto device = read_file(ASSAY_SOURCE_DIR "/metal/software/devices/tahoe-guest-m1-ultra.json");
    REQUIRE(device.has_value());
    Profile profile;
    profile.name = "test";
    profile.state = ProfileState::simulated;
    profile.pins.device_class = "AppleParavirtDevice";
    profile.pins.device_name = "Apple Paravirtual device";
    profile.pins.os_build = "25F84";
    profile.pins.chip = "Apple M1 Ultra (Virtual)";
    profile.pins.driver_uuid = uuid_from(sha256_hex(*device));
    profile.pins.metal_uuid = uuid_from(sha256_hex("metal-assay libMetal " ASSAY_VERSION));
    profile.overrides = {{"supportsFamily(Apple6)", true}, {"supportsFamily(Apple7)", true}};
    profile.stock = {{"supportsFamily(Apple6)", false}, {"supportsFamily(Apple7)", false}};
    return profile;
}

/// A folder with a profile and a place for the status.
class Study {
  public:
    explicit Study(const Profile& profile = fitting()) {
        REQUIRE(write_profile(profile, path()).has_value());
    }
    explicit Study(const std::string& text) { write(text); }

    std::string path() const { return folder_.path() + "/profile.json"; }
    std::string status_path() const { return folder_.path() + "/status.json"; }
    void write(const std::string& text) { REQUIRE(write_file(path(), text).has_value()); }
    std::string text() const { return read_file(path()).value(); }
    Status status() const { return read_status(status_path()).value(); }

    /// assay run OPTIONS -- PROGRAM MODE
    Finished run(std::vector<std::string> options, const std::string& program = kLinked,
                 const std::string& mode = "ask", Variables environment = {}) const {
        std::vector<std::string> arguments{"run", "--profile", path(), "--status", status_path()};
        arguments.insert(arguments.end(), options.begin(), options.end());
        arguments.insert(arguments.end(), {"--", program, mode});
        environment.emplace_back("ASSAY_METAL_LIBRARY", kLibMetal);
        return run_assay(arguments, environment);
    }
    /// The program with the library, but without assay run in front.
    Finished inject(bool require, const std::string& program = kLinked) const {
        LaunchOptions options;
        options.profile = path();
        options.status_path = status_path();
        options.require = require;
        auto environment = launch_environment(options);
        REQUIRE(environment.has_value());
        environment->emplace_back("ASSAY_METAL_LIBRARY", kLibMetal);
        auto done = run_program({{program, "ask"}, *environment}, std::chrono::seconds(60));
        REQUIRE(done.has_value());
        return std::move(*done);
    }

  private:
    TemporaryFolder folder_ = TemporaryFolder::make("shim").value();
};

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

std::size_t lines(const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

/// The program answers as at stock, one line more says why, and --require ends with 3.
void check_refused(const Study& study, const std::string& reason,
                   const std::vector<std::string>& options = {}) {
    CAPTURE(reason);
    const auto done = study.run(options);
    CHECK(done.status.code == 0);
    CHECK(contains(done.output, kStock));
    CHECK(contains(done.output, "stock answers: " + reason + " ("));
    CHECK(lines(done.output) == 2);
    auto required = options;
    required.push_back("--require");
    const auto refused = study.run(required);
    CHECK(refused.status.code == 3);
    CHECK(!contains(refused.output, "1007=1"));
    CHECK(contains(refused.output, reason));
    CHECK(lines(refused.output) == 1);
}

/// The same when the library alone decides.
void check_library_refuses(const Study& study, const std::string& reason) {
    CAPTURE(reason);
    const auto done = study.inject(false);
    CHECK(done.status.code == 0);
    CHECK(contains(done.output, kStock));
    CHECK(contains(done.output, "assay-shim: stock answers: " + reason + " ("));
    CHECK(lines(done.output) == 2);
    CHECK(!study.status().active);
    CHECK(study.status().reason == reason);
    const auto refused = study.inject(true);
    CHECK(refused.status.code == 3);
    CHECK(!contains(refused.output, "1007="));
}

} // namespace

TEST_CASE("a fitting profile changes its answers and those that creation derives from them") {
    const Study study;
    const auto done = study.run({"--require"});
    CHECK(done.status.code == 0);
    CHECK(done.output == std::string(kRaised) +
                             "\nassay run: active: 2 overrides on AppleParavirtDevice (init), 2 consulted\n");
    const auto status = study.status();
    CHECK(status.active);
    REQUIRE(status.devices.size() == 1);
    CHECK(status.devices[0].applied ==
          std::vector<std::string>{"supportsFamily(Apple6)", "supportsFamily(Apple7)"});
    CHECK(status.consulted.size() == 2);
}

TEST_CASE("without a profile the client answers as at stock") {
    const auto done =
        run_program({{kLinked, "ask"}, {{"ASSAY_METAL_LIBRARY", kLibMetal}}}, std::chrono::seconds(60));
    CHECK(done.value().output == std::string(kStock) + "\n");
}

TEST_CASE("overrides installed after creation do not reach what creation derived") {
    const Study study;
    const auto done = study.run({"--require", "--install-point", "creation"});
    CHECK(contains(done.output, kRaisedAfter));
    CHECK(study.status().install_point == "creation");
    CHECK(contains(study.run({"--require", "--install-point", "init"}).output, kRaised));
}

TEST_CASE("clients that open Metal, ask for all devices, fork or exec get the changed answers") {
    const Study study;
    for (const char* program : {kLinked, kOpened})
        for (const char* mode : {"ask", "all", "fork-before", "fork-after", "exec"}) {
            CAPTURE(program);
            CAPTURE(mode);
            const auto done = study.run({"--require"}, program, mode);
            CHECK(done.status.code == 0);
            CHECK(contains(done.output, kRaised));
        }
}

TEST_CASE("sixteen racing threads all get the changed answers") {
    const Study study;
    for (const char* point : {"init", "creation"})
        CHECK(contains(study.run({"--require", "--install-point", point}, kLinked, "race").output,
                       "raised in 16 threads"));
}

TEST_CASE("constants are replaced, raising and masking") {
    auto profile = fitting();
    profile.overrides = {{"maxThreadgroupMemoryLength", std::uint64_t{65536}}, {"hasUnifiedMemory", false}};
    profile.stock = {{"maxThreadgroupMemoryLength", std::uint64_t{32768}}, {"hasUnifiedMemory", true}};
    const auto done = Study(profile).run({"--require"});
    CHECK(contains(done.output,
                   "AppleParavirtDevice 1005=1 1006=0 1007=0 1008=0 tgmem=65536 readwrite=1 unified=0"));
}

TEST_CASE(
    "a profile that cannot be trusted leaves the program at stock, with one line and a code for --require") {
    const auto whole = Study().text();
    SUBCASE("edited") {
        auto edited = whole;
        edited.replace(edited.find("25F84"), 5, "25F85");
        check_refused(Study(edited), "wrong-digest");
        check_library_refuses(Study(edited), "wrong-digest");
    }
    SUBCASE("garbage") {
        check_refused(Study(std::string("garbage")), "malformed");
        check_library_refuses(Study(std::string("garbage")), "malformed");
    }
    SUBCASE("missing") {
        const Study study;
        REQUIRE(::unlink(study.path().c_str()) == 0);
        check_refused(study, "no-profile");
        check_library_refuses(study, "no-profile");
    }
    SUBCASE("writable by others") {
        const Study study;
        for (const mode_t mode : {0664u, 0646u}) {
            REQUIRE(::chmod(study.path().c_str(), mode) == 0);
            check_refused(study, "writable-by-others");
            check_library_refuses(study, "writable-by-others");
        }
    }
    SUBCASE("in a folder that others can write") {
        const Study study;
        const auto folder = study.path().substr(0, study.path().rfind('/'));
        REQUIRE(::chmod(folder.c_str(), 0777) == 0);
        check_refused(study, "writable-by-others");
    }
    SUBCASE("of another user") {
        const Study study;
        if (::geteuid() == 0) { // only root can give files away
            REQUIRE(::chown(study.path().c_str(), 65534, 65534) == 0);
            check_refused(study, "writable-by-others");
            check_library_refuses(study, "writable-by-others");
        }
    }
    SUBCASE("a draft, unless drafts are allowed") {
        Profile draft;
        draft.name = "draft";
        draft.overrides = fitting().overrides;
        const Study study(draft);
        check_refused(study, "draft");
        check_library_refuses(study, "draft");
        CHECK(contains(study.run({"--draft", "--require"}).output, kRaised));
    }
}

TEST_CASE("a profile that does not fit the device leaves it at stock") {
    const auto refuses = [](const char* reason, auto change) {
        auto profile = fitting();
        change(profile);
        const Study study(profile);
        check_refused(study, reason);
        check_library_refuses(study, reason);
        check_refused(study, reason, {"--install-point", "creation"});
    };
    refuses("other-os-build", [](Profile& p) { p.pins.os_build = "25F85"; });
    refuses("other-chip", [](Profile& p) { p.pins.chip = "Apple M2"; });
    refuses("other-device-class", [](Profile& p) { p.pins.device_class = "AGXG13XDevice"; });
    refuses("other-device-name", [](Profile& p) { p.pins.device_name = "Apple M1"; });
    refuses("other-driver", [](Profile& p) { p.pins.driver_uuid = p.pins.metal_uuid; });
    refuses("other-metal", [](Profile& p) { p.pins.metal_uuid = p.pins.driver_uuid; });
    refuses("stock-answer-differs", [](Profile& p) { p.stock[1].answer = true; });
    refuses("other-backend", [](Profile& p) {
        p.backend = "metal";
        p.state = ProfileState::validated;
    });
}

TEST_CASE("a library that does not load is noticed, and --require ends with 3") {
    const Study study;
    const auto broken = study.path().substr(0, study.path().rfind('/')) + "/broken.so";
    REQUIRE(write_file(broken, "no library").has_value());
    const Variables environment{{"ASSAY_SHIM_LIBRARY", broken}};
    const auto done = study.run({}, kLinked, "ask", environment);
    CHECK(done.status.code == 0);
    CHECK(contains(done.output, kStock));
    CHECK(contains(done.output, "assay run: the library did not load into the program"));
    CHECK(study.run({"--require"}, kLinked, "ask", environment).status.code == 3);
    const Variables missing{{"ASSAY_SHIM_LIBRARY", broken + "x"}};
    CHECK(contains(study.run({}, kLinked, "ask", missing).output, "the library to inject is not there"));
    CHECK(study.run({"--require"}, kLinked, "ask", missing).status.code == 3);
}

TEST_CASE("assay run hands on the program's exit code and signal, and says when there was no device") {
    const Study study;
    const auto run = [&](const std::string& script) {
        return run_assay({"run", "--profile", study.path(), "--require", "--", "/bin/sh", "-c", script});
    };
    CHECK(run("exit 7").status.code == 7);
    CHECK(run("kill -TERM $$").status.code == 143);
    CHECK(run("exit 0").output == "assay run: no Metal device was created\n");
    const auto missing = run_assay({"run", "--profile", study.path(), "--", "no-such-program"});
    CHECK(missing.status.code == 2);
    CHECK(contains(missing.output, "there is no such program in PATH"));
}

TEST_CASE("assay profile explains a profile and checks it as the library does") {
    const Study study;
    const auto shown = run_assay({"profile", "show", study.path()});
    CHECK(shown.status.code == 0);
    CHECK(contains(shown.output, "supportsFamily(Apple7)  true  instead of false"));
    CHECK(run_assay({"profile", "check", study.path()}).status.code == 0);
    REQUIRE(::chmod(study.path().c_str(), 0666) == 0);
    CHECK(run_assay({"profile", "check", study.path()}).status.code == 2);
    CHECK(run_assay({"profile", "shwo", study.path()}).status.code == 2);
}
