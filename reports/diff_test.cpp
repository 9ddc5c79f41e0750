#include "base/text.h"
#include "base/text_table.h"
#include "reports/diff.h"

#include <algorithm>
#include <doctest/doctest.h>

using namespace assay;

namespace {

struct Given {
    const char* key;
    Answer answer;
};

Table table_of(std::initializer_list<Given> answers) {
    Table table;
    Device device;
    device.name = "GPU";
    for (const auto& [key, answer] : answers)
        device.set(key, answer);
    table.devices.push_back(std::move(device));
    return table;
}

Answer rounded(std::uint64_t value, double precision) {
    auto answer = Answer::of(value, AnswerOrigin::logged);
    answer.precision = precision;
    return answer;
}

struct Outcome {
    Change change;
    Effect effect;
    bool differs;
    bool operator==(const Outcome&) const = default;
};

/// The outcome of one key of two tables that hold nothing else.
Outcome outcome(const char* key, const Answer& before, const Answer& after) {
    const auto a = table_of({{key, before}});
    const auto b = table_of({{key, after}});
    const auto diff = diff_tables(a, b);
    REQUIRE(diff.devices.at(0).rows.size() == 1);
    const auto& row = diff.devices[0].rows[0];
    return {row.change, row.effect, diff.differs()};
}

const Outcome kSame{Change::same, Effect::neutral, false};

} // namespace

TEST_CASE("a yes that comes is gained and better, one that goes is lost and worse") {
    const auto yes = Answer::of(true);
    const auto no = Answer::of(false);
    CHECK(outcome("supportsFamily(Apple7)", no, yes) == Outcome{Change::gained, Effect::better, true});
    CHECK(outcome("supportsFamily(Apple7)", yes, no) == Outcome{Change::lost, Effect::worse, true});
    CHECK(outcome("supportsFamily(Apple7)", yes, yes) == kSame);
}

TEST_CASE("a query without a direction only changes") {
    CHECK(outcome("isLowPower", Answer::of(false), Answer::of(true)) ==
          Outcome{Change::changed, Effect::neutral, true});
    CHECK(outcome("name", Answer::of("a"), Answer::of("b")) ==
          Outcome{Change::changed, Effect::neutral, true});
}

TEST_CASE("numbers are raised or lowered, whatever whole type holds them") {
    const auto* key = "maxThreadgroupMemoryLength";
    CHECK(outcome(key, Answer::of(32768), Answer::of(65536u)) ==
          Outcome{Change::raised, Effect::better, true});
    CHECK(outcome(key, Answer::of(65536u), Answer::of(32768)) ==
          Outcome{Change::lowered, Effect::worse, true});
    CHECK(outcome(key, Answer::of(32768), Answer::of(32768u)) == kSame);
    // Two neighbours that the same double stands for.
    CHECK(outcome(key, Answer::of(18446744073709551615u), Answer::of(18446744073709551614u)).change ==
          Change::lowered);
}

TEST_CASE("sizes are raised only when no component shrinks") {
    const auto size = [](int w, int h, int d) { return Answer::of(json::array{w, h, d}); };
    const auto* key = "maxThreadsPerThreadgroup";
    CHECK(outcome(key, size(512, 512, 64), size(1024, 512, 64)).change == Change::raised);
    CHECK(outcome(key, size(1024, 512, 64), size(512, 512, 64)).change == Change::lowered);
    CHECK(outcome(key, size(1024, 512, 64), size(512, 1024, 64)).change == Change::changed);
    CHECK(outcome(key, size(1, 2, 3), size(1, 2, 3)) == kSame);
}

TEST_CASE("sets compare by their members, not by their order") {
    const auto set = [](std::initializer_list<json::value_ref> names) {
        return Answer::of(json::array(names));
    };
    const auto* key = "counterSets";
    CHECK(outcome(key, set({"a", "b"}), set({"b", "a"})) == kSame);
    CHECK(outcome(key, set({"a"}), set({"b", "a"})) == Outcome{Change::gained, Effect::better, true});
    CHECK(outcome(key, set({"a", "b"}), set({"b"})) == Outcome{Change::lost, Effect::worse, true});
    CHECK(outcome(key, set({"a"}), set({"b"})) == Outcome{Change::changed, Effect::neutral, true});
}

TEST_CASE("a rounded figure equals every figure that it may stand for") {
    const auto* key = "recommendedMaxWorkingSetSize";
    // 2/3 of 16 GiB is printed as 11453.25 MB.
    CHECK(outcome(key, Answer::of(11453246122u), rounded(11453250000u, 5000)) == kSame);
    CHECK(outcome(key, rounded(11453240000u, 5000), rounded(11453250000u, 5000)) == kSame);
    CHECK(outcome(key, rounded(11453230000u, 5000), rounded(11453250000u, 5000)).change == Change::raised);
    CHECK(outcome(key, Answer::of(11453244999u), rounded(11453250000u, 5000)).change == Change::raised);
}

TEST_CASE("not recorded is not no") {
    const auto a = table_of({{"supportsFamily(Apple5)", Answer::of(true)}});
    const auto b = table_of({{"supportsFamily(Apple6)", Answer::of(false)}});
    const auto diff = diff_tables(a, b);
    REQUIRE(diff.devices[0].rows.size() == 2);
    CHECK(diff.devices[0].rows[0].change == Change::unknown);
    CHECK(diff.devices[0].rows[1].change == Change::known);
    CHECK_FALSE(diff.differs());
}

TEST_CASE("what was left out is as unrecorded as what is missing") {
    CHECK(outcome("isLowPower", Answer::none(AnswerStatus::not_asked), Answer::of(true)).change ==
          Change::known);
    CHECK(outcome("isLowPower", Answer::of(true), Answer::none(AnswerStatus::not_asked)).change ==
          Change::unknown);
}

TEST_CASE("an answer in place of a failure appears, and the other way round it vanishes") {
    const auto absent = Answer::none(AnswerStatus::absent);
    CHECK(outcome("supportsRaytracing", absent, Answer::of(false)) ==
          Outcome{Change::appeared, Effect::better, true});
    CHECK(outcome("supportsRaytracing", Answer::of(false), Answer::none(AnswerStatus::aborted)) ==
          Outcome{Change::vanished, Effect::worse, true});
    CHECK(outcome("supportsRaytracing", absent, Answer::none(AnswerStatus::raised)) ==
          Outcome{Change::changed, Effect::neutral, true});
    CHECK(outcome("supportsRaytracing", absent, absent) == kSame);
}

TEST_CASE("a volatile answer is never a difference") {
    CHECK_FALSE(outcome("currentAllocatedSize", Answer::of(0), Answer::of(4096)).differs);
}

TEST_CASE("a key of another version keeps its kind of change but has no direction") {
    CHECK(outcome("someFutureQuery", Answer::of(1), Answer::of(2)) ==
          Outcome{Change::raised, Effect::neutral, true});
    CHECK(outcome("someFutureSwitch", Answer::of(true), Answer::of(false)) ==
          Outcome{Change::lost, Effect::neutral, true});
}

TEST_CASE("a device that only one table has is a difference") {
    const auto a = table_of({});
    Table b;
    CHECK(diff_tables(a, b).differs());
    CHECK_FALSE(diff_tables(b, b).differs());
}

TEST_CASE("identities that differ are shown but do not count as a difference") {
    auto a = table_of({{"isLowPower", Answer::of(true)}});
    auto b = a;
    a.identity.os_build = "25F84";
    b.identity.os_build = "25G76";
    const auto diff = diff_tables(a, b);
    REQUIRE(diff.identity.size() == 1);
    CHECK(diff.identity[0].fact == "os");
    CHECK(diff.identity[0].after == "(25G76)");
    CHECK_FALSE(diff.differs());
    CHECK(diff_text(diff, {"a", "b"}, false).find("(25F84)  (25G76)") != std::string::npos);
}

TEST_CASE("text shows what differs, marks what is assumed, and fits 100 columns") {
    const std::string long_text(150, 'x');
    const auto a = table_of({{"supportsFamily(Apple7)", Answer::of(true)},
                             {"supportsFamily(Apple8)", Answer::of(true)},
                             {"name", Answer::of(json::string(long_text))},
                             {long_text.c_str(), Answer::of(json::string(long_text + "\xC3\xA4"))}});
    const auto b = table_of({{"supportsFamily(Apple7)", Answer::of(false, AnswerOrigin::assumed)},
                             {"supportsFamily(Apple8)", Answer::of(true)},
                             {"name", Answer::of(json::string("b" + long_text))},
                             {long_text.c_str(), Answer::of("c")}});
    const auto diff = diff_tables(a, b);
    for (const bool all : {false, true}) {
        const auto text = diff_text(diff, {long_text, "b.json"}, all);
        for (const auto line : split(text, '\n'))
            CHECK_MESSAGE(display_width(line) <= 100, line);
        CHECK(text.find("- lost") != std::string::npos);
        CHECK(text.find("no *") != std::string::npos);
        CHECK((text.find("supportsFamily(Apple8)") != std::string::npos) == all);
    }
}

TEST_CASE("JSON carries the same rows and reads back") {
    const auto a = table_of({{"supportsFamily(Apple7)", Answer::of(true)}, {"isLowPower", Answer::of(true)}});
    const auto b =
        table_of({{"supportsFamily(Apple7)", Answer::of(false)}, {"isLowPower", Answer::of(true)}});
    const auto out = diff_json(diff_tables(a, b), {"a", "b"}, false);
    CHECK(parse_json(write_json(out), "diff").has_value());
    CHECK(out.at("differs") == json::value(true));
    const auto& changes = out.at("devices").at(0).at("changes").as_array();
    REQUIRE(changes.size() == 1);
    CHECK(changes[0].at("change") == json::value("lost"));
    CHECK(changes[0].at("effect") == json::value("worse"));
    CHECK(changes[0].at("before") == json::value(true));
}
