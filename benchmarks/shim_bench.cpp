// What the shim costs: each call against the stock method it replaced, in one process, and starting a
// program.
//
// Run it under a profile that overrides supportsFamily(Apple7) and maxThreadgroupMemoryLength:
// benchmarks/run_shim_bench.sh does.
#include "benchmarks/ratio.h"
#include "metal/framework.h"
#include "metal/runtime.h"

#include <cstdlib>
#include <spawn.h>
#include <string>
#include <sys/wait.h>
#include <vector>

extern char** environ;

using namespace assay;
using namespace assay::metal;

namespace {

/// The two methods that are measured, looked up once.
struct Methods {
    id device;
    IMP family;
    IMP memory;
};

Methods methods_of(id device) {
    return {device, implementation_for<BOOL>(device, sel_registerName("supportsFamily:")),
            implementation_for<UInteger>(device, sel_registerName("maxThreadgroupMemoryLength"))};
}

/// The stock supportsFamily: is the inherited one; maxThreadgroupMemoryLength is compared with a neighbour of
/// the same kind, maxBufferLength, that no profile here overrides.
Methods stock_of(id device) {
    return {device,
            class_getMethodImplementation(class_getSuperclass(object_getClass(device)),
                                          sel_registerName("supportsFamily:")),
            implementation_for<UInteger>(device, sel_registerName("maxBufferLength"))};
}

auto asks_family(const Methods& methods, Integer family) {
    return [methods, family, selector = sel_registerName("supportsFamily:")] {
        bench::keep(call<BOOL>(methods.family, methods.device, selector, family));
    };
}

auto asks_memory(const Methods& methods) {
    return [methods, selector = sel_registerName("maxThreadgroupMemoryLength")] {
        bench::keep(call<UInteger>(methods.memory, methods.device, selector));
    };
}

auto starts(std::vector<std::string> command) {
    return [command = std::move(command)] {
        std::vector<char*> argv;
        for (const auto& word : command)
            argv.push_back(const_cast<char*>(word.c_str()));
        argv.push_back(nullptr);
        posix_spawn_file_actions_t quiet;
        posix_spawn_file_actions_init(&quiet);
        posix_spawn_file_actions_addopen(&quiet, 2, "/dev/null", 1, 0);
        pid_t pid = 0;
        if (::posix_spawn(&pid, argv[0], &quiet, nullptr, argv.data(), environ) != 0)
            std::abort();
        posix_spawn_file_actions_destroy(&quiet);
        int status = 0;
        ::waitpid(pid, &status, 0);
        if (status != 0)
            std::abort();
    };
}

int measure_calls() {
    const auto framework = Framework::load();
    if (!framework)
        return 3;
    const Pool pool;
    const auto device = (*framework)->default_device();
    const auto shimmed = methods_of(device.get());
    const auto stock = stock_of(device.get());
    if (shimmed.family == stock.family || shimmed.memory == stock.memory) {
        std::puts("the shim is not active");
        return 3;
    }
    constexpr int kRounds = 101;
    constexpr int kCalls = 100000;
    bool fast = true;
    fast &= bench::report(
        "supportsFamily: overridden",
        bench::compare(asks_family(stock, 1007), asks_family(shimmed, 1007), kRounds, kCalls), 2);
    fast &= bench::report(
        "supportsFamily: passed on",
        bench::compare(asks_family(stock, 1005), asks_family(shimmed, 1005), kRounds, kCalls), 2);
    fast &= bench::report("constant overridden",
                          bench::compare(asks_memory(stock), asks_memory(shimmed), kRounds, kCalls), 1);
    return fast ? 0 : 1;
}

int measure_start(const char* assay, const char* profile) {
    constexpr int kRounds = 101;
    constexpr double kLimit = 5e6;
    const bool fast = bench::report(
        "assay run -- /bin/true",
        bench::compare(starts({"/bin/true"}),
                       starts({assay, "run", "--draft", "--profile", profile, "--", "/bin/true"}), kRounds,
                       1),
        kLimit);
    return fast ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
    if (argc == 2 && std::string(argv[1]) == "calls")
        return measure_calls();
    if (argc == 4 && std::string(argv[1]) == "start")
        return measure_start(argv[2], argv[3]);
    std::puts("usage: shim_bench calls | shim_bench start ASSAY PROFILE");
    return 2;
}
