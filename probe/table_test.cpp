#include "base/json_reader.h"
#include "probe/table.h"

#include <doctest/doctest.h>

using namespace assay;

static Table sample() {
    Table table;
    table.backend = "software";
    auto& identity = table.identity;
    identity.tool = "0.1.0";
    identity.os_name = "macOS";
    identity.os_version = "26.5.2";
    identity.os_build = "25F84";
    identity.os_rapid_response = "(a)";
    identity.model = "VirtualMac2,1";
    identity.chip = "Apple M1 Ultra (Virtual)";
    identity.memory_bytes = 17179869184;
    identity.virtual_machine = true;
    identity.virtual_machine_kind = "Apple Virtualization";
    identity.process_architecture = "x86_64";
    identity.translated = false;
    identity.sdk = "14.4";
    identity.metal_uuid = "00000000-0000-0000-0000-000000000001";
    identity.driver_bundle = "com.apple.driver";
    identity.driver_version = "1.2";
    identity.driver_uuid = "00000000-0000-0000-0000-000000000002";
    identity.shim = {ActiveShim::Kind::other, "LUME_METAL_APPLE_FAMILY_MAX"};
    Device device;
    device.name = "Apple Paravirtual device";
    device.class_name = "AppleParavirtDevice";
    device.architecture = "air64_v26";
    device.set("supportsFamily(Apple5)", Answer::of(true));
    device.set("registryID", Answer::of(18446744073709551615u));
    device.set("maxThreadsPerThreadgroup", Answer::of(json::array{1024, 1024, 1024}));
    auto rounded = Answer::of(11453250000u, AnswerOrigin::logged);
    rounded.precision = 5000;
    device.set("recommendedMaxWorkingSetSize", rounded);
    device.set("supportsFamily(Apple7)", Answer::of(false, AnswerOrigin::implied));
    device.set("architecture.name", Answer::none(AnswerStatus::raised, "NSException: no"));
    table.devices.push_back(std::move(device));
    return table;
}

static std::string problems_of(std::string_view text) {
    const auto value = parse_json(text, "t.json");
    REQUIRE(value.has_value());
    const auto table = table_from_json(*value, "t.json");
    REQUIRE(table.has_error());
    return table.error().text();
}

TEST_CASE("a table that is written reads back as the same table") {
    const auto text = write_json(to_json(sample()));
    const auto table = table_from_json(parse_json(text, "t").value(), "t");
    REQUIRE(table.has_value());
    CHECK(write_json(to_json(*table)) == text);
    CHECK(table->identity.memory_bytes == 17179869184);
    CHECK(table->devices.at(0).find("recommendedMaxWorkingSetSize")->precision == 5000.0);
}

TEST_CASE("a plain value means that the device was asked") {
    CHECK(to_json(Answer::of(true)) == json::value(true));
    CHECK(to_json(Answer::of(true, AnswerOrigin::assumed)) ==
          json::value({{"value", true}, {"origin", "assumed"}}));
}

TEST_CASE("an unrecorded key is neither an answer nor a no") {
    const auto table = sample();
    const auto& device = table.devices.at(0);
    CHECK(device.find("supportsFamily(Apple9)") == nullptr);
    CHECK_FALSE(device.answer_value("supportsFamily(Apple9)").has_value());
    CHECK_FALSE(device.answer_value("architecture.name").has_value());
    CHECK(device.answer_value("supportsFamily(Apple7)") == json::value(false));
}

TEST_CASE("a second answer to a key replaces the first in its place") {
    Device device;
    device.set("a", Answer::of(1));
    device.set("b", Answer::of(2));
    device.set("a", Answer::of(3));
    REQUIRE(device.answers().size() == 2);
    CHECK(device.answers()[0].answer.value == json::value(3));
}

TEST_CASE("all problems of a table are reported together, each at its JSON pointer") {
    const auto text =
        problems_of(R"({"schema":"assay.table/1","backend":"sofware","identity":{"os":{"nme":"x"}},
        "devices":[{"name":"d","answers":{"a/b":null,"c":{"status":"gone"},"d":{"value":1,"status":"absent"},
        "e":{"value":true,"origin":"logged","precision":1},"f":{"value":2,"precision":-1},"g":[[1]],
        "h":{"status":"absent","precision":1}}}]})");
    CHECK(text.find("/backend: expected one of") != std::string::npos);
    CHECK(text.find("did you mean \"software\"") != std::string::npos);
    CHECK(text.find("/identity/os/nme: unknown key (did you mean \"name\"?)") != std::string::npos);
    CHECK(text.find("/devices/0/answers/a~1b: expected a boolean") != std::string::npos);
    CHECK(text.find("/devices/0/answers/c/status: expected one of") != std::string::npos);
    CHECK(text.find("/devices/0/answers/d: expected either") != std::string::npos);
    CHECK(text.find("/devices/0/answers/e/precision: belongs to a number") != std::string::npos);
    CHECK(text.find("/devices/0/answers/f/precision: expected a number") != std::string::npos);
    CHECK(text.find("/devices/0/answers/g: expected a boolean") != std::string::npos);
    CHECK(text.find("/devices/0/answers/h/precision: belongs to a value") != std::string::npos);
}

TEST_CASE("a table of another schema or without devices is refused by name") {
    CHECK(problems_of(R"({"schema":"assay.table/2","backend":"metal","identity":{},"devices":[]})")
              .find("expected \"assay.table/1\", found \"assay.table/2\"") != std::string::npos);
    CHECK(problems_of(R"({"schema":"assay.table/1","backend":"metal","identity":{}})")
              .find("missing key \"devices\"") != std::string::npos);
    CHECK(problems_of("[1]").find("expected an object, found an array") != std::string::npos);
}

TEST_CASE("a table without devices is a table that says so") {
    const auto value =
        parse_json(R"({"schema":"assay.table/1","backend":"metal","identity":{},"devices":[]})", "t");
    CHECK(table_from_json(value.value(), "t").value().devices.empty());
}

TEST_CASE("no cut of a table reads as a table") {
    const auto text = write_json(to_json(sample()));
    const auto end = text.find_last_of('}');
    for (std::size_t length = 0; length <= end; ++length)
        CHECK_MESSAGE(parse_json(text.substr(0, length), "cut").has_error(), length);
}

TEST_CASE("a table with any one byte damaged is read or refused, never a crash") {
    const auto text = write_json(to_json(sample()));
    for (std::size_t i = 0; i < text.size(); ++i) {
        for (const char c : {'\0', '"', '{', '9', 'x'}) {
            auto damaged = text;
            damaged[i] = c;
            if (const auto value = parse_json(damaged, "damaged"))
                (void)table_from_json(*value, "damaged").has_value();
        }
    }
}
