#include "base/json_reader.h"
#include "kernels/result.h"
#include "tests/end_to_end.h"

#include <doctest/doctest.h>

using namespace assay;

static KernelResult result(Truth reported, KernelStatus status, Rung rung = Rung::correct) {
    KernelResult made;
    made.kernel = "k";
    made.variant = "v";
    made.reported = reported;
    made.status = status;
    made.rung = rung;
    return made;
}

TEST_CASE("promise and result together are the verdict") {
    CHECK(result(Truth::yes, KernelStatus::passed).verdict() == Verdict::honest);
    CHECK(result(Truth::yes, KernelStatus::failed).verdict() == Verdict::overclaimed);
    CHECK(result(Truth::no, KernelStatus::passed).verdict() == Verdict::latent);
    CHECK(result(Truth::no, KernelStatus::failed).verdict() == Verdict::absent);
    CHECK(result(Truth::no, KernelStatus::skipped).verdict() == Verdict::inconclusive);
    CHECK(result(Truth::yes, KernelStatus::inconclusive).verdict() == Verdict::inconclusive);
    CHECK(result(Truth::unknown, KernelStatus::passed).verdict() == Verdict::inconclusive);
}

TEST_CASE("a failed result has climbed every rung below the one that failed, and none above") {
    const auto failed = result(Truth::yes, KernelStatus::failed, Rung::runs);
    CHECK(failed.reached(Rung::answers) == Truth::yes);
    CHECK(failed.reached(Rung::compiles) == Truth::yes);
    CHECK(failed.reached(Rung::runs) == Truth::no);
    CHECK(failed.reached(Rung::correct) == Truth::unknown);
    CHECK(result(Truth::no, KernelStatus::skipped).reached(Rung::answers) == Truth::unknown);
    CHECK(result(Truth::yes, KernelStatus::passed).reached(Rung::correct) == Truth::yes);
}

static KernelReport report() {
    KernelReport made;
    made.backend = "software";
    made.device = "Some GPU";
    made.os = {"macOS", "26.5.2"};
    auto passed = result(Truth::yes, KernelStatus::passed);
    passed.features = {"simd_reduction"};
    passed.promise = "Apple7 or Metal3 (simd_reduction)";
    passed.seed = 7;
    passed.quick = true;
    passed.inputs = 1234;
    passed.worst = 0.25;
    passed.pays = Payoff{"tree", 2.5, 2, 3, 0.96, "gpu", {1, 2}, {3, 4}};
    made.results.push_back(passed);
    auto failed = result(Truth::no, KernelStatus::failed, Rung::compiles);
    failed.detail = "no such type";
    failed.pays_detail = "the fallback failed";
    made.results.push_back(failed);
    return made;
}

TEST_CASE("a report reads back as it was written") {
    const auto text = write_json(to_json(report()));
    const auto again = kernel_report_from_json(parse_json(text, "report").value(), "report");
    REQUIRE(again.has_value());
    CHECK(write_json(to_json(*again)) == text);
    CHECK(again->results[0].worst == 0.25);
    CHECK(again->results[0].pays->ratio == 2.5);
    CHECK(again->results[1].verdict() == Verdict::absent);
}

TEST_CASE("a damaged report is an error or a report, never a crash") {
    testing::for_each_damage(write_json(to_json(report())), [](const std::string& damaged) {
        if (const auto value = parse_json(damaged, "damaged"))
            if (const auto read = kernel_report_from_json(*value, "damaged"))
                CHECK(!write_json(to_json(*read)).empty());
    });
}
