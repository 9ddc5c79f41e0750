#include "base/process.h"
#include "kernels/runner.h"

#include <csignal>
#include <doctest/doctest.h>

using namespace assay;

/// Systems name the signal differently.
static const std::string kAborted = ExitStatus{0, SIGABRT}.text();

/// A worker that runs this shell script for every request line it reads.
static KernelOptions scripted(const std::string& script) {
    KernelOptions options;
    options.worker = {"sh", "-c", "while read request; do " + script + "; done"};
    options.deadline = std::chrono::seconds(20);
    return options;
}

static KernelVariant variant(const char* name) { return select_kernels({name}).value().front(); }

static const char* const kSystem =
    R"(echo '{"event":"system","backend":"software","device":"GPU","os":{"name":"macOS","version":"26.5"}}' >&3)";
static const char* const kPromise =
    "echo '{\"event\":\"promise\",\"reported\":\"yes\",\"promise\":\"Apple7 or Metal3\"}' >&3";
static const char* const kStep = R"(echo '{"event":"step","rung":"runs","case":"n=4"}' >&3)";

static std::string passing_result() {
    KernelResult result;
    result.kernel = "canary";
    result.variant = "saxpy";
    result.reported = Truth::yes;
    result.status = KernelStatus::passed;
    result.rung = Rung::correct;
    result.inputs = 12;
    return "echo '" + write_json_line(json::object{{"event", "result"}, {"result", to_json(result)}}) +
           "' >&3; echo '{\"event\":\"done\"}' >&3";
}

TEST_CASE("a result arrives with the system it was made on") {
    const auto report =
        run_kernels({variant("canary")}, scripted(std::string(kSystem) + "; " + passing_result()));
    REQUIRE(report.has_value());
    CHECK(report->simulated());
    CHECK(report->device == "GPU");
    CHECK(report->os.version == "26.5");
    REQUIRE(report->results.size() == 1);
    CHECK(report->results[0].verdict() == Verdict::honest);
    CHECK(report->results[0].inputs == 12);
}

TEST_CASE("a worker that dies costs the variant it ran, at the rung in progress, and no other") {
    const auto script = std::string("case $request in *reduction*) ") + kPromise + "; " + kStep +
                        "; echo last words; kill -ABRT $$;; *) " + passing_result() + ";; esac";
    const auto report = run_kernels({variant("reduction/simd"), variant("canary")}, scripted(script));
    REQUIRE(report.has_value());
    REQUIRE(report->results.size() == 2);
    const auto& lost = report->results[0];
    CHECK(lost.status == KernelStatus::failed);
    CHECK(lost.rung == Rung::runs);
    CHECK(lost.verdict() == Verdict::overclaimed);
    CHECK(lost.promise == "Apple7 or Metal3");
    CHECK(lost.detail == "n=4: worker died: " + kAborted + " (it said: last words)");
    CHECK(report->results[1].status == KernelStatus::passed);
}

TEST_CASE("a worker that hangs is ended at the deadline and costs the variant it ran") {
    auto options = scripted(std::string("case $request in *reduction*) ") + kPromise + "; " + kStep +
                            "; sleep 100;; *) " + passing_result() + ";; esac");
    options.deadline = std::chrono::milliseconds(1500);
    const auto report = run_kernels({variant("reduction/simd"), variant("canary")}, options);
    REQUIRE(report.has_value());
    CHECK(report->results[0].status == KernelStatus::failed);
    CHECK(report->results[0].rung == Rung::runs);
    CHECK(report->results[0].detail == "n=4: no answer within 1.5 s");
    CHECK(report->results[1].status == KernelStatus::passed);
}

TEST_CASE("what the environment cannot do is an error, not a result") {
    const auto report = run_kernels(
        {variant("canary")},
        scripted(R"(echo '{"event":"error","exit":3,"where":"","message":"no device","next_step":""}' >&3; )"
                 R"(echo '{"event":"done"}' >&3)"));
    REQUIRE(!report);
    CHECK(report.error().kind == ErrorKind::environment);
    CHECK(report.error().message == "no device");
}

TEST_CASE("a result that cannot be read is an error") {
    const auto report = run_kernels(
        {variant("canary")},
        scripted(R"(echo '{"event":"result","result":{"kernel":3}}' >&3; echo '{"event":"done"}' >&3)"));
    REQUIRE(!report);
    CHECK(report.error().text().find("/result/kernel") != std::string::npos);
}

TEST_CASE("the request says what to run, and the listener hears of it before the worker does") {
    KernelOptions options = scripted("echo \"$request\"; kill -ABRT $$");
    options.seed = 5;
    options.quick = true;
    std::vector<std::string> heard;
    KernelListener listener;
    listener.begin = [&](const KernelVariant& what) { heard.push_back("begin " + what.id()); };
    listener.end = [&](const KernelResult& result) { heard.push_back("end " + result.detail); };
    REQUIRE(run_kernels({variant("matmul_f32/tiled")}, options, listener).has_value());
    CHECK(heard[0] == "begin matmul_f32/tiled");
    CHECK(heard[1] == "end worker died: " + kAborted +
                          " (it said: "
                          "{\"do\":\"kernel\",\"kernel\":\"matmul_f32\",\"variant\":"
                          "\"tiled\",\"seed\":5,\"sizes\":\"quick\",\"force\":false,\"time\":false})");
}
