// How much faster the software device multiplies matrices than the plainest C++: its reason to exist is that
// whole programs can run on it.
//
// usage: matmul_bench     (uses the bare-metal device file, which executes simdgroup_matrix)
#include "benchmarks/ratio.h"
#include "embedded/kernels.h"
#include "kernels/gpu.h"
#include "kernels/matmul.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

using namespace assay;

namespace {

constexpr std::uint32_t kSize = 512;

/// The yardstick: one thread, three loops in the order of the textbook, compiled at -O3 (see CMakeLists.txt).
[[gnu::noinline]] void triple_loop(const float* a, const float* b, float* c, std::uint32_t n) {
    for (std::uint32_t row = 0; row < n; ++row)
        for (std::uint32_t column = 0; column < n; ++column) {
            float sum = 0;
            for (std::uint32_t i = 0; i < n; ++i)
                sum += a[row * n + i] * b[i * n + column];
            c[row * n + column] = sum;
        }
}

std::string words(const Error& error) { return error.text(); }
std::string words(const GpuFailure& failure) { return failure.detail; }

template <class T, class E>
T must(boost::system::result<T, E> result, const char* what) {
    if (!result) {
        std::fprintf(stderr, "%s: %s\n", what, words(result.error()).c_str());
        std::exit(3);
    }
    return std::move(*result);
}

} // namespace

int main() {
    ::setenv("ASSAY_DEVICE", "m1-ultra-bare-metal", 0);
    must(metal::Framework::load(), "loading Metal"); // brings Foundation, which a pool needs
    const metal::Pool pool;
    const auto gpu = must(Gpu::open(), "opening the device");
    const ProductShape shape{kSize, kSize, kSize};
    Random random(1);
    const auto a = uniform_values(std::size_t{kSize} * kSize, random);
    const auto b = uniform_values(std::size_t{kSize} * kSize, random);
    auto product = product_case(shape, Argument::input(a), Argument::input(b), expected_product(shape, a, b));
    use_simdgroup_product(product, shape);

    const auto source = std::string(embedded::kernels::simdgroup_product_metal) +
                        std::string(embedded::kernels::matmul_f32_metal);
    const auto library =
        must(gpu.compile(source, {{"ASSAY_VARIANT_simdgroup_matrix", "1"}}), "compiling the library");
    const auto pipeline = must(gpu.pipeline(library.get(), "matmul_f32_simdgroup_matrix", product.constants),
                               "making the pipeline");
    std::vector<metal::Object> buffers;
    Gpu::Dispatch dispatch;
    dispatch.pipeline = pipeline.state.get();
    dispatch.grid = product.grid;
    for (const auto& argument : product.arguments) {
        id buffer = nullptr;
        if (argument.kind != Argument::Kind::inlined) {
            buffers.push_back(must(gpu.buffer(argument.bytes.size()), "making a buffer"));
            buffer = buffers.back().get();
            std::memcpy(must(Gpu::contents(buffer), "reading a buffer"), argument.bytes.data(),
                        argument.bytes.size());
        }
        dispatch.arguments.emplace_back(buffer, &argument.bytes);
    }

    std::vector<float> c(std::size_t{kSize} * kSize);
    const auto pair = bench::compare([&] { triple_loop(a.data(), b.data(), c.data(), kSize); },
                                     [&] { must(gpu.run(dispatch), "running the kernel"); }, 11, 1);

    const auto* result =
        reinterpret_cast<const float*>(must(Gpu::contents(buffers[2].get()), "reading the result"));
    const auto& expected = product.expectations.front();
    for (std::size_t i = 0; i < expected.values.size(); ++i)
        if (!(std::abs(result[i] - expected.values[i]) <= expected.bounds[i])) {
            std::fprintf(stderr, "element %zu is wrong\n", i);
            return 1;
        }

    constexpr double kLeast = 40;
    const double ratio = pair.base / pair.measured;
    std::printf("float product of %u x %u matrices, simdgroup_matrix on the software device against a\n"
                "single-threaded C++ triple loop at -O3: %.2f ms against %.2f ms, %.1f times as fast (at "
                "least %.0f): %s\n",
                kSize, kSize, pair.measured / 1e6, pair.base / 1e6, ratio, kLeast,
                ratio >= kLeast ? "ok" : "TOO SLOW");
    return ratio >= kLeast ? 0 : 1;
}
