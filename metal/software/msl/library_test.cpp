#include "metal/software/msl/library.h"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace assay;
using namespace assay::msl;

namespace {

/// A runtime without parallelism: the entry runs its threads one after another in one threadgroup.
constexpr const char* kSerialHeader = R"(
#define kernel static __attribute__((noinline))
#define device
#define constant const
#define threadgroup
#define thread
typedef unsigned uint; typedef _Float16 half; typedef __bf16 bfloat;
namespace metal { struct uint2 { uint x, y; }; }
struct SerialCall { void** buffers; void** memory; uint threads, now, uses; };
template <class T, int N> T& serial_variable() { static T value; return value; }
struct SerialPointer { void* p; template <class T> operator T*() const { return (T*)p; } };
struct SerialReference { void* p; template <class T> operator T&() const { return *(T*)p; } };
#define MSL_THREADGROUP(type, n) serial_variable<type, n>()
#define MSL_ENTRY_BEGIN extern "C" __attribute__((visibility("default"))) void serial_entry(SerialCall* c) { \
    for (c->now = 0; c->now < c->threads; ++c->now) {
#define MSL_ENTRY_END } }
#define MSL_BUFFER(n) SerialPointer{c->buffers[n]}
#define MSL_BUFFER_REFERENCE(n) SerialReference{c->buffers[n]}
#define MSL_THREADGROUP_MEMORY(n) SerialPointer{c->memory[n]}
#define MSL_THREADGROUP_MEMORY_REFERENCE(n) SerialReference{c->memory[n]}
#define MSL_BUILT_IN(name) serial_##name(c)
inline uint serial_thread_position_in_grid(SerialCall* c) { return c->now; }
inline uint serial_threads_per_grid(SerialCall* c) { return c->threads; }
)";

class SerialRuntime final : public Runtime {
  public:
    explicit SerialRuntime(std::string cache)
        : Runtime({{{"serial.h", kSerialHeader}},
                   "serial.h",
                   {"-std=c++20", "-O2", "-fPIC", "-fvisibility=hidden"},
                   "1"},
                  std::move(cache)) {}
    Result<void> attach(void*) const override { return {}; }
    void* entry(void* handle) const override { return ::dlsym(handle, "serial_entry"); }
    std::uint32_t static_threadgroup_bytes(void*) const override { return 16; }
    std::vector<FeatureUse> used_features(void*) const override { return {{"simd_permute"}}; }
};

const std::string& cache_folder() {
    static const auto folder = TemporaryFolder::make("library-test").value();
    return folder.path();
}

std::shared_ptr<const Runtime> runtime() {
    static const auto shared = std::make_shared<SerialRuntime>(cache_folder());
    return shared;
}

std::shared_ptr<Library> make_library(const std::string& source, const CompileOptions& options = {}) {
    auto made = Library::make(source, options, runtime());
    INFO((made ? std::string() : made.error().text()));
    REQUIRE(made.has_value());
    return *made;
}

std::shared_ptr<Pipeline> make_pipeline(const std::shared_ptr<Library>& library, const std::string& function,
                                        const std::vector<Constant>& constants = {}) {
    auto made = Pipeline::make(library, function, constants);
    INFO((made ? std::string() : made.error().text()));
    REQUIRE(made.has_value());
    return *made;
}

std::string pipeline_error(const std::shared_ptr<Library>& library, const std::string& function,
                           const std::vector<Constant>& constants = {}) {
    const auto made = Pipeline::make(library, function, constants);
    REQUIRE(made.has_error());
    CHECK(made.error().kind == ErrorKind::bad_input);
    return made.error().text();
}

struct SerialCall {
    void** buffers;
    void** memory;
    unsigned threads = 1, now = 0, uses = 0;
};

void run(const Pipeline& pipeline, std::vector<void*> buffers, unsigned threads = 1,
         std::vector<void*> memory = {}) {
    SerialCall call{buffers.data(), memory.data(), threads};
    reinterpret_cast<void (*)(SerialCall*)>(pipeline.entry())(&call);
}

constexpr const char* kSource = R"(#include <metal_stdlib>
using namespace metal;
enum { kSlot = 1 };
constant bool doubled [[function_constant(0)]];
constant float factor [[function_constant(1)]];
constant bool tripled = is_function_constant_defined(factor) ? factor == 3 : false;

kernel void saxpy(device float* y [[buffer(0)]], device const float* x [[buffer(kSlot)]],
                  constant float& a [[buffer(2)]], uint i [[thread_position_in_grid]]) {
    y[i] = a * x[i] + y[i];
}
template <typename T, int N>
kernel void fill(device T* x, uint i [[thread_position_in_grid]]) { x[i] = T(N + 0.5); }
template [[host_name("fill_float_3")]] kernel void fill<float, 3>(device float*, uint);
template [[host_name("fill_int_4")]] kernel decltype(fill<int, 4>) fill<int, 4>;
template [[host_name("fill_broken")]] kernel decltype(fill<half*, 1>) fill<half*, 1>;
template <typename T> kernel void deduced(device T* x) { x[0] = T(sizeof(T)); }
template [[host_name("deduced_short")]] kernel void deduced(device short* x);

[[max_total_threads_per_threadgroup(64)]]
kernel void specialised(device float* x) {
    x[0] = doubled ? 2 : 1;
    x[1] = is_function_constant_defined(factor) ? factor : -1;
    x[2] = tripled;
}
namespace inner { struct S { float v; }; kernel void hidden(device S& s) { s.v = 5; } }
kernel void scratch(device float* x, threadgroup float* own [[threadgroup(1)]], threadgroup uint& first) {
    threadgroup float tile[2][2], one;
    tile[1][1] = own[0]; one = 1; first += 1;
    x[0] = tile[1][1] + one;
}
kernel void brain(device bfloat* x) { x[0] = bfloat(float(x[0]) + 1); }
struct texture {};
kernel void picture(texture t [[texture(0)]]) {}
kernel void odd(device int* x, uint n [[threads_on_the_moon]]) {}
)";

} // namespace

TEST_CASE("a library names its functions in order") {
    const auto library = make_library(kSource);
    CHECK(library->function_names() ==
          std::vector<std::string>{"saxpy", "fill_float_3", "fill_int_4", "fill_broken", "deduced_short",
                                   "specialised", "inner::hidden", "scratch", "brain", "picture", "odd"});
    CHECK(library->warnings().empty());
    CHECK(library->function_constants().size() == 2);
}

TEST_CASE("a kernel computes on the buffers it is given") {
    const auto pipeline = make_pipeline(make_library(kSource), "saxpy");
    std::vector<float> y{1, 2, 3}, x{10, 20, 30};
    float a = 0.5;
    run(*pipeline, {y.data(), x.data(), &a}, 3);
    CHECK(y == std::vector<float>{6, 12, 18});
    CHECK(pipeline->max_total_threads() == 1024);
    CHECK(pipeline->static_threadgroup_bytes() == 16);
    CHECK(pipeline->features() == std::vector<FeatureUse>{{"simd_permute"}});
    CHECK(pipeline->arguments().size() == 4);
}

TEST_CASE("instantiations of template kernels are kernels of their own") {
    const auto library = make_library(kSource);
    float f = 0;
    run(*make_pipeline(library, "fill_float_3"), {&f});
    CHECK(f == 3.5f);
    int i = 0;
    run(*make_pipeline(library, "fill_int_4"), {&i});
    CHECK(i == 4);
    short s = 0;
    run(*make_pipeline(library, "deduced_short"), {&s});
    CHECK(s == 2);
}

TEST_CASE("function constants specialise a kernel, by index or by name") {
    const auto library = make_library(kSource);
    const auto run_with = [&](const std::vector<Constant>& constants) {
        std::vector<float> x(3);
        run(*make_pipeline(library, "specialised", constants), {x.data()});
        return x;
    };
    CHECK(run_with({}) == std::vector<float>{1, -1, 0});
    CHECK(run_with({{0, "", "bool", "true"}}) == std::vector<float>{2, -1, 0});
    CHECK(run_with({{0, "factor", "float", "3.0f"}}) == std::vector<float>{1, 3, 1});
    CHECK(run_with({{1, "", "float", "7.0f"}, {0, "", "bool", "true"}}) == std::vector<float>{2, 7, 0});
    CHECK(make_pipeline(library, "specialised")->max_total_threads() == 64);
    CHECK(pipeline_error(library, "specialised", {{1, "", "int", "3"}}) ==
          "function constant factor: is declared as float, the value given for it is of type int");
}

TEST_CASE("kernels in namespaces, references and threadgroup memory") {
    const auto library = make_library(kSource);
    float value = 0;
    run(*make_pipeline(library, "inner::hidden"), {&value});
    CHECK(value == 5);
    float own = 41;
    unsigned first = 1;
    run(*make_pipeline(library, "scratch"), {&value}, 1, {&first, &own});
    CHECK(value == 42);
    CHECK(first == 2);
}

TEST_CASE("a kernel that computes with bfloat uses the feature bfloat16") {
    const auto pipeline = make_pipeline(make_library(kSource), "brain");
    const auto& features = pipeline->features();
    CHECK(std::count(features.begin(), features.end(), FeatureUse{"bfloat16"}) == 1);
    // 1 is 0x3f80, 2 is 0x4000; 256 has no room for another 1, and a tie goes to the even neighbour.
    for (const auto& [before, after] : {std::pair<std::uint16_t, std::uint16_t>{0x3f80, 0x4000},
                                        {0x4380, 0x4380},
                                        {0x4381, 0x4382},
                                        {0x7f80, 0x7f80}}) {
        std::uint16_t x = before;
        run(*pipeline, {&x});
        CHECK(x == after);
    }
}

TEST_CASE("what cannot become a pipeline says why") {
    const auto library = make_library(kSource);
    CHECK(pipeline_error(library, "saxpi")
              .find("is not a function of this library (did you mean \"saxpy\"?)") != std::string::npos);
    CHECK(pipeline_error(library, "picture").find("\"texture t\" is neither a buffer") != std::string::npos);
    // Seen only when the template is instantiated; still on the user's line.
    CHECK(pipeline_error(library, "fill_broken").find("program_source:13:76: error: ") == 0);
    CHECK(
        pipeline_error(library, "odd") ==
        "kernel odd: attribute \"threads_on_the_moon\" of parameter \"n\" is no built-in value of a kernel");
}

TEST_CASE("macros and the language version reach the source") {
    CompileOptions options;
    options.macros = {{"VALUE", "3"}, {"SUM(a, b)", "(a + b)"}};
    const char* source =
        "kernel void f(device int* x) { x[0] = SUM(VALUE, __METAL_VERSION__); }\n"
        "#if __METAL_VERSION__ >= 310\n#ifndef __HAVE_BFLOAT__\n#error missing\n#endif\n#endif\n";
    const auto value = [&] {
        int x = 0;
        run(*make_pipeline(make_library(source, options), "f"), {&x});
        return x;
    };
    CHECK(value() == 323);
    options.language_version = (2u << 16) | 4;
    CHECK(value() == 243);
    options.language_version = (4u << 16) | 0;
    CHECK(value() == 403);
}

TEST_CASE("processes that build the same library at the same time all get it") {
    const auto folder = TemporaryFolder::make("library-test").value();
    std::vector<pid_t> children;
    for (int k = 0; k < 2; ++k) {
        const pid_t child = ::fork();
        if (child == 0) {
            auto own = std::make_shared<SerialRuntime>(folder.path());
            auto library = Library::make(kSource, {}, own);
            const bool built = library && Pipeline::make(*library, "saxpy", {});
            ::_exit(built ? 0 : 1);
        }
        children.push_back(child);
    }
    for (const pid_t child : children) {
        int status = -1;
        CHECK(::waitpid(child, &status, 0) == child);
        CHECK(status == 0);
    }
    ::setenv("ASSAY_CLANG", "/nonexistent/clang", 1);
    auto later = std::make_shared<SerialRuntime>(folder.path());
    const auto library = Library::make(kSource, {}, later);
    const bool cached = library && Pipeline::make(*library, "saxpy", {});
    const bool fresh = library && Pipeline::make(*library, "scratch", {});
    ::unsetenv("ASSAY_CLANG");
    CHECK(cached);
    CHECK_FALSE(fresh);
}
