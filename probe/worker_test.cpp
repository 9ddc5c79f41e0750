#include "probe/worker.h"

#include <csignal>
#include <doctest/doctest.h>

using namespace assay;
using Kind = WorkerEvent::Kind;
using std::chrono::seconds;

static Worker shell_worker(const std::string& script) {
    return Worker::start({{"sh", "-c", script}, {}}).value();
}

static Clock::time_point soon() { return Clock::now() + seconds(20); }

TEST_CASE("events arrive in order and a request ends with done") {
    auto worker =
        shell_worker(R"(read r; echo '{"event":"answer","value":1}' >&3; echo '{"event":"done"}' >&3)");
    REQUIRE(worker.send({{"do", "x"}}));
    const auto first = worker.next(soon());
    CHECK(first.kind == Kind::event);
    CHECK(first.data.at("value") == 1);
    CHECK(worker.next(soon()).kind == Kind::done);
    const auto last = worker.next(soon());
    CHECK(last.kind == Kind::died);
    CHECK(last.exit.clean());
}

TEST_CASE("a worker that aborts is reported with its signal") {
    auto worker = shell_worker("kill -ABRT $$");
    const auto event = worker.next(soon());
    CHECK(event.kind == Kind::died);
    CHECK(event.exit.signal == SIGABRT);
}

TEST_CASE("a worker that hangs runs into the deadline and can be stopped") {
    auto worker = shell_worker("sleep 60");
    CHECK(worker.next(Clock::now()).kind == Kind::timed_out);
    CHECK(worker.stop().has_value());
}

TEST_CASE("garbage on the event channel is not taken for an event") {
    auto worker = shell_worker("echo '{\"a\":1' >&3; exec 3>&-; exit 4");
    const auto event = worker.next(soon());
    CHECK(event.kind == Kind::died);
    CHECK(event.exit.code == 4);
}
