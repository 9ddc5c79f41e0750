#include "metal/software/msl/executor.h"

#include "metal/software/msl/library.h"
#include "metal/software/msl/software_runtime.h"
#include <cmath>
#include <doctest/doctest.h>
#include <memory>
#include <set>
#include <vector>

using namespace assay;
using namespace assay::msl;

namespace {

constexpr const char* kSource = R"(
#include <metal_stdlib>
#include <metal_simdgroup_matrix>
using namespace metal;
kernel void reverse(device const int* in [[buffer(0)]], device int* out [[buffer(1)]],
                    threadgroup int* moved [[threadgroup(0)]], uint i [[thread_position_in_grid]],
                    uint t [[thread_position_in_threadgroup]], uint n [[threads_per_threadgroup]]) {
    threadgroup int kept[1024];
    kept[t] = in[i];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    moved[n - 1 - t] = kept[t];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    out[i] = moved[t];
}
kernel void diverge(device int* out [[buffer(0)]], uint t [[thread_position_in_grid]]) {
    int r;
    if (t % 3 == 0) r = simd_sum(1);
    else if (t % 3 == 1) r = simd_sum(100) + (int)simd_broadcast_first(t);
    else r = (int)simd_prefix_exclusive_sum(1u);
    int n = 0;
    for (uint i = 0; i < t % 5; i++) n += simd_sum(1);
    out[2 * t] = r;
    out[2 * t + 1] = simd_sum(1) * 1000 + n;
}
kernel void ragged(device uint* out [[buffer(0)]], uint2 at [[thread_position_in_grid]],
                   uint2 grid [[threads_per_grid]], uint2 size [[threads_per_threadgroup]]) {
    out[at.y * grid.x + at.x] += 1000 * size.x + size.y;
}
kernel void lanes(device uint* out [[buffer(0)]], uint t [[thread_index_in_simdgroup]]) {
    uint v = t * 7 + 1;
    out[t * 12 + 0] = simd_shuffle(v, (ushort)((t * 5) & 31));
    out[t * 12 + 1] = simd_shuffle_xor(v, 9);
    out[t * 12 + 2] = simd_shuffle_rotate_down(v, 3);
    out[t * 12 + 3] = simd_shuffle_rotate_up(v, 3);
    out[t * 12 + 4] = simd_shuffle_and_fill_down(v, 1000 + t, 5);
    out[t * 12 + 5] = simd_shuffle_and_fill_up(v, 1000 + t, 5);
    out[t * 12 + 6] = simd_prefix_inclusive_sum(v);
    out[t * 12 + 7] = quad_sum(v);
    out[t * 12 + 8] = simd_max(v);
    out[t * 12 + 9] = (uint)(ulong)simd_ballot(t % 3 == 0);
    out[t * 12 + 10] = quad_broadcast(v, 2);
    out[t * 12 + 11] = simd_all(t < 32) && simd_any(t == 31) && !simd_all(t < 31);
}
template <typename T>
kernel void product(device const T* a [[buffer(0)]], device const T* b [[buffer(1)]], device float* c [[buffer(2)]],
                    device float* elements [[buffer(3)]], uint lane [[thread_index_in_simdgroup]]) {
    simdgroup_matrix<T, 8, 8> x, y;
    simdgroup_float8x8 sum = make_filled_simdgroup_matrix<float, 8, 8>(1.f);
    simdgroup_load(x, a);
    simdgroup_load(y, b);
    simdgroup_multiply_accumulate(sum, x, y, sum);
    simdgroup_store(sum, c);
    elements[2 * lane] = sum.thread_elements()[0];
    elements[2 * lane + 1] = sum.thread_elements()[1];
}
template [[host_name("product_float")]] kernel void product<float>(device const float*, device const float*, device float*, device float*, uint);
template [[host_name("product_half")]] kernel void product<half>(device const half*, device const half*, device float*, device float*, uint);
kernel void extremes(device atomic_ulong* best [[buffer(0)]], device atomic_uint* count [[buffer(1)]],
                     device atomic_float* sum [[buffer(2)]], uint i [[thread_position_in_grid]]) {
    atomic_max_explicit(best, (ulong)i << 33, memory_order_relaxed);
    atomic_fetch_add_explicit(count, 1u, memory_order_relaxed);
    atomic_fetch_add_explicit(sum, 0.5f, memory_order_relaxed);
}
kernel void reduce(device const float* x [[buffer(0)]], device float* out [[buffer(1)]], uint i [[thread_position_in_grid]]) {
    out[i] = simd_sum(x[i]);
}
)";

std::shared_ptr<const Library> library() {
    static const auto made = [] {
        auto result =
            Library::make(kSource, {}, std::make_shared<SoftwareRuntime>(ASSAY_BUILD_DIR "/kernel-cache"));
        if (!result)
            FAIL(result.error().text());
        return *result;
    }();
    return made;
}

std::shared_ptr<Pipeline> pipeline(const std::string& name) {
    auto made = Pipeline::make(library(), name, {});
    if (!made)
        FAIL(made.error().text());
    return *made;
}

void dispatch(const Pipeline& kernel, std::vector<void*> buffers, Dispatch d) {
    const std::uint32_t offsets[] = {0};
    d.entry = reinterpret_cast<KernelEntry>(kernel.entry());
    d.buffers = buffers;
    d.threadgroup_offsets = offsets;
    d.dynamic_threadgroup_bytes = 4096;
    d.static_threadgroup_bytes = kernel.static_threadgroup_bytes();
    const auto done = run(d);
    if (!done)
        FAIL(done.error().text());
}

std::set<std::string> feature_ids(const Pipeline& kernel) {
    std::set<std::string> ids;
    for (const auto& use : kernel.features())
        ids.insert(use.id);
    return ids;
}

constexpr Order kOrders[] = {Order::ascending, Order::descending, Order::shuffled};

} // namespace

TEST_CASE("threads meet at barriers, whatever order they run in") {
    const auto kernel = pipeline("reverse");
    CHECK(kernel->static_threadgroup_bytes() == 4096);
    for (const Order order : kOrders)
        for (const std::uint32_t size : {1u, 31u, 33u, 256u, 1000u}) {
            const std::uint32_t groups = 9;
            std::vector<int> in(size * groups), out(in.size());
            for (std::size_t i = 0; i < in.size(); ++i)
                in[i] = static_cast<int>(i * i);
            Dispatch d;
            d.threadgroups = {groups, 1, 1};
            d.threads_per_threadgroup = {size, 1, 1};
            d.order = order;
            d.seed = 5;
            dispatch(*kernel, {in.data(), out.data()}, d);
            bool same = true;
            for (std::uint32_t i = 0; i < size * groups; ++i)
                same &= out[i] == in[i / size * size + size - 1 - i % size];
            CHECK(same);
        }
}

TEST_CASE("SIMD operations in divergent code see the active lanes only") {
    const auto kernel = pipeline("diverge");
    for (const Order order : kOrders) {
        std::vector<int> out(64, -1);
        Dispatch d;
        d.threads_per_threadgroup = {32, 1, 1};
        d.order = order;
        dispatch(*kernel, {out.data()}, d);
        for (int t = 0; t < 32; ++t) {
            int expected = t % 3 == 0 ? 11 : 1101;
            if (t % 3 == 2)
                expected = (t - 2) / 3;
            int others = 0;
            for (int i = 0; i < t % 5; ++i)
                for (int u = 0; u < 32; ++u)
                    others += u % 5 > i;
            CAPTURE(t);
            CHECK(out[static_cast<std::size_t>(2 * t)] == expected);
            CHECK(out[static_cast<std::size_t>(2 * t + 1)] == 32000 + others);
        }
    }
}

TEST_CASE("a grid that threadgroups do not divide has smaller ones at its edges") {
    std::vector<std::uint32_t> out(21 * 10);
    Dispatch d;
    d.threadgroups = {3, 3, 1};
    d.threads_per_threadgroup = {8, 4, 1};
    d.threads_per_grid = {21, 10, 1};
    dispatch(*pipeline("ragged"), {out.data()}, d);
    for (std::uint32_t y = 0; y < 10; ++y)
        for (std::uint32_t x = 0; x < 21; ++x)
            CHECK(out[y * 21 + x] == 1000 * (x < 16 ? 8 : 5) + (y < 8 ? 4 : 2));
}

TEST_CASE("an empty grid runs nothing and an impossible one is refused") {
    Dispatch d;
    d.threadgroups = {0, 1, 1};
    CHECK(run(d).has_value());
    d.threadgroups = {1, 1, 1};
    d.threads_per_threadgroup = {1025, 1, 1};
    CHECK(run(d).has_error());
    d.threads_per_threadgroup = {8, 1, 1};
    d.threads_per_grid = {9, 1, 1};
    CHECK(run(d).has_error());
}

TEST_CASE("lanes read from the lanes they name") {
    std::vector<std::uint32_t> out(32 * 12);
    Dispatch d;
    d.threads_per_threadgroup = {32, 1, 1};
    dispatch(*pipeline("lanes"), {out.data()}, d);
    const auto v = [](std::uint32_t lane) { return (lane & 31) * 7 + 1; };
    for (std::uint32_t t = 0; t < 32; ++t) {
        CAPTURE(t);
        const std::uint32_t* o = &out[t * 12];
        std::uint32_t sum = 0;
        for (std::uint32_t u = 0; u <= t; ++u)
            sum += v(u);
        CHECK(o[0] == v(t * 5));
        CHECK(o[1] == v(t ^ 9));
        CHECK(o[2] == v(t + 3));
        CHECK(o[3] == v(t - 3));
        CHECK(o[4] == (t + 5 < 32 ? v(t + 5) : 1000 + t + 5 - 32));
        CHECK(o[5] == (t >= 5 ? v(t - 5) : 1000 + t + 27));
        CHECK(o[6] == sum);
        CHECK(o[7] == 4 * v(t & 28) + 42);
        CHECK(o[8] == v(31));
        CHECK(o[9] == 0x49249249u);
        CHECK(o[10] == v((t & 28) + 2));
        CHECK(o[11] == 1);
    }
}

TEST_CASE("simdgroup matrices multiply, and lanes hold the elements they hold on the hardware") {
    const auto check = [](const char* name, auto element) {
        using T = decltype(element);
        std::vector<T> a(64), b(64);
        std::vector<float> c(64), elements(64);
        for (int i = 0; i < 64; ++i) {
            a[static_cast<std::size_t>(i)] = static_cast<T>(i % 13 - 6);
            b[static_cast<std::size_t>(i)] = static_cast<T>(i % 7 - 2);
        }
        Dispatch d;
        d.threads_per_threadgroup = {32, 1, 1};
        dispatch(*pipeline(name), {a.data(), b.data(), c.data(), elements.data()}, d);
        for (unsigned row = 0; row < 8; ++row)
            for (unsigned column = 0; column < 8; ++column) {
                double sum = 1;
                for (unsigned k = 0; k < 8; ++k)
                    sum += static_cast<double>(a[row * 8 + k]) * static_cast<double>(b[k * 8 + column]);
                CHECK(static_cast<double>(c[row * 8 + column]) == sum);
            }
        for (unsigned lane = 0; lane < 32; ++lane) {
            const unsigned quad = lane / 4;
            const unsigned row = (quad & 4) + lane / 2 % 4, column = (quad & 2) * 2 + lane % 2 * 2;
            CHECK(elements[2 * lane] == c[row * 8 + column]);
            CHECK(elements[2 * lane + 1] == c[row * 8 + column + 1]);
        }
    };
    check("product_float", float{});
    CHECK(feature_ids(*pipeline("product_half")).count("simdgroup_matrix") == 1);
}

TEST_CASE("atomics of all threads and cores add up") {
    std::uint64_t best = 0;
    std::uint32_t count = 0;
    float sum = 0;
    Dispatch d;
    d.threadgroups = {100, 1, 1};
    d.threads_per_threadgroup = {64, 1, 1};
    const auto kernel = pipeline("extremes");
    dispatch(*kernel, {&best, &count, &sum}, d);
    CHECK(best == std::uint64_t{6399} << 33);
    CHECK(count == 6400);
    CHECK(sum == 3200.0f);
    CHECK(feature_ids(*kernel) == std::set<std::string>{"atomics_64bit", "float_atomics"});
}

TEST_CASE("a kernel records the features it uses and no others") {
    CHECK(feature_ids(*pipeline("reverse")).empty());
    CHECK(feature_ids(*pipeline("product_float")) == std::set<std::string>{"simdgroup_matrix"});
    const auto reduce = pipeline("reduce");
    REQUIRE(reduce->features().size() == 1);
    CHECK(reduce->features()[0].id == "simd_reduction");
    CHECK(reduce->features()[0].intrinsic == "air.simd_sum.f32");
}

TEST_CASE("a ragged last SIMD group reduces over the lanes that exist") {
    std::vector<float> x(40, 1.0f), out(40);
    Dispatch d;
    d.threads_per_threadgroup = {40, 1, 1};
    dispatch(*pipeline("reduce"), {x.data(), out.data()}, d);
    for (std::size_t i = 0; i < 40; ++i)
        CHECK(out[i] == (i < 32 ? 32.0f : 8.0f));
}
