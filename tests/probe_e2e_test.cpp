// probe, import and diff, as a user runs them.
#include "base/json.h"
#include "probe/table.h"
#include "tests/end_to_end.h"

#include <set>
#include <sys/utsname.h>

using namespace assay;
using namespace assay::testing;

namespace {

std::string replaced(std::string text, const std::string& what, const std::string& with) {
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
        text.replace(at, what.size(), with);
    return text;
}

/// What the process is, which depends on the machine that runs the tests.
std::string without_machine(const std::string& text) {
    utsname system{};
    REQUIRE(::uname(&system) == 0);
    return replaced(text, system.machine, "MACHINE");
}

/// The default device's file with some reports replaced, in `folder`.
std::string device_file(const TemporaryFolder& folder, const json::object& reports) {
    auto file = read_json(ASSAY_SOURCE_DIR "/metal/software/devices/tahoe-guest-m1-ultra.json").value();
    for (const auto& report : reports)
        file.as_object()["reports"].as_object()[report.key()] = report.value();
    auto path = folder.path() + "/device.json";
    REQUIRE(write_file(path, write_json(file)).has_value());
    return path;
}

Table table_in(const std::string& path) {
    auto table = read_table(path);
    REQUIRE_MESSAGE(table.has_value(), table.error().text());
    return std::move(*table);
}

std::string import_as(const TemporaryFolder& folder, const std::string& log, const std::string& name) {
    auto path = folder.path() + "/" + name;
    CHECK(run_assay({"import", test_file("data/trycua-cua/" + log), "-o", path}).status.clean());
    return path;
}

} // namespace

TEST_CASE("probe shows the default device, simulated and with its assumptions marked") {
    const auto run = run_assay({"probe"});
    CHECK(run.status.code == 0);
    check_golden("probe-default.txt", without_machine(run.output));
}

TEST_CASE("probe writes a table that reads back, and -o - prints it") {
    const auto folder = TemporaryFolder::make("probe-e2e").value();
    const auto path = folder.path() + "/table.json";
    CHECK(run_assay({"probe", "-o", path}).status.clean());
    const auto table = table_in(path);
    CHECK(table.simulated());
    CHECK(table.identity.os_build == "25F84");
    CHECK(table.identity.shim.kind == ActiveShim::Kind::none);
    CHECK(table.identity.driver_uuid.size() == 36);
    REQUIRE(table.devices.size() == 1);
    const auto& device = table.devices[0];
    CHECK(device.class_name == "AppleParavirtDevice");
    CHECK(device.find("supportsFamily(Apple7)")->origin == AnswerOrigin::implied);
    CHECK(device.find("maxThreadgroupMemoryLength")->origin == AnswerOrigin::assumed);
    CHECK(run_assay({"probe", "-o", "-"}).output == write_json(to_json(table)));
    CHECK(run_assay({"probe", "--format", "json"}).output == write_json(to_json(table)));
}

TEST_CASE("a question that raises, aborts or hangs is marked, and every other one is answered") {
    const auto folder = TemporaryFolder::make("probe-e2e").value();
    const auto device =
        device_file(folder, {{"locationNumber", {{"status", "raised"}, {"detail", "NSGenericException: no"}}},
                             {"supportsRaytracing", {{"status", "aborted"}}},
                             {"supportsFamily(Apple9)", {{"status", "aborted"}}},
                             {"peerCount", {{"status", "timeout"}}}});
    const auto path = folder.path() + "/table.json";
    const auto run = run_assay({"probe", "-o", path}, {{"ASSAY_DEVICE", device}});
    CHECK(run.status.code == 0);
    const auto answers = table_in(path).devices.at(0);
    std::set<std::string> lost;
    for (const auto& [key, answer] : answers.answers())
        if (!answer.answered())
            lost.insert(key + " " + std::string(status_name(answer.status)));
    CHECK(lost == std::set<std::string>{"locationNumber raised", "supportsRaytracing aborted",
                                        "supportsFamily(Apple9) aborted", "peerCount timeout"});
    CHECK(run.output.find("note: peerCount timeout: no answer within 2 s") != std::string::npos);
}

TEST_CASE("a saved table replays: the device made of it gives the same table") {
    const auto folder = TemporaryFolder::make("probe-e2e").value();
    const auto first = folder.path() + "/first.json";
    const auto second = folder.path() + "/second.json";
    CHECK(run_assay({"probe", "-o", first}).status.clean());
    const auto device =
        device_file(folder, read_json(first).value().at("devices").at(0).at("answers").as_object());
    CHECK(run_assay({"probe", "-o", second}, {{"ASSAY_DEVICE", device}}).status.clean());
    CHECK(run_assay({"diff", first, second}).status.code == 0);
    CHECK(write_json(read_json(first).value().at("devices")) ==
          write_json(read_json(second).value().at("devices")));
}

TEST_CASE("without a device probe says what to do and exits 3") {
    const auto folder = TemporaryFolder::make("probe-e2e").value();
    auto file = read_json(ASSAY_SOURCE_DIR "/metal/software/devices/tahoe-guest-m1-ultra.json").value();
    file.as_object()["faults"] = json::array{json::object{{"effect", "no-device"}}};
    const auto path = folder.path() + "/device.json";
    REQUIRE(write_file(path, write_json(file)).has_value());
    const auto run = run_assay({"probe"}, {{"ASSAY_DEVICE", path}});
    CHECK(run.status.code == 3);
    CHECK(run.output.find("there is no Metal device on this system") != std::string::npos);
    CHECK(run.output.find("system_profiler") != std::string::npos);
}

TEST_CASE("a device whose creation raises is exit 3 with the reason") {
    const auto folder = TemporaryFolder::make("probe-e2e").value();
    // The device caches its limits when it is made.
    const auto device = device_file(
        folder, {{"maxBufferLength", {{"status", "raised"}, {"detail", "NSGenericException: no"}}}});
    const auto run = run_assay({"probe"}, {{"ASSAY_DEVICE", device}});
    CHECK(run.status.code == 3);
    CHECK(run.output.find("NSGenericException") != std::string::npos);
}

TEST_CASE("a Metal library that is not there is exit 3, an unknown device or format exit 2") {
    CHECK(run_assay({"probe"}, {{"ASSAY_METAL_LIBRARY", "/nonexistent.so"}}).status.code == 3);
    CHECK(run_assay({"probe", "--device", "7"}).status.code == 2);
    CHECK(run_assay({"probe", "--format", "xml"}).status.code == 2);
}

TEST_CASE("import prints what a log states and implies") {
    const auto run = run_assay({"import", test_file("data/trycua-cua/tiny-stock-minimal.stderr")});
    CHECK(run.status.code == 0);
    check_golden("import-stock-guest.txt", run.output);
}

TEST_CASE("diff of the host's and the guest's log shows what the guest loses") {
    const auto folder = TemporaryFolder::make("probe-e2e").value();
    const auto host = import_as(folder, "tiny-host-minimal.stderr", "host.json");
    const auto guest = import_as(folder, "tiny-stock-minimal.stderr", "guest.json");
    const auto run = run_assay({"diff", host, guest});
    CHECK(run.status.code == 1);
    check_golden("diff-host-guest.txt", replaced(run.output, folder.path() + "/", ""));
    CHECK(run_assay({"diff", host, host}).status.code == 0);
    const auto json_run = run_assay({"diff", host, guest, "--format", "json"});
    CHECK(json_run.status.code == 1);
    CHECK(parse_json(json_run.output, "diff").value().at("differs") == json::value(true));
}

TEST_CASE("what the default device reports does not contradict the guest's log") {
    const auto folder = TemporaryFolder::make("probe-e2e").value();
    const auto probed = folder.path() + "/probed.json";
    CHECK(run_assay({"probe", "-o", probed}).status.clean());
    CHECK(run_assay({"diff", import_as(folder, "tiny-stock-minimal.stderr", "guest.json"), probed})
              .status.code == 0);
}

TEST_CASE("input that is not what it should be is exit 2 and names the place") {
    const auto failed = run_assay({"import", test_file("data/trycua-cua/mlx-broad-profile-failure.stderr")});
    CHECK(failed.status.code == 2);
    CHECK(failed.output.find("states a capability of a device") != std::string::npos);
    CHECK(run_assay({"import"}).status.code == 2);
    CHECK(run_assay({"import", "/nonexistent"}).status.code == 2);
    CHECK(run_assay({"diff", "/nonexistent", "/nonexistent"}).status.code == 2);
    CHECK(run_assay({"diff", "only-one.json"}).status.code == 2);
}

TEST_CASE("import reads standard input") {
    const auto log = read_file(test_file("data/trycua-cua/tiny-host-minimal.stderr")).value();
    const auto run =
        run_program({{ASSAY_BINARY, "import", "-", "-o", "-"}, {}}, std::chrono::seconds(60), log).value();
    CHECK(run.status.code == 0);
    const auto table = table_from_json(parse_json(run.output, "t").value(), "t").value();
    CHECK(table.devices.at(0).name == "Apple M1 Ultra");
}
