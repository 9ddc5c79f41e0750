#include "metal/software/msl/driver.h"

#include <cstdlib>
#include <dlfcn.h>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace assay;
using namespace assay::msl;

namespace {

/// A runtime header just large enough for these sources.
Toolkit small_toolkit() {
    Toolkit toolkit;
    toolkit.headers = {{"main.h",
                        "#define kernel static __attribute__((noinline))\n"
                        "template <class T> T& local();\n#define MSL_THREADGROUP(type, n) local<type>()\n"
                        "#define device\n#define constant const\n#define threadgroup\n"
                        "typedef __bf16 bfloat; typedef _Float16 half; typedef unsigned uint;\n"
                        "namespace metal {}\n"}};
    toolkit.main_header = "main.h";
    toolkit.version = "test";
    toolkit.flags = {"-std=c++20", "-O2", "-fPIC", "-fvisibility=hidden"};
    return toolkit;
}

constexpr const char* kScale = "#include <metal_stdlib>\n"
                               "using namespace metal;\n"
                               "kernel void scale(device float* x [[buffer(0)]]) { x[0] = x[0] * FACTOR; }\n"
                               "kernel void no_bfloat(device float* x) { x[0] = 1; }\n"
                               "kernel void brain(device bfloat* x) { x[0] = bfloat(float(x[0]) * 2.0); }\n";

constexpr const char* kEntry =
    "extern \"C\" __attribute__((visibility(\"default\"))) void run(float* x) { scale(x); }\n";

SourceOptions with_factor(const std::string& factor) {
    SourceOptions options;
    options.macros["FACTOR"] = factor;
    return options;
}

/// Loads the kernel and applies it to 2.
float apply(const KernelFile& kernel) {
    void* handle = ::dlopen(kernel.path.c_str(), RTLD_NOW | RTLD_LOCAL);
    REQUIRE(handle);
    float x = 2;
    reinterpret_cast<void (*)(float*)>(::dlsym(handle, "run"))(&x);
    ::dlclose(handle);
    return x;
}

std::string message_of(const std::string& source) {
    static auto folder = TemporaryFolder::make("driver-test").value();
    Driver driver(small_toolkit(), folder.path());
    const auto checked = driver.check(source, {});
    REQUIRE(checked.has_error());
    CHECK(checked.error().kind == ErrorKind::bad_input);
    return checked.error().message;
}

/// Points the compiler at nothing while it lives.
struct NoCompiler {
    NoCompiler() { ::setenv("ASSAY_CLANG", "/nonexistent/clang", 1); }
    ~NoCompiler() { ::unsetenv("ASSAY_CLANG"); }
};

} // namespace

TEST_CASE("source becomes a kernel that computes, with the user's macros") {
    const auto folder = TemporaryFolder::make("driver-test").value();
    Driver driver(small_toolkit(), folder.path());
    const auto checked = driver.check(kScale, with_factor("4 + 1")).value();
    CHECK(checked.warnings.empty());
    REQUIRE(checked.rewritten.entries.size() == 3);
    const auto kernel = driver.compile(checked, kEntry).value();
    CHECK(apply(kernel) == 9.0f); // x * 4 + 1: a macro is text
    CHECK_FALSE(kernel.uses_bfloat);

    SUBCASE("what was compiled is found again when there is no compiler any more") {
        const NoCompiler none;
        Driver later(small_toolkit(), folder.path());
        const auto again = later.check(kScale, with_factor("4 + 1")).value();
        CHECK(apply(later.compile(again, kEntry).value()) == 9.0f);
        const auto fresh = later.check(kScale, with_factor("7"));
        REQUIRE(fresh.has_error());
        CHECK(fresh.error().kind == ErrorKind::environment);
    }
    SUBCASE("a damaged entry is noticed and rebuilt") {
        for (const auto& file : std::filesystem::recursive_directory_iterator(folder.path()))
            if (file.path().filename() == "kernel.so")
                std::ofstream(file.path(), std::ios::app) << "x";
        Driver later(small_toolkit(), folder.path());
        CHECK(apply(later.compile(later.check(kScale, with_factor("4 + 1")).value(), kEntry).value()) ==
              9.0f);
        for (const auto& file : std::filesystem::recursive_directory_iterator(folder.path()))
            if (file.is_regular_file())
                std::filesystem::resize_file(file.path(), file.file_size() / 2);
        Driver last(small_toolkit(), folder.path());
        CHECK(apply(last.compile(last.check(kScale, with_factor("4 + 1")).value(), kEntry).value()) == 9.0f);
    }
    SUBCASE("other macros, another standard or other maths make another kernel") {
        auto options = with_factor("4 + 1");
        options.fast_math = false;
        CHECK(driver.compile(driver.check(kScale, options).value(), kEntry).value().path != kernel.path);
        const auto three = driver.compile(driver.check(kScale, with_factor("3")).value(), kEntry).value();
        CHECK(three.path != kernel.path);
        CHECK(apply(three) == 6.0f);
    }
    SUBCASE("a kernel that computes with bfloat says so, one that has the word in its name does not") {
        const auto brain =
            driver.compile(checked, "extern \"C\" void run(__bf16* x) { brain(x); }\n").value();
        CHECK(brain.uses_bfloat);
        const auto named =
            driver.compile(checked, "extern \"C\" void run(float* x) { no_bfloat(x); }\n").value();
        CHECK_FALSE(named.uses_bfloat);
    }
}

TEST_CASE("a cache that cannot be written costs only the caching") {
    for (const char* folder : {"/proc/nowhere", "/dev/null", ""}) {
        Driver driver(small_toolkit(), folder);
        const auto kernel = driver.compile(driver.check(kScale, with_factor("3")).value(), kEntry).value();
        CHECK(apply(kernel) == 6.0f);
    }
}

TEST_CASE("a forked child that exits leaves its parent's uncached kernels in place") {
    auto driver = std::make_unique<Driver>(small_toolkit(), "");
    const auto kernel = driver->compile(driver->check(kScale, with_factor("3")).value(), kEntry).value();
    const pid_t child = ::fork();
    if (child == 0) {
        driver.reset();
        ::_exit(0);
    }
    CHECK(::waitpid(child, nullptr, 0) == child);
    CHECK(apply(kernel) == 6.0f);
    driver.reset();
    CHECK_FALSE(std::filesystem::exists(kernel.path));
}

TEST_CASE("builders of the same thing at the same time all succeed") {
    const auto folder = TemporaryFolder::make("driver-test").value();
    std::vector<float> results(3);
    std::vector<std::thread> threads;
    for (float& result : results)
        threads.emplace_back([&result, &folder] {
            Driver driver(small_toolkit(), folder.path());
            result = apply(driver.compile(driver.check(kScale, with_factor("3")).value(), kEntry).value());
        });
    for (auto& thread : threads)
        thread.join();
    CHECK(results == std::vector<float>(3, 6.0f));
    for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
        CHECK(entry.path().filename().string().rfind("work-", 0) != 0);
}

TEST_CASE("errors name the user's line and column, and show the line as written") {
    CHECK(message_of("kernel void f(device float* x [[buffer(0)]],   uint i [[thread_position_in_grid]]) {\n"
                     "\tthreadgroup float t[4];   x[i]   = t[i] + missing;\n"
                     "}\n") == "program_source:2:44: error: use of undeclared identifier 'missing'\n"
                               "\tthreadgroup float t[4];   x[i]   = t[i] + missing;\n"
                               "\t                                          ^\n"
                               "1 error generated.\n");
    CHECK(message_of("#if 1\n#error stop here\n#endif\n") == "program_source:2:2: error: stop here\n"
                                                             "#error stop here\n"
                                                             " ^\n"
                                                             "1 error generated.\n");
}

TEST_CASE("files of this machine cannot be included") {
    for (const char* directive :
         {"#include \"/etc/hostname\"", "#embed \"/etc/hostname\"", "#include <stdio.h>",
          "#import \"../../../../../../etc/hostname\"", "#define F \"/etc/hostname\"\n#include F"}) {
        CAPTURE(directive);
        const auto message = message_of(std::string("\n") + directive + "\n");
        CHECK(message.find("program_source:") == 0);
        CHECK(message.find("file not found") != std::string::npos);
    }
    CHECK(message_of("int x;\nvoid f() { asm(\".incbin \\\"/etc/hostname\\\"\"); }") ==
          "program_source:2:1: error: inline assembly is not available on this device\n"
          "void f() { asm(\".incbin \\\"/etc/hostname\\\"\"); }\n^\n1 error generated.\n");
}

TEST_CASE("warnings come with a library that compiles") {
    const auto folder = TemporaryFolder::make("driver-test").value();
    Driver driver(small_toolkit(), folder.path());
    const auto checked = driver.check("void f(int x) {\n  x == 2;\n}\n", {}).value();
    CHECK(checked.warnings.find("program_source:2:5: warning: equality comparison result unused") == 0);
}

TEST_CASE("hostile source costs an error, not the process") {
    for (const std::string& source :
         {std::string(300000, '('), std::string(300000, '{'),
          std::string("constexpr int f() { for (;;); }\nint a[f()];"),
          std::string("template <int N> struct A { A<N + 1> a; }; A<0> a;"),
          std::string("#define A(x) B(x x)\n") + std::string(2000, '['), std::string("\0\1\2\xff\xfe", 5),
          std::string("#line 5 \"/etc/passwd\"\nint x = y;"),
          std::string("int x[1 << 30][1 << 30][1 << 30];")}) {
        CAPTURE(source.substr(0, 60));
        CHECK_FALSE(message_of(source).empty());
    }
}

TEST_CASE("a compiler that does not come to an end is stopped") {
    const auto folder = TemporaryFolder::make("driver-test").value();
    const std::string sleeper = folder.path() + "/clang";
    std::ofstream(sleeper) << "#!/bin/sh\nsleep 60\n";
    std::filesystem::permissions(sleeper, std::filesystem::perms::owner_all);
    ::setenv("ASSAY_CLANG", sleeper.c_str(), 1);
    Driver driver(small_toolkit(), folder.path(), std::chrono::milliseconds(50));
    ::unsetenv("ASSAY_CLANG");
    const auto checked = driver.check("int x;", {});
    REQUIRE(checked.has_error());
    CHECK(checked.error().message == "program_source: error: the compiler took too long and was stopped\n");
}
