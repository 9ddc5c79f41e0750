// A client that prints what a Metal device answers, for the shim's end-to-end tests.
#include "metal/foundation.h"
#include "tests/clients/metal_client.h"

#include <atomic>
#include <cstdio>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace assay::metal;

namespace {

int family(id device, Integer number) { return send<BOOL>(device, "supportsFamily:", number) != 0; }

/// "class 1005=1 1006=0 ..." on one line.
int ask(id device) {
    if (!device) {
        std::puts("no device");
        return 1;
    }
    std::string line = class_getName(object_getClass(device));
    for (const Integer number : {1005, 1006, 1007, 1008})
        line += " " + std::to_string(number) + "=" + std::to_string(family(device, number));
    line += " tgmem=" + std::to_string(send<UInteger>(device, "maxThreadgroupMemoryLength"));
    line += " readwrite=" + std::to_string(send<UInteger>(device, "readWriteTextureSupport"));
    line += " unified=" + std::to_string(send<BOOL>(device, "hasUnifiedMemory"));
    std::puts(line.c_str());
    std::fflush(stdout);
    return 0;
}

int ask_all() {
    int code = 1;
    for (const id device : elements(copy_all_devices()))
        code = ask(device);
    return code;
}

/// How many of 16 threads that race to create the device see Apple7 from their first question on.
int race() {
    constexpr int kThreads = 16;
    std::atomic<int> ready{0};
    std::atomic<int> raised{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i)
        threads.emplace_back([&] {
            ++ready;
            while (ready.load() < kThreads)
                std::this_thread::yield();
            const Pool pool;
            raised += family(create_default_device(), 1007);
        });
    for (auto& thread : threads)
        thread.join();
    std::printf("raised in %d threads\n", raised.load());
    return 0;
}

int in_child(id device) {
    const pid_t pid = ::fork();
    if (pid == 0) {
        const int code = ask(device ? device : create_default_device());
        std::fflush(stdout);
        ::_exit(code);
    }
    int status = 0;
    ::waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

} // namespace

int main(int argc, char** argv) {
    const std::string mode = argc > 1 ? argv[1] : "ask";
    const Pool pool;
    if (mode == "ask")
        return ask(create_default_device());
    if (mode == "all")
        return ask_all();
    if (mode == "race")
        return race();
    if (mode == "fork-before")
        return in_child(nullptr);
    if (mode == "fork-after")
        return in_child(create_default_device());
    if (mode == "exec")
        return ::execl(argv[0], argv[0], "ask", nullptr);
    std::printf("unknown mode %s\n", mode.c_str());
    return 2;
}
