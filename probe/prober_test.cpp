#include "probe/catalogue.h"
#include "probe/prober.h"

#include <doctest/doctest.h>

using namespace assay;
using std::chrono::milliseconds;

namespace {

/// A worker that answers true to every key of `keys` that it is not told to skip, except that it runs
/// `accident` at a key for which `when` holds.
ProbeOptions fake_worker(const std::string& keys, const std::string& accident,
                         const std::string& when = "[ $key = isHeadless ]") {
    ProbeOptions options;
    options.worker = {
        "sh", "-c",
        "read request\n"
        "echo '{\"event\":\"system\",\"backend\":\"metal\",\"identity\":{\"tool\":\"t\"},\"devices\":1,"
        "\"class\":\"FakeDevice\"}' >&3\n"
        "for key in " +
            keys +
            "; do\n"
            "  case $request in *\"\\\"$key\\\"\"*) continue;; esac\n"
            "  echo '{\"event\":\"begin\",\"key\":\"'$key'\"}' >&3\n"
            "  if " +
            when + "; then " + accident +
            "; fi\n"
            "  echo '{\"event\":\"answer\",\"key\":\"'$key'\",\"answer\":true}' >&3\n"
            "done\n"
            "echo '{\"event\":\"done\"}' >&3\n"
            "read end\n"};
    options.query_deadline = std::chrono::seconds(20);
    return options;
}

AnswerStatus status_of(const Table& table, const char* key) {
    const auto* answer = table.devices.at(0).find(key);
    REQUIRE_MESSAGE(answer, key);
    return answer->status;
}

} // namespace

TEST_CASE("a question that ends the worker costs itself and is not asked again") {
    const auto table =
        probe_devices(fake_worker("isLowPower isHeadless isRemovable", "kill -ABRT $$")).value();
    CHECK(status_of(table, "isLowPower") == AnswerStatus::answered);
    CHECK(status_of(table, "isHeadless") == AnswerStatus::aborted);
    CHECK(status_of(table, "isRemovable") == AnswerStatus::answered);
    CHECK(table.devices[0].find("isHeadless")->detail.find("signal 6") != std::string::npos);
    CHECK(table.devices[0].class_name == "FakeDevice");
    CHECK(table.backend == "metal");
    CHECK(table.identity.tool == "t");
}

TEST_CASE("a question that does not return is a timeout, and the others are asked") {
    auto options = fake_worker("isLowPower isHeadless isRemovable", "sleep 60");
    options.query_deadline = milliseconds(1500);
    const auto table = probe_devices(options).value();
    CHECK(status_of(table, "isHeadless") == AnswerStatus::timeout);
    CHECK(table.devices[0].find("isHeadless")->detail == "no answer within 1.5 s");
    CHECK(status_of(table, "isRemovable") == AnswerStatus::answered);
}

TEST_CASE("a worker that dies after an answer, between two questions, costs nothing") {
    const auto table = probe_devices(fake_worker("isLowPower isHeadless isRemovable",
                                                 "echo '{\"event\":\"answer\",\"key\":\"isHeadless\","
                                                 "\"answer\":false}' >&3; exit 1"))
                           .value();
    CHECK(table.devices[0].answer_value("isHeadless") == json::value(false));
    CHECK(status_of(table, "isRemovable") == AnswerStatus::answered);
}

TEST_CASE("a device on which every question costs the worker is given up") {
    std::string keys;
    for (const auto& query : Catalogue::get().queries())
        if (query.arguments.empty())
            keys += query.key + " ";
    const auto table = probe_devices(fake_worker(keys, "kill -KILL $$", "true")).value();
    int aborted = 0;
    int left_out = 0;
    for (const auto& entry : table.devices[0].answers()) {
        aborted += entry.answer.status == AnswerStatus::aborted;
        left_out += entry.answer.status == AnswerStatus::not_asked;
    }
    CHECK(aborted == 8);
    CHECK(aborted + left_out == static_cast<int>(Catalogue::get().questions().size()));
}

TEST_CASE("a worker that reports an error fails the probe with that error") {
    ProbeOptions options;
    options.worker = {
        "sh", "-c",
        "read r; echo '{\"event\":\"error\",\"exit\":3,\"where\":\"\",\"message\":\"there is no Metal "
        "device\",\"next_step\":\"buy one\"}' >&3; read r"};
    const auto table = probe_devices(options);
    REQUIRE(table.has_error());
    CHECK(table.error().kind == ErrorKind::environment);
    CHECK(table.error().text().find("there is no Metal device") != std::string::npos);
}

TEST_CASE("a worker that cannot start Metal fails the probe and shows what it said") {
    ProbeOptions options;
    options.worker = {"sh", "-c", "echo lost my driver; exit 7"};
    const auto table = probe_devices(options);
    REQUIRE(table.has_error());
    CHECK(table.error().text().find("exit 7") != std::string::npos);
    CHECK(table.error().text().find("lost my driver") != std::string::npos);
}

TEST_CASE("a worker that hangs before the first question is an environment that cannot do it") {
    ProbeOptions options;
    options.worker = {"sh", "-c", "sleep 60"};
    options.start_deadline = milliseconds(200);
    const auto table = probe_devices(options);
    REQUIRE(table.has_error());
    CHECK(table.error().kind == ErrorKind::environment);
    CHECK(table.error().message.find("did not start within 0.2 s") == std::string("Metal ").size());
}
