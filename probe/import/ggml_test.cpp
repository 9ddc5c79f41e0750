#include "base/file.h"
#include "probe/import/import.h"
#include "tests/end_to_end.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <filesystem>
#include <set>

using namespace assay;
using assay::testing::for_each_damage;
using assay::testing::test_file;

namespace {

std::string log_of(const std::string& name) { return read_file(test_file("data/" + name)).value(); }

Table imported(const std::string& log) {
    auto table = import_log(log, "log");
    REQUIRE_MESSAGE(table.has_value(), table.error().text());
    return std::move(*table);
}

std::string refusal(const std::string& log) {
    const auto table = import_log(log, "log");
    REQUIRE(table.has_error());
    return table.error().text();
}

struct Expected {
    const char* key;
    json::value value;
    AnswerOrigin origin;
};

void check(const Device& device, std::initializer_list<Expected> expected) {
    for (const auto& [key, value, origin] : expected) {
        const auto* answer = device.find(key);
        REQUIRE_MESSAGE(answer, key);
        CHECK_MESSAGE(answer->value == value, key);
        CHECK_MESSAGE(answer->origin == origin, key);
    }
}

std::vector<std::string> all_logs() {
    std::vector<std::string> logs;
    for (const char* folder : {"data/logs", "data/trycua-cua"})
        for (const auto& file : std::filesystem::directory_iterator(test_file(folder)))
            if (file.path().extension() != ".md")
                logs.push_back(read_file(file.path().string()).value());
    std::sort(logs.begin(), logs.end());
    return logs;
}

constexpr auto logged = AnswerOrigin::logged;
constexpr auto implied = AnswerOrigin::implied;

} // namespace

TEST_CASE("the stock guest's log gives what it states and what ggml's search implies") {
    const auto table = imported(log_of("trycua-cua/tiny-stock-minimal.stderr"));
    REQUIRE(table.devices.size() == 1);
    const auto& device = table.devices[0];
    CHECK(device.name == "Apple Paravirtual device");
    check(device, {{"name", "Apple Paravirtual device", logged},
                   {"supportsFamily(Apple5)", true, logged},
                   {"supportsFamily(Apple6)", false, implied},
                   {"supportsFamily(Apple11)", false, implied},
                   {"supportsFamily(1021)", false, implied},
                   {"supportsFamily(Common3)", true, logged},
                   {"supportsFamily(3006)", false, implied},
                   {"supportsFamily(Metal3)", false, implied}, // by simdgroup reduction = false
                   {"hasUnifiedMemory", true, logged},
                   {"recommendedMaxWorkingSetSize", 11453250000u, logged}});
    CHECK(device.find("recommendedMaxWorkingSetSize")->precision == 5000.0);
    CHECK(table.backend == "metal");
    CHECK(table.source == "ggml");
    CHECK(table.identity.shim.kind == ActiveShim::Kind::unrecorded);
}

TEST_CASE("what the log neither states nor implies is not recorded") {
    const auto table = imported(log_of("trycua-cua/tiny-stock-minimal.stderr"));
    for (const char* key : {"supportsFamily(Apple4)", "supportsFamily(Apple1)", "supportsFamily(Common2)",
                            "supportsFamily(Metal4)", "supportsFamily(Mac2)", "maxThreadgroupMemoryLength",
                            "simdgroup reduction"})
        CHECK_MESSAGE(table.devices[0].find(key) == nullptr, key);
}

TEST_CASE("the host's log: Apple7, Metal4 and 115448.73 MB") {
    const auto device = imported(log_of("trycua-cua/tiny-host-minimal.stderr")).devices.at(0);
    check(device, {{"name", "Apple M1 Ultra", logged},
                   {"supportsFamily(Apple7)", true, logged},
                   {"supportsFamily(Apple8)", false, implied},
                   {"supportsFamily(Metal4)", true, logged},
                   {"supportsFamily(5003)", false, implied},
                   {"supportsFamily(5006)", false, implied},
                   {"recommendedMaxWorkingSetSize", 115448730000u, logged}});
    CHECK(device.find("supportsFamily(Metal3)") == nullptr);
    CHECK(device.find("supportsFamily(Apple6)") == nullptr);
}

TEST_CASE("the banner of Lume's library is recorded as an active shim") {
    const auto table = imported(log_of("trycua-cua/tiny-safe-shim-10x-final.stderr"));
    CHECK(table.identity.shim.kind == ActiveShim::Kind::other);
    CHECK(table.identity.shim.name ==
          "LumeMetalCapabilities (appleFamilyMax=1009 maxThreadgroupMemory=65536)");
    check(table.devices.at(0),
          {{"supportsFamily(Apple9)", true, logged}, {"supportsFamily(Apple7)", true, implied}});
}

TEST_CASE("families without a name keep their number") {
    const auto table = imported(log_of("logs/ggml-2026-paravirt-broadhook-guest26.5.2.txt"));
    check(table.devices.at(0), {{"supportsFamily(1021)", true, logged},
                                {"supportsFamily(3006)", true, logged},
                                {"supportsFamily(Metal4)", true, logged}});
}

TEST_CASE("MB means 2^20 bytes in 2023, and either of two before other lines tell") {
    const auto oldest = imported(log_of("logs/ggml-2023-v0-16g-nofamily.txt")).devices.at(0);
    // 10922.67 * 2^20 = 2/3 of 16 GiB to within half of the last decimal
    const auto* size = oldest.find("recommendedMaxWorkingSetSize");
    REQUIRE(size);
    CHECK(size->precision.value() == doctest::Approx(5242.88));
    CHECK(std::abs(size->value.to_number<double>() - 17179869184.0 * 2 / 3) <= *size->precision);
    const auto mib = imported(log_of("logs/ggml-2023-m1-16g-mib.txt")).devices.at(0);
    CHECK(mib.answer_value("recommendedMaxWorkingSetSize") == size->value);
    const auto mb = imported(log_of("logs/ggml-2024-m1-8g-mb.txt")).devices.at(0);
    CHECK(mb.answer_value("recommendedMaxWorkingSetSize") == json::value(5726630000u));
    const auto unclear = imported("ggml_metal_init: GPU name:   Apple M1\n"
                                  "ggml_metal_init: recommendedMaxWorkingSetSize  =  5461.34 MB\n");
    CHECK(unclear.devices.at(0).find("recommendedMaxWorkingSetSize") == nullptr);
}

TEST_CASE("lost newlines, a logger's prefix and decimal commas do not matter") {
    const auto oneline = imported(log_of("logs/ggml-2023-v0-32g-oneline.txt")).devices.at(0);
    check(oneline, {{"hasUnifiedMemory", true, logged}, {"maxTransferRate", 0, logged}});
    CHECK(oneline.find("recommendedMaxWorkingSetSize"));
    const auto prefixed = imported(log_of("logs/ggml-2025-m4-load-library.txt")).devices.at(0);
    check(prefixed, {{"name", "Apple M4", logged}, {"supportsFamily(Apple9)", true, logged}});
    const auto comma = imported("ggml_metal_device_init: recommendedMaxWorkingSetSize  = 11453,25 MB\r\n");
    CHECK(comma.devices.at(0).answer_value("recommendedMaxWorkingSetSize") == json::value(11453250000u));
}

TEST_CASE("a fork that prints no reduction for another reason implies nothing by it") {
    const auto device = imported(log_of("logs/ggml-2026-vega2duo.txt")).devices.at(0);
    check(device, {{"supportsFamily(Metal3)", true, logged},
                   {"supportsFamily(Apple7)", false, implied}, // by simdgroup matrix mul. = false
                   {"hasUnifiedMemory", false, logged}});
}

TEST_CASE("several devices are told apart") {
    const auto table = imported(log_of("logs/ggml-2026-rx580-kbl-whisper.txt"));
    REQUIRE(table.devices.size() == 2);
    CHECK(table.devices[0].name == "AMD Radeon RX 580");
    CHECK(table.devices[1].name == "Intel(R) KBL Unknown");
    const auto two = imported("ggml_metal_device_init: GPU name:   MTL0 (A)\n"
                              "ggml_metal_device_init: has unified memory    = true\n"
                              "ggml_metal_device_init: GPU name:   MTL1 (B)\n"
                              "ggml_metal_device_init: has unified memory    = false\n");
    REQUIRE(two.devices.size() == 2);
    CHECK(two.devices[0].answer_value("hasUnifiedMemory") == json::value(true));
    CHECK(two.devices[1].answer_value("hasUnifiedMemory") == json::value(false));
}

TEST_CASE("a log that says that there is no device becomes a table that says so") {
    CHECK(imported("ggml_metal_init: allocating\nggml_metal_init: picking default device: (null)\n")
              .devices.empty());
}

TEST_CASE("a log without a capability block is refused and says what was looked for") {
    const auto text = refusal(log_of("trycua-cua/mlx-broad-profile-failure.stderr"));
    CHECK(text.find("none of its 6 lines states a capability") != std::string::npos);
    CHECK(text.find("ggml_metal_device_init:") != std::string::npos);
    CHECK(refusal("").find("none of its 0 lines") != std::string::npos);
    CHECK(refusal("ggml_metal_init: allocating\n").find("state no answer") != std::string::npos);
}

TEST_CASE("an unreadable line is named") {
    CHECK(refusal("x\nggml_metal_init: GPU family: MTLGPUFamilyApple7 (1008)\n").find("log:2: ") == 0);
    CHECK(refusal("ggml_metal_init: hasUnifiedMemory = maybe\n").find("log:1: cannot read") == 0);
    CHECK(refusal("ggml_metal_init: recommendedMaxWorkingSetSize  = lots\n").find("log:1: cannot read") == 0);
    CHECK(refusal("ggml_metal_device_init: GPU name:   MTL0 (Apple\n").find("log:1: cannot read") == 0);
}

TEST_CASE("two runs that contradict each other are refused with both lines") {
    const auto text = refusal("ggml_metal_device_init: has unified memory    = true\n"
                              "ggml_metal_device_init: has unified memory    = false\n");
    CHECK(text.find("log:2: contradicts line 1 about hasUnifiedMemory") == 0);
}

TEST_CASE("a cut within a line never shortens an answer into another") {
    CHECK(refusal("ggml_metal_init: GPU name:   Apple M1").find("state no answer") != std::string::npos);
    CHECK(refusal("ggml_metal_device_init: GPU family: MTLGPUFamilyApple1").find("no answer") !=
          std::string::npos);
    CHECK(refusal("ggml_metal_device_init: recommendedMaxWorkingSetSize  = 11453").find("no answer") !=
          std::string::npos);
}

TEST_CASE("a log cut anywhere, with a line dropped or doubled, never invents an answer") {
    std::size_t compared = 0;
    for (const auto& log : all_logs()) {
        const auto whole = import_log(log, "log");
        if (!whole)
            continue;
        std::size_t damaged_lines = 0;
        for_each_damage(log, [&](const std::string& damaged) {
            const auto table = import_log(damaged, "damaged");
            // Copies with a changed byte may state another answer: of them only survival is asked.
            if (!table || (damaged.size() == log.size() && damaged != log))
                return;
            ++damaged_lines;
            for (const auto& device : table->devices)
                for (const auto& [key, answer] : device.answers()) {
                    ++compared;
                    const bool known = std::any_of(
                        whole->devices.begin(), whole->devices.end(),
                        [&, &k = key, &a = answer](const auto& d) { return d.answer_value(k) == a.value; });
                    CHECK_MESSAGE(known, key, " was invented from:\n", damaged);
                }
        });
        CHECK(damaged_lines > 0);
    }
    CHECK(compared > 100000);
}
