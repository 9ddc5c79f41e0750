#include "kernels/timing.h"

#include <doctest/doctest.h>

using namespace assay;

TEST_CASE("nine samples give a median and an interval between the second and the second last") {
    const auto result = median_interval({9, 1, 8, 2, 7, 3, 6, 4, 5});
    CHECK(result.median == 5);
    CHECK(result.low == 2);
    CHECK(result.high == 8);
    // 1 - 2 (C(9,0) + C(9,1)) / 2^9
    CHECK(result.confidence == doctest::Approx(1 - 20.0 / 512));
}

TEST_CASE("six samples are just enough for 95 %, fewer span everything and say so") {
    const auto six = median_interval({1, 2, 3, 4, 5, 6});
    CHECK(six.median == 3.5);
    CHECK(six.low == 1);
    CHECK(six.high == 6);
    CHECK(six.confidence == doctest::Approx(1 - 2.0 / 64));
    const auto one = median_interval({4});
    CHECK(one.median == 4);
    CHECK(one.low == 4);
    CHECK(one.high == 4);
    CHECK(one.confidence == 0);
}

TEST_CASE("GPU timestamps are believed only when they can be true") {
    CHECK(RunTime{10, 10.5, 0.6}.gpu_plausible());
    CHECK_FALSE(RunTime{0, 0, 0.6}.gpu_plausible());
    CHECK_FALSE(RunTime{10.5, 10, 0.6}.gpu_plausible());
    CHECK_FALSE(RunTime{10, 10.001, 0.6}.gpu_plausible()); // under 1 % of the wall time
    CHECK_FALSE(RunTime{10, 12, 0.6}.gpu_plausible());     // longer than the wall time
    const RunTime runs[] = {{10, 10.5, 0.6}, {0, 0, 0.6}};
    CHECK_FALSE(gpu_times_plausible(runs));
}
