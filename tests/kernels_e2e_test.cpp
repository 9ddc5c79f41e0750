#include "base/json.h"
#include "kernels/result.h"
#include "tests/end_to_end.h"

#include <map>

using namespace assay;
using namespace assay::testing;

namespace {

/// What `assay kernels run --json` found, by id.
struct Run {
    int exit = 0;
    KernelReport report;
    std::map<std::string, KernelResult> results;

    const KernelResult& operator[](const std::string& id) const {
        const auto found = results.find(id);
        REQUIRE_MESSAGE(found != results.end(), id);
        return found->second;
    }
    Verdict verdict(const std::string& id) const { return (*this)[id].verdict(); }
};

Run run_kernels(std::vector<std::string> arguments, const std::string& device = {}) {
    for (const char* word : {"--no-time", "--json", "--quick", "run", "kernels"})
        arguments.insert(arguments.begin(), word);
    const auto done = run_assay(std::move(arguments), {{"ASSAY_DEVICE", device}, {"NO_COLOR", "1"}});
    Run run;
    run.exit = done.status.code;
    const auto document = parse_json(done.output, "output");
    REQUIRE_MESSAGE(document.has_value(), done.output);
    auto report = kernel_report_from_json(*document, "output");
    REQUIRE_MESSAGE(report.has_value(), done.output);
    run.report = std::move(*report);
    for (const auto& result : run.report.results)
        run.results.emplace(result.id(), result);
    return run;
}

/// A device file made from a shipped one, in a folder of its own.
class DeviceFile {
  public:
    explicit DeviceFile(const std::string& shipped)
        : folder_(TemporaryFolder::make("device").value()),
          document_(read_json(ASSAY_SOURCE_DIR "/metal/software/devices/" + shipped + ".json").value()) {}

    DeviceFile& report(const char* key, json::value answer) {
        member("reports")[key] = std::move(answer);
        return *this;
    }
    DeviceFile& execute(const char* feature) {
        member("executes").at("features").as_array().emplace_back(feature);
        return *this;
    }
    DeviceFile& fault(json::object when, const char* effect) {
        document_.as_object()["faults"] = json::array{{{"when", std::move(when)}, {"effect", effect}}};
        return *this;
    }
    std::string path() {
        const auto path = folder_.path() + "/device.json";
        REQUIRE(write_file(path, write_json(document_)).has_value());
        return path;
    }

  private:
    json::object& member(const char* name) { return document_.as_object().at(name).as_object(); }
    TemporaryFolder folder_;
    json::value document_;
};

const char* const kGuest = "tahoe-guest-m1-ultra";
const char* const kHost = "m1-ultra-bare-metal";

} // namespace

TEST_CASE("a stock guest keeps what it promises, and what it does not report is skipped") {
    const auto run = run_kernels({});
    CHECK(run.exit == 0);
    CHECK(run.report.simulated());
    CHECK(run.report.device == "Apple Paravirtual device");
    for (const char* id : {"canary/saxpy", "reduction/tree", "matmul_f32/naive", "matmul_f32/tiled",
                           "matmul_bf16/float", "bfloat_conversion/integer", "threadgroup_memory/reported"})
        CHECK_MESSAGE(run.verdict(id) == Verdict::honest, id, ": ", run[id].detail);
    for (const char* id :
         {"reduction/simd", "matmul_f32/simdgroup_matrix", "matmul_bf16/simdgroup_matrix",
          "bfloat_conversion/bfloat", "shift_and_fill/simd", "atomic_max_64/atomic", "residency_set/set"})
        CHECK_MESSAGE(run[id].status == KernelStatus::skipped, id);
}

TEST_CASE("forced, the guest shows what it can do besides, and what it cannot") {
    const auto run = run_kernels({"--force"});
    CHECK(run.exit == 0);
    for (const char* id : {"reduction/simd", "matmul_f32/simdgroup_matrix", "matmul_bf16/simdgroup_matrix",
                           "bfloat_conversion/bfloat"})
        CHECK_MESSAGE(run.verdict(id) == Verdict::latent, id, ": ", run[id].detail);
    const std::pair<const char*, Rung> kAbsent[] = {{"shift_and_fill/simd", Rung::compiles},
                                                    {"atomic_max_64/atomic", Rung::compiles},
                                                    {"residency_set/set", Rung::runs}};
    for (const auto& [id, rung] : kAbsent) {
        CHECK_MESSAGE(run.verdict(id) == Verdict::absent, id);
        CHECK_MESSAGE(run[id].rung == rung, id, ": ", run[id].detail);
    }
}

TEST_CASE("bare metal keeps all it promises") {
    const auto run = run_kernels({}, kHost);
    CHECK(run.exit == 0);
    for (const auto& result : run.report.results) {
        const bool beyond = result.id() == "shift_and_fill/simd" || result.id() == "atomic_max_64/atomic";
        CHECK_MESSAGE(result.status == (beyond ? KernelStatus::skipped : KernelStatus::passed), result.id(),
                      ": ", result.detail);
    }
}

TEST_CASE("a device of the Apple9 family passes every kernel") {
    DeviceFile device(kHost);
    device.report("supportsFamily(Apple8)", true)
        .report("supportsFamily(Apple9)", true)
        .execute("simd_shift_and_fill")
        .execute("atomics_64bit");
    const auto run = run_kernels({}, device.path());
    CHECK(run.exit == 0);
    for (const auto& result : run.report.results)
        CHECK_MESSAGE(result.verdict() == Verdict::honest, result.id(), ": ", result.detail);
}

TEST_CASE("wrong results in one feature fail exactly its kernels, as not correct") {
    DeviceFile device(kHost);
    device.fault({{"feature", "simdgroup_matrix"}}, "wrong-result");
    const auto run = run_kernels({}, device.path());
    CHECK(run.exit == 1);
    for (const auto& result : run.report.results) {
        const bool affected = result.variant == "simdgroup_matrix";
        CHECK_MESSAGE((result.verdict() == Verdict::overclaimed) == affected, result.id(), ": ",
                      result.detail);
        if (affected)
            CHECK(result.rung == Rung::correct);
    }
}

TEST_CASE("more threadgroup memory reported than there is fails the kernel that uses it") {
    DeviceFile device(kGuest);
    device.report("maxThreadgroupMemoryLength", 65536);
    const auto run = run_kernels({"threadgroup_memory", "reduction"}, device.path());
    CHECK(run.exit == 1);
    CHECK(run.verdict("threadgroup_memory/reported") == Verdict::overclaimed);
    CHECK(run["threadgroup_memory/reported"].promise == "maxThreadgroupMemoryLength = 65536");
    CHECK(run.verdict("reduction/tree") == Verdict::honest);
}

TEST_CASE("every way to fail is caught at its rung, and costs no other kernel") {
    const json::object in_kernel = {{"kernel", "reduction_simd"}};
    struct Row {
        const char* effect;
        Rung rung;
    };
    for (const auto& [effect, rung] :
         {Row{"compiler-dies", Rung::compiles}, Row{"pipeline-error", Rung::compiles},
          Row{"abort", Rung::runs}, Row{"command-error", Rung::runs}, Row{"zeros", Rung::correct},
          Row{"wrong-result", Rung::correct}}) {
        DeviceFile device(kHost);
        device.fault(in_kernel, effect);
        const auto run = run_kernels({"reduction", "canary"}, device.path());
        CHECK_MESSAGE(run.exit == 1, effect);
        CHECK_MESSAGE(run["reduction/simd"].status == KernelStatus::failed, effect);
        CHECK_MESSAGE(run["reduction/simd"].rung == rung, effect, ": ", run["reduction/simd"].detail);
        CHECK_MESSAGE(run.verdict("reduction/tree") == Verdict::honest, effect);
        CHECK_MESSAGE(run.verdict("canary/saxpy") == Verdict::honest, effect);
    }
}

TEST_CASE("a residency set that cannot be made fails at runs, whether by nil, error or exception") {
    for (const char* effect : {"nil-without-error", "raise"}) {
        DeviceFile device(kHost);
        device.fault({{"query", "newResidencySetWithDescriptor:error:"}}, effect);
        const auto run = run_kernels({"residency_set"}, device.path());
        CHECK_MESSAGE(run["residency_set/set"].rung == Rung::runs, effect, ": ",
                      run["residency_set/set"].detail);
        CHECK_MESSAGE(run.verdict("residency_set/set") == Verdict::overclaimed, effect);
    }
}

TEST_CASE("a kernel that hangs costs itself") {
    DeviceFile device(kHost);
    device.fault({{"kernel", "reduction_simd"}}, "hang");
    const auto run = run_kernels({"reduction", "matmul_f32/naive", "--deadline", "12"}, device.path());
    CHECK(run.exit == 1);
    CHECK(run["reduction/simd"].rung == Rung::runs);
    CHECK(run["reduction/simd"].detail == "rows=1 columns=1: no answer within 12 s");
    CHECK(run.verdict("reduction/tree") == Verdict::honest);
    CHECK(run.verdict("matmul_f32/naive") == Verdict::honest);
}

TEST_CASE("timestamps that cannot be true give way to the wall clock") {
    DeviceFile device(kHost);
    device.fault({}, "zero-timestamps");
    const auto done = run_assay({"kernels", "run", "--quick", "--json", "reduction/simd"},
                                {{"ASSAY_DEVICE", device.path()}});
    const auto report = kernel_report_from_json(parse_json(done.output, "output").value(), "output");
    REQUIRE_MESSAGE(report.has_value(), done.output);
    const auto& result = report->results.at(0);
    REQUIRE_MESSAGE(result.pays.has_value(), result.pays_detail);
    CHECK(result.pays->clock == "wall");
    CHECK(result.pays->fallback == "tree");
    CHECK(result.pays->variant_seconds.size() == 6);
    CHECK(result.pays->low <= result.pays->ratio);
    CHECK(result.pays->ratio <= result.pays->high);
}

TEST_CASE("the printed ladder says once that it is simulated, and that its times are no GPU's") {
    const auto done = run_assay({"kernels", "run", "--quick", "matmul_f32/tiled", "residency_set"});
    CHECK(done.status.code == 0);
    const auto& text = done.output;
    CHECK(text.find("Apple Paravirtual device, macOS 26.5.2 (simulated: ") == 0);
    CHECK(text.find("simulated", text.find("simulated") + 1) == std::string::npos);
    CHECK(text.find("pays: software-device time, not a GPU speed-up\n") != std::string::npos);
    CHECK(
        text.find("residency_set/set: not reported: needs Apple6 or Metal4 on macOS 15 (residency_sets)\n") !=
        std::string::npos);
}

TEST_CASE("the list of kernels is what it was") {
    const auto done = run_assay({"kernels", "list"});
    CHECK(done.status.code == 0);
    check_golden("kernels_list.txt", done.output);
}

TEST_CASE("wrong words after kernels are usage errors with suggestions") {
    CHECK(run_assay({"kernels"}).status.code == 2);
    const auto action = run_assay({"kernels", "rum"});
    CHECK(action.status.code == 2);
    CHECK(action.output.find("did you mean \"run\"?") != std::string::npos);
    const auto name = run_assay({"kernels", "run", "reduction/sind"});
    CHECK(name.status.code == 2);
    CHECK(name.output.find("did you mean \"reduction/simd\"?") != std::string::npos);
    CHECK(run_assay({"kernels", "run", "--deadline", "0"}).status.code == 2);
}

TEST_CASE("a system without a Metal device cannot run kernels") {
    DeviceFile device(kGuest);
    device.fault({}, "no-device");
    const auto done = run_assay({"kernels", "run", "canary"}, {{"ASSAY_DEVICE", device.path()}});
    CHECK(done.status.code == 3);
    CHECK(done.output.find("there is no Metal device") != std::string::npos);
}

TEST_CASE("the demonstration client takes the paths that the answers open, and checks what it computes") {
    const auto run_client = [](const std::string& device) {
        auto done =
            run_program({{ASSAY_BUILD_DIR "/bin/assay-demo-client", "--json"}, {{"ASSAY_DEVICE", device}}},
                        std::chrono::seconds(120));
        REQUIRE(done.has_value());
        CHECK_MESSAGE(done->status.code == 0, done->output);
        std::string chosen;
        const auto document = parse_json(done->output, "client").value();
        for (const auto& work : document.at("work").as_array()) {
            CHECK(work.at("correct").as_bool());
            chosen += std::string(work.at("variant").as_string()) + ' ';
        }
        return chosen;
    };
    CHECK(run_client(kGuest) == "tree naive integer ");
    CHECK(run_client(kHost) == "simd simdgroup_matrix bfloat ");
}
