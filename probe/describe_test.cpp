#include "probe/describe.h"

#include <doctest/doctest.h>

using namespace assay;

static std::string words(const std::string& key, Answer answer) {
    return describe(answer, Catalogue::get().find(key));
}

TEST_CASE("answers read as words in their unit") {
    CHECK(words("hasUnifiedMemory", Answer::of(true)) == "yes");
    CHECK(words("hasUnifiedMemory", Answer::of(false)) == "no");
    CHECK(words("maxThreadgroupMemoryLength", Answer::of(32768)) == "32768 (32 KiB)");
    CHECK(words("maxBufferLength", Answer::of(3758096384)) == "3758096384 (3.5 GiB)");
    CHECK(words("maxThreadsPerThreadgroup", Answer::of(json::array{1024, 1024, 64})) == "1024 x 1024 x 64");
    CHECK(words("argumentBuffersSupport", Answer::of(1)) == "1 (Tier2)");
    CHECK(words("location", Answer::of(18446744073709551615u)) == "18446744073709551615 (Unspecified)");
    CHECK(words("counterSets", Answer::of(json::array{"timestamp", "statistic"})) == "timestamp, statistic");
    CHECK(words("counterSets", Answer::of(json::array{})) == "none");
    CHECK(words("name", Answer::none(AnswerStatus::timeout)) == "timeout");
    CHECK(words("name", Answer::none(AnswerStatus::not_asked)) == "not asked");
}

TEST_CASE("a rounded figure says that it is one") {
    auto answer = Answer::of(11453250000u, AnswerOrigin::logged);
    answer.precision = 5000;
    CHECK(words("recommendedMaxWorkingSetSize", answer) == "about 11453.25 MB");
}

TEST_CASE("a size in binary units is only given where it is exact") {
    CHECK(binary_size(1024) == "1 KiB");
    CHECK(binary_size(17179869184) == "16 GiB");
    CHECK(binary_size(11453250000).empty());
    CHECK(binary_size(1000).empty());
    CHECK(binary_size(0).empty());
}
