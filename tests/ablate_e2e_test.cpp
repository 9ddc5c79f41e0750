// assay ablate on the software device: the real binary, the real shim, real kernels.
#include "base/json.h"
#include "tests/end_to_end.h"
#include <chrono>
#include <csignal>
#include <functional>
#include <thread>

using namespace assay;
using namespace assay::testing;

namespace {

/// One run of `assay ablate` in a folder of its own.
class Study {
  public:
    explicit Study(std::string goal) : goal_(std::move(goal)) {}

    /// Derives a device file from the shipped default and uses it.
    void edit_device(const std::function<void(json::object&)>& edit) {
        auto device = read_json(ASSAY_SOURCE_DIR "/metal/software/devices/tahoe-guest-m1-ultra.json").value();
        edit(device.get_object());
        REQUIRE(write_file(file("device.json"), write_json(device)).has_value());
        set("ASSAY_DEVICE", file("device.json"));
    }
    void set(const std::string& name, const std::string& value) { environment_.emplace_back(name, value); }

    std::vector<std::string> argv(const std::vector<std::string>& more = {}) const {
        std::vector<std::string> out = {ASSAY_BINARY, "ablate",      "--goal",    goal_,
                                        "-o",         file("study"), "--repeats", "1"};
        out.insert(out.end(), more.begin(), more.end());
        return out;
    }
    const Variables& environment() const { return environment_; }

    /// Runs to the end; the exit code.
    int run(const std::vector<std::string>& more = {}) {
        auto done = run_program({argv(more), environment_}, std::chrono::seconds(280));
        REQUIRE(done.has_value());
        REQUIRE(!done->timed_out);
        output = done->output;
        INFO(output);
        REQUIRE(done->status.signal == 0);
        return done->status.code;
    }

    std::string file(const std::string& name) const { return folder_.path() + "/" + name; }
    bool has_profile() const { return read_file(file("study/profile.json")).has_value(); }
    json::object profile() const { return read_json(file("study/profile.json")).value().get_object(); }
    std::string journal() const { return read_file(file("study/run.jsonl")).value(); }
    /// The last line of the output that starts with this, columns and all.
    std::string line(const std::string& start) const {
        std::string found;
        for (std::size_t begin = 0; begin < output.size();) {
            const std::size_t end = std::min(output.find('\n', begin), output.size());
            std::string text = output.substr(begin, end - begin);
            if (text.rfind(start, 0) == 0)
                found = std::move(text);
            begin = end + 1;
        }
        return found;
    }
    bool says(const std::string& text) const { return output.find(text) != std::string::npos; }

    std::string output;

  private:
    std::string goal_;
    TemporaryFolder folder_ = TemporaryFolder::make("ablate-e2e").value();
    // One cache for all: what the kernels compile to is the same for every device.
    Variables environment_ = {{"ASSAY_CACHE_DIR", ASSAY_BUILD_DIR "/kernel-cache"}};
};

json::object fault(json::object when, const std::string& effect) {
    return {{"when", std::move(when)}, {"effect", effect}};
}

void add_fault(json::object& device, json::object row) {
    if (!device.contains("faults"))
        device["faults"] = json::array();
    device["faults"].as_array().push_back(std::move(row));
}

const json::object kAppleSixAndSeven{{"supportsFamily(Apple6)", true}, {"supportsFamily(Apple7)", true}};

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("the default guest needs exactly Apple6 and Apple7 for llama.cpp") {
    Study study("llama.cpp");
    REQUIRE(study.run() == 0);
    INFO(study.output);
    const auto profile = study.profile();
    CHECK(profile.at("overrides").as_object() == kAppleSixAndSeven);
    CHECK(profile.at("state") == json::value("simulated"));
    CHECK(profile.at("pins").at("device_class") == json::value("AppleParavirtDevice"));
    CHECK(profile.at("pins").at("os_build") == json::value("25F84"));
    CHECK(profile.at("stock").as_object() ==
          json::object{{"supportsFamily(Apple6)", false}, {"supportsFamily(Apple7)", false}});
    CHECK(profile.at("evidence").at("repeats") == json::value(1));
    CHECK(study.says("Everything below is simulated"));

    CHECK(contains(study.line("supportsFamily(Apple6)"), "needed"));
    CHECK(contains(study.line("supportsFamily(Apple7)"), "matmul_f32/simdgroup_matrix"));
    const std::pair<const char*, const char*> others[] = {
        {"supportsFamily(Apple8)", "shift_and_fill"},
        {"supportsFamily(Apple9)", "atomic_max_64"},
        {"supportsFamily(Metal3)", "residency_set"},
        {"maxThreadgroupMemoryLength", "threadgroup_memory"}};
    for (const auto& [key, kernel] : others) {
        CAPTURE(key);
        CHECK(contains(study.line(key), "not needed for llama.cpp"));
        const std::string hazard = study.line("  " + std::string(key));
        CHECK(contains(hazard, kernel));
    }
    bool residency = false;
    for (const auto& hazard : profile.at("hazards").as_array())
        residency =
            residency || (hazard.at("kernel") == json::value("residency_set") &&
                          hazard.at("override").as_array()[0] == json::value("supportsFamily(Apple6)"));
    CHECK(residency);
}

TEST_CASE("no wanted gate of mlx can be opened safely, and Metal3 is unsafe for its residency set") {
    Study study("mlx");
    CHECK(study.run() == 1);
    INFO(study.output);
    CHECK_FALSE(study.has_profile());
    CHECK(study.says("no wanted gate of it can be opened safely"));
    const std::string metal3 = study.line("supportsFamily(Metal3)");
    CHECK(contains(metal3, "unsafe"));
    CHECK(contains(metal3, "residency_set"));
}

TEST_CASE("when the device executes all that Apple9 promises and grants residency sets, no hazard is left") {
    Study study("llama.cpp");
    study.edit_device([](json::object& device) {
        auto& executes = device["executes"].as_object();
        for (const char* feature : {"simd_shift_and_fill", "atomics_64bit", "residency_sets"})
            executes["features"].as_array().emplace_back(feature);
        executes["limits"].as_object()["max_threadgroup_memory"] = 65536;
    });
    REQUIRE(study.run() == 0);
    INFO(study.output);
    CHECK(study.profile().at("overrides").as_object() == kAppleSixAndSeven);
    CHECK(study.profile().at("hazards").as_array().empty());
    CHECK(study.says("No hazards"));
}

TEST_CASE("wrong results of the matrix unit make the goal unreachable and name the kernel") {
    Study study("llama.cpp");
    study.edit_device([](json::object& device) {
        add_fault(device, fault({{"feature", "simdgroup_matrix"}}, "wrong-result"));
    });
    CHECK(study.run({"--budget", "12"}) == 1);
    INFO(study.output);
    CHECK(study.says("not safely reachable"));
    const std::string apple7 = study.line("supportsFamily(Apple7)");
    CHECK(contains(apple7, "unsafe"));
    CHECK(contains(apple7, "matmul_f32/simdgroup_matrix fails at correct"));
    CHECK(contains(study.line("  ggml-simdgroup-mm"), "matmul_f32/simdgroup_matrix fails at correct"));
}

TEST_CASE("a device that is Apple7 at stock needs no shim") {
    Study study("llama.cpp");
    study.edit_device([](json::object& device) {
        for (const char* key : {"supportsFamily(Apple6)", "supportsFamily(Apple7)"})
            device["reports"].as_object()[key] = true;
    });
    CHECK(study.run() == 0);
    INFO(study.output);
    CHECK(study.says("No shim needed"));
    CHECK_FALSE(study.has_profile());
}

TEST_CASE("a guest that does not state its build gets a draft, which runs with --draft") {
    Study study("llama.cpp");
    study.set("ASSAY_DEVICE", "sonoma-guest-raising");
    REQUIRE(study.run() == 0);
    INFO(study.output);
    CHECK(study.profile().at("state") == json::value("draft"));
    CHECK(study.says("It is a draft: this system does not state os_build"));
    CHECK(study.says("assay run --draft --profile"));
}

TEST_CASE("with a shim that does nothing every trial is void and nothing is chosen") {
    Study study("llama.cpp");
    study.set("ASSAY_SHIM_LIBRARY", ASSAY_IDLE_LIBRARY);
    CHECK(study.run() == 1);
    INFO(study.output);
    CHECK_FALSE(study.has_profile());
    CHECK(contains(study.line("supportsFamily(Apple7)"), "inconclusive"));
    CHECK(contains(study.journal(), "\"status\":\"void\",\"reason\":\"the shim left no status"));
}

TEST_CASE("a kernel that aborts and one that hangs cost one kernel each") {
    Study study("llama.cpp");
    study.edit_device([](json::object& device) {
        auto& features = device["executes"].as_object()["features"].as_array();
        features.emplace_back("simd_shift_and_fill");
        features.emplace_back("atomics_64bit");
        add_fault(device, fault({{"feature", "simd_shift_and_fill"}}, "abort"));
        add_fault(device, fault({{"feature", "atomics_64bit"}}, "never-completes"));
    });
    REQUIRE(study.run({"--deadline", "10"}) == 0);
    INFO(study.output);
    CHECK(study.profile().at("overrides").as_object() == kAppleSixAndSeven);
    CHECK(contains(study.line("  supportsFamily(Apple8)"), "shift_and_fill"));
    CHECK(contains(study.line("  supportsFamily(Apple9)"), "atomic_max_64"));
    // Whatever came after them in the same trial still ran: the kernels behind in the catalogue have results.
    CHECK(contains(study.line("  supportsFamily(Metal3)"), "residency_set"));
}

TEST_CASE("a device that wedges stops the run at the trial that wedged it") {
    Study study("llama.cpp");
    study.edit_device([&](json::object& device) {
        auto wedge = fault({{"feature", "simdgroup_matrix"}, {"reports", "supportsFamily(Apple7)"}}, "wedge");
        wedge["file"] = study.file("wedged");
        add_fault(device, std::move(wedge));
    });
    CHECK(study.run() == 3);
    INFO(study.output);
    // Stock, forced, Apple6, then Apple7 with the step below it.
    CHECK(study.says("since trial 4 (supportsFamily(Apple6) = true, supportsFamily(Apple7) = true)"));
    CHECK(study.says("--resume"));
    CHECK_FALSE(contains(study.journal(), "\"trial\":5"));
    CHECK_FALSE(study.has_profile());
}

TEST_CASE("a run that was killed ends with --resume in the profile of an undisturbed one") {
    Study whole("llama.cpp");
    REQUIRE(whole.run() == 0);
    Study cut("llama.cpp");
    {
        auto child = Child::spawn({cut.argv(), cut.environment()});
        REQUIRE(child.has_value());
        const auto deadline = Clock::now() + std::chrono::seconds(120);
        while (Clock::now() < deadline) {
            const auto text = read_file(cut.file("study/run.jsonl"));
            if (text && contains(*text, "\"event\":\"trial-begin\",\"trial\":5"))
                break;
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        REQUIRE(::kill(child->pid(), SIGKILL) == 0);
        REQUIRE(child->wait(deadline)->signal == SIGKILL);
    }
    CHECK_FALSE(cut.has_profile());
    CHECK(cut.run() == 2); // the record is never overwritten
    REQUIRE(cut.run({"--resume"}) == 0);
    auto expected = whole.profile();
    auto resumed = cut.profile();
    for (auto* profile : {&expected, &resumed}) {
        profile->erase("digest");
        profile->at("evidence").as_object().erase("run"); // each record's own
    }
    CHECK(resumed == expected);
    const std::string journal = cut.journal();
    CHECK(journal.find("\"event\":\"trial-begin\",\"trial\":2,") ==
          journal.rfind("\"event\":\"trial-begin\",\"trial\":2,"));
}

TEST_CASE("usage errors say what was expected") {
    CHECK(run_assay({"ablate", "-o", "/nonexistent"}).status.code == 2);
    CHECK(run_assay({"ablate", "--goal", "llama.cpp"}).status.code == 2);
    const auto misspelt = run_assay({"ablate", "--goal", "lama.cpp", "-o", "/nonexistent"});
    CHECK(misspelt.status.code == 2);
    CHECK(contains(misspelt.output, "llama.cpp"));
}
