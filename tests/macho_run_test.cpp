// The x86_64 macOS build of assay, run under macho-run, against the native build: same answers, same
// verdicts.
//
// macho-run (a loader of Mach-O programs for Linux) is named by MACHO_RUN; without it, or without the
// macos-x86_64 build, these tests are skipped. The Metal of both sides is the same libMetal.so.
#include "base/json.h"
#include "tests/end_to_end.h"

#include <filesystem>
#include <optional>

using namespace assay;
using namespace assay::testing;

namespace {

/// The Mac build and the tool that runs it; none when either is missing, and then that is said.
class MacBuild {
  public:
    static std::optional<MacBuild> find() {
        const char* tool = std::getenv("MACHO_RUN");
        if (!tool || !*tool) {
            MESSAGE("skipped: MACHO_RUN does not name macho-run");
            return {};
        }
        MacBuild build(tool);
        if (!std::filesystem::exists(build.binary_)) {
            MESSAGE("skipped: the macos-x86_64 build is missing: ", build.binary_);
            return {};
        }
        return build;
    }

    /// Runs the Mac build on a machine that a file under tests/data/macs describes.
    Finished run(const std::vector<std::string>& arguments, const Variables& environment = {},
                 const std::string& mac = "tahoe-guest") const {
        std::vector<std::string> argv{tool_,
                                      "--metal",
                                      ASSAY_BUILD_DIR "/lib/libMetal.so",
                                      "--facts",
                                      test_file("data/macs/" + mac + ".facts"),
                                      binary_};
        argv.insert(argv.end(), arguments.begin(), arguments.end());
        auto done = run_program({std::move(argv), environment}, std::chrono::seconds(120));
        REQUIRE(done.has_value());
        REQUIRE(!done->timed_out);
        return std::move(*done);
    }

    const std::string& binary() const { return binary_; }

  private:
    explicit MacBuild(std::string tool) : tool_(std::move(tool)) {}
    std::string tool_;
    std::string binary_ = ASSAY_SOURCE_DIR "/build/macos-x86_64/bin/assay";
};

/// Says what this macho-run lacks, if a run stopped at it: that is no fault of the program.
bool lacks_something(const Finished& done) {
    const auto at = done.output.find("which nothing here provides");
    if (at == std::string::npos)
        return false;
    const auto begin = done.output.rfind('\n', at) + 1;
    MESSAGE("skipped: ", done.output.substr(begin, done.output.find('\n', at) - begin));
    return true;
}

json::value table_of(const std::string& path) {
    const auto table = read_json(path);
    REQUIRE_MESSAGE(table.has_value(), path);
    return *table;
}

/// What was answered, or why not, without how it is known: the Mac build cannot tell that its Metal is
/// simulated.
std::string bare(const json::value& answer) {
    if (const auto* object = answer.if_object())
        for (const char* member : {"value", "status"})
            if (object->contains(member))
                return write_json_line(object->at(member));
    return write_json_line(answer);
}

} // namespace

TEST_CASE("the Mac build prints what the native build prints") {
    const auto mac = MacBuild::find();
    if (!mac)
        return;
    for (const auto& arguments : std::vector<std::vector<std::string>>{
             {}, {"--help"}, {"probe", "--help"}, {"prob"}, {"probe", "--devcie", "1"}}) {
        const auto expected = run_assay(arguments);
        const auto done = mac->run(arguments);
        CHECK(done.status.text() == expected.status.text());
        CHECK(done.output == expected.output);
    }
}

TEST_CASE("the Mac build says that it is one") {
    const auto mac = MacBuild::find();
    if (!mac)
        return;
    const auto done = mac->run({"--version"});
    CHECK(done.status.code == 0);
    CHECK(done.output.rfind("assay " ASSAY_VERSION " (", 0) == 0);
    CHECK(done.output.find(", macOS x86_64)\n") != std::string::npos);
}

TEST_CASE("the Mac build compares tables as the native build does") {
    const auto mac = MacBuild::find();
    if (!mac)
        return;
    const auto folder = TemporaryFolder::make("macho-run");
    REQUIRE(folder.has_value());
    const auto guest = folder->path() + "/guest.json";
    const auto host = folder->path() + "/host.json";
    REQUIRE(run_assay({"probe", "-o", guest}).status.code == 0);
    REQUIRE(run_assay({"probe", "-o", host}, {{"ASSAY_DEVICE", "m1-ultra-bare-metal"}}).status.code == 0);
    for (const char* format : {"text", "json"}) {
        const std::vector<std::string> arguments{"diff", "--format", format, host, guest};
        const auto expected = run_assay(arguments);
        const auto done = mac->run(arguments);
        CHECK(expected.status.code == 1);
        CHECK(done.status.text() == expected.status.text());
        CHECK(done.output == expected.output);
    }
}

TEST_CASE("the Mac build reads logs into the tables of the native build") {
    const auto mac = MacBuild::find();
    if (!mac)
        return;
    int logs = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(test_file("data/logs"))) {
        if (!entry.is_regular_file())
            continue;
        ++logs;
        const std::vector<std::string> arguments{"import", entry.path().string(), "-o", "-"};
        const auto expected = run_assay(arguments);
        const auto done = mac->run(arguments);
        CHECK(done.status.text() == expected.status.text());
        CHECK_MESSAGE(done.output == expected.output, entry.path().string());
    }
    CHECK(logs > 0);
}

TEST_CASE("the Mac build gets every answer that the native build gets") {
    const auto mac = MacBuild::find();
    if (!mac)
        return;
    const auto folder = TemporaryFolder::make("macho-run");
    REQUIRE(folder.has_value());
    for (const std::string device : {"tahoe-guest-m1-ultra", "m1-ultra-bare-metal", "sonoma-guest-raising"}) {
        const Variables environment{{"ASSAY_DEVICE", device}};
        const auto native_path = folder->path() + "/native.json";
        const auto mac_path = folder->path() + "/mac.json";
        REQUIRE(run_assay({"probe", "-o", native_path}, environment).status.code == 0);
        const auto done = mac->run({"probe", "-o", mac_path}, environment);
        REQUIRE_MESSAGE(done.status.code == 0, done.output);
        const auto native_table = table_of(native_path);
        const auto mac_table = table_of(mac_path);
        const auto& expected = native_table.at("devices").as_array();
        const auto& found = mac_table.at("devices").as_array();
        REQUIRE(found.size() == expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) {
            CHECK(found[i].at("class") == expected[i].at("class"));
            const auto& answers = found[i].at("answers").as_object();
            for (const auto& [key, answer] : expected[i].at("answers").as_object()) {
                const std::string name(key);
                INFO(device, " ", name);
                REQUIRE(answers.contains(key));
                CHECK(bare(answers.at(key)) == bare(answer));
            }
            CHECK(answers.size() == expected[i].at("answers").as_object().size());
        }
    }
}

TEST_CASE("the library of the Mac build finds its way into a program and changes its answers") {
    const auto mac = MacBuild::find();
    if (!mac)
        return;
    const auto folder = TemporaryFolder::make("macho-run");
    REQUIRE(folder.has_value());
    const auto table_path = folder->path() + "/table.json";
    const auto draft = [&](const char* backend) {
        const auto path = folder->path() + "/" + backend + ".json";
        const json::value profile{{"schema", "assay.profile/1"},
                                  {"name", "draft"},
                                  {"state", "draft"},
                                  {"backend", backend},
                                  {"goal", json::array{"llama.cpp"}},
                                  {"overrides",
                                   {{"supportsFamily(Apple6)", true},
                                    {"supportsFamily(Apple7)", true},
                                    {"maxThreadgroupMemoryLength", 65536}}}};
        REQUIRE(write_file(path, write_json(profile)).has_value());
        return path;
    };
    const auto answers = [&] { return table_of(table_path).at("devices").at(0).at("answers").as_object(); };

    const auto native_run = run_assay({"run", "--draft", "--require", "--profile", draft("software"), "--",
                                       ASSAY_BINARY, "probe", "-o", table_path});
    CHECK(native_run.status.code == 0);
    const auto expected = answers();
    const auto done = mac->run({"run", "--draft", "--require", "--profile", draft("metal"), "--",
                                mac->binary(), "probe", "-o", table_path});
    if (lacks_something(done))
        return;
    CHECK_MESSAGE(done.status.code == 0, done.output);
    CHECK(done.output.find("active: 3 overrides on AppleParavirtDevice (init)") != std::string::npos);
    const auto found = answers();
    CHECK(bare(found.at("supportsFamily(Apple7)")) == "true");
    CHECK(bare(found.at("supportsFamily(Apple8)")) == "false");
    CHECK(bare(found.at("maxThreadgroupMemoryLength")) == "65536");
    for (const auto& [key, answer] : expected) {
        INFO(std::string(key));
        REQUIRE(found.contains(key));
        CHECK(bare(found.at(key)) == bare(answer));
    }

    SUBCASE("a profile that does not fit leaves the program alone, and --require says so") {
        const auto refused = mac->run({"run", "--require", "--profile", draft("metal"), "--", mac->binary(),
                                       "probe", "-o", table_path});
        CHECK(refused.status.code == 3);
        const auto stock =
            mac->run({"run", "--profile", draft("metal"), "--", mac->binary(), "probe", "-o", table_path});
        CHECK(stock.status.code == 0);
        CHECK(bare(answers().at("supportsFamily(Apple7)")) == "false");
    }
}

TEST_CASE("kernels reach the same rungs in the Mac build") {
    const auto mac = MacBuild::find();
    if (!mac)
        return;
    const std::vector<std::string> arguments{"kernels", "run", "--force", "--quick", "--no-time", "--json"};
    Variables environment;
    SUBCASE("on the guest") {}
    SUBCASE("on a device whose kernels return zeros") { environment = {{"ASSAY_DEVICE", "zeros"}}; }
    SUBCASE("on a device that overclaims") { environment = {{"ASSAY_DEVICE", "overclaims-metal3"}}; }
    const auto native_run = run_assay(arguments, environment);
    const auto done = mac->run(arguments, environment);
    CHECK(done.status.text() == native_run.status.text());
    const auto expected = parse_json(native_run.output, "native");
    const auto found = parse_json(done.output, "mac");
    REQUIRE_MESSAGE(expected.has_value(), native_run.output);
    REQUIRE_MESSAGE(found.has_value(), done.output);
    const auto& expected_results = expected->at("results").as_array();
    const auto& results = found->at("results").as_array();
    REQUIRE(results.size() == expected_results.size());
    for (std::size_t i = 0; i < results.size(); ++i)
        for (const char* member : {"kernel", "variant", "status", "verdict", "rungs", "rung", "inputs"}) {
            INFO(write_json_line(expected_results[i]), write_json_line(results[i]));
            CHECK(results[i].at(member) == expected_results[i].at(member));
        }
}

TEST_CASE("ablation finds the same profile in the Mac build") {
    const auto mac = MacBuild::find();
    if (!mac)
        return;
    const auto folder = TemporaryFolder::make("macho-run");
    REQUIRE(folder.has_value());
    const auto arguments = [&](const char* name) {
        return std::vector<std::string>{
            "ablate", "--goal", "llama.cpp", "--repeats", "2", "-o", folder->path() + "/" + name};
    };
    const auto done = mac->run(arguments("mac"));
    if (lacks_something(done))
        return;
    const auto identity = table_of(folder->path() + "/mac/stock.json").at("identity");
    if (!identity.as_object().contains("metal") || !identity.as_object().contains("driver")) {
        MESSAGE("skipped: this macho-run does not tell the UUIDs that a profile pins");
        return;
    }
    const auto native_run = run_assay(arguments("native"));
    REQUIRE_MESSAGE(native_run.status.code == 0, native_run.output);
    REQUIRE_MESSAGE(done.status.code == 0, done.output);
    const auto expected = table_of(folder->path() + "/native/profile.json");
    const auto found = table_of(folder->path() + "/mac/profile.json");
    CHECK(expected.at("overrides").as_object().size() > 0);
    for (const char* member : {"goal", "overrides", "stock", "hazards"}) {
        INFO(member);
        CHECK(write_json(found.at(member)) == write_json(expected.at(member)));
    }
}

TEST_CASE("the Mac build knows which Mac it runs on") {
    const auto mac = MacBuild::find();
    if (!mac)
        return;
    const auto folder = TemporaryFolder::make("macho-run");
    REQUIRE(folder.has_value());
    const auto path = folder->path() + "/table.json";
    const auto identity = [&](const std::string& machine) {
        const auto done = mac->run({"probe", "-o", path}, {}, machine);
        REQUIRE_MESSAGE(done.status.code == 0, done.output);
        return table_of(path).at("identity");
    };

    const auto guest = identity("tahoe-guest");
    CHECK(guest.at("os").at("version") == "26.5.2");
    CHECK(guest.at("os").at("build") == "25F84");
    CHECK(guest.at("chip") == "Apple M1 Ultra (Virtual)");
    CHECK(guest.at("model") == "VirtualMac2,1");
    CHECK(guest.at("memory_bytes") == 17179869184);
    CHECK(guest.at("virtual_machine").at("present") == true);
    CHECK(guest.at("virtual_machine").at("kind") == "Apple Virtualization");
    CHECK(guest.at("process").at("architecture") == "x86_64");
    CHECK(guest.at("process").at("translated") == false);
    CHECK(guest.at("process").at("sdk") == "13.0");

    const auto bare_metal = identity("m1-ultra");
    CHECK(bare_metal.at("virtual_machine").at("present") == false);
    CHECK(bare_metal.at("model") == "Mac13,2");

    const auto translated = identity("rosetta");
    CHECK(translated.at("process").at("translated") == true);
    CHECK(translated.at("virtual_machine").at("present") == true);
    CHECK(!translated.at("virtual_machine").as_object().contains("kind"));
}
