#include "base/process.h"

#include <csignal>
#include <doctest/doctest.h>

using namespace assay;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_CASE("a program's output and exit code come back") {
    const auto done = run_program({{"sh", "-c", "echo out; echo err >&2; exit 7"}, {}}, seconds(20)).value();
    CHECK(done.status.code == 7);
    CHECK(done.output == "out\nerr\n");
    CHECK(done.status.text() == "exit 7");
}

TEST_CASE("a program that is killed reports the signal") {
    const auto done = run_program({{"sh", "-c", "kill -ABRT $$"}, {}}, seconds(20)).value();
    CHECK(done.status.signal == SIGABRT);
}

TEST_CASE("a program that hangs is stopped at its deadline, with all it started") {
    const auto done =
        run_program({{"sh", "-c", "trap '' TERM; sleep 60 & sleep 60"}, {}}, milliseconds(50)).value();
    CHECK(done.timed_out);
    CHECK(done.status.signal == SIGKILL);
}

TEST_CASE("a program that cannot be started is an error") {
    CHECK(run_program({{"/nonexistent/program"}, {}}, seconds(1)).error().kind == ErrorKind::environment);
}

TEST_CASE("variables are set, replaced and unset for the child only") {
    const auto done =
        run_program({{"sh", "-c", "echo \"$A[$HOME]\""}, {{"A", "1"}, {"HOME", ""}}}, seconds(20));
    CHECK(done.value().output == "1[]\n");
}

TEST_CASE("lines travel both ways, and the end of the child ends the channel") {
    auto child = Child::spawn({{"sh", "-c", "while read x; do echo \"got $x\" >&3; done"}, {}}).value();
    std::string line;
    REQUIRE(child.send_line("a"));
    REQUIRE(child.read_line(line, Clock::now() + seconds(20)) == Child::Read::line);
    CHECK(line == "got a");
    CHECK(child.read_line(line, Clock::now()) == Child::Read::timeout);
    child.close_input();
    CHECK(child.read_line(line, Clock::now() + seconds(20)) == Child::Read::end);
    CHECK(child.wait(Clock::now() + seconds(20))->clean());
}
