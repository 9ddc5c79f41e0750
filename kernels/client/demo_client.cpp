// assay-demo-client: an ordinary Metal program that picks its kernels as llama.cpp does.
//
// It links Metal, asks the device's families, takes the fast path of each kernel when llama.cpp's gate for it
// is open, runs the kernels, checks what they computed and prints their time. It knows nothing of profiles.
#include "embedded/kernels.h"
#include "kernels/bfloat.h"
#include "kernels/check.h"
#include "kernels/gate.h"
#include "kernels/matmul.h"
#include "metal/foundation.h"
#include "metal/gpu_family.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>

extern "C" id MTLCreateSystemDefaultDevice(void);

namespace assay {

namespace {

using metal::Object;
using metal::send;
using metal::Size;
using metal::UInteger;

constexpr int kRuns = 5;

Answers live_answers(id device) {
    Answers answers;
    answers.lookup = [device](std::string_view key) -> std::optional<json::value> {
        constexpr std::string_view kPrefix = "supportsFamily(";
        if (key.substr(0, kPrefix.size()) != kPrefix || key.back() != ')')
            return {};
        const auto family =
            metal::gpu_family_value(key.substr(kPrefix.size(), key.size() - kPrefix.size() - 1));
        if (!family)
            return {};
        return json::value(send<BOOL>(device, "supportsFamily:", *family) != 0);
    };
    return answers;
}

bool gate_open(std::string_view name, const Answers& answers) {
    for (const auto& gate : client_gates())
        if (gate.id == name)
            return gate.open(answers) == Truth::yes;
    return false;
}

/// One piece of work: which variant of a kernel, on what.
struct Work {
    std::string title;
    std::string variant;
    std::string source;
    Case task;
};

/// What came of it; `trouble` is empty when the result was correct.
struct Done {
    double milliseconds = 0;
    std::string trouble;
};

Object make_pipeline(id device, const Work& work, std::string& trouble) {
    id error = nullptr;
    const std::string source = "#define ASSAY_VARIANT_" + work.variant + " 1\n" + work.source;
    const auto library = Object::adopt(send<id>(
        device, "newLibraryWithSource:options:error:", metal::ns_string(source), id{nullptr}, &error));
    if (!library) {
        trouble = metal::error_text(error);
        return {};
    }
    const auto constants = Object::adopt(send<id>(metal::class_named("MTLFunctionConstantValues"), "new"));
    for (const auto& constant : work.task.constants) {
        constexpr UInteger kBool = 53; // MTLDataTypeBool
        const bool value = std::get<bool>(constant.value);
        send<void>(constants.get(), "setConstantValue:type:atIndex:", static_cast<const void*>(&value), kBool,
                   UInteger{constant.index});
    }
    const auto function =
        Object::adopt(send<id>(library.get(), "newFunctionWithName:constantValues:error:",
                               metal::ns_string(work.task.function), constants.get(), &error));
    auto pipeline =
        Object::adopt(send<id>(device, "newComputePipelineStateWithFunction:error:", function.get(), &error));
    if (!pipeline)
        trouble = metal::error_text(error);
    return pipeline;
}

Done run(id device, id queue, const Work& work) {
    const metal::Pool pool;
    Done done;
    const auto pipeline = make_pipeline(device, work, done.trouble);
    if (!pipeline)
        return done;
    std::vector<Object> buffers;
    for (const auto& argument : work.task.arguments) {
        buffers.push_back(argument.kind == Argument::Kind::inlined
                              ? Object()
                              : Object::adopt(send<id>(device, "newBufferWithBytes:length:options:",
                                                       static_cast<const void*>(argument.bytes.data()),
                                                       UInteger{argument.bytes.size()}, UInteger{0})));
    }
    std::vector<double> times;
    for (int i = 0; i < kRuns; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        const id commands = send<id>(queue, "commandBuffer");
        const id encoder = send<id>(commands, "computeCommandEncoder");
        send<void>(encoder, "setComputePipelineState:", pipeline.get());
        for (std::size_t at = 0; at < buffers.size(); ++at) {
            const auto& bytes = work.task.arguments[at].bytes;
            if (buffers[at])
                send<void>(encoder, "setBuffer:offset:atIndex:", buffers[at].get(), UInteger{0},
                           UInteger{at});
            else
                send<void>(encoder, "setBytes:length:atIndex:", static_cast<const void*>(bytes.data()),
                           UInteger{bytes.size()}, UInteger{at});
        }
        send<void>(encoder,
                   work.task.grid.in_threads ? "dispatchThreads:threadsPerThreadgroup:"
                                             : "dispatchThreadgroups:threadsPerThreadgroup:",
                   work.task.grid.size, work.task.grid.group);
        send<void>(encoder, "endEncoding");
        send<void>(commands, "commit");
        send<void>(commands, "waitUntilCompleted");
        constexpr UInteger kCompleted = 4; // MTLCommandBufferStatusCompleted
        if (send<UInteger>(commands, "status") != kCompleted) {
            done.trouble = metal::error_text(send<id>(commands, "error"));
            return done;
        }
        times.push_back(
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
    }
    std::sort(times.begin(), times.end());
    done.milliseconds = times[times.size() / 2];
    const auto& expected = work.task.expectations.front();
    const auto* bytes =
        static_cast<const std::byte*>(send<void*>(buffers[expected.argument].get(), "contents"));
    if (const auto result = compare(expected, {bytes, expected.size() * element_size(expected.element)});
        result.wrong != 0)
        done.trouble = fmt::format("{} of {} values wrong; {}", result.wrong, result.elements, result.first);
    return done;
}

Work row_sums(const Answers& answers) {
    constexpr std::uint32_t kRows = 1024;
    constexpr std::uint32_t kColumns = 4096;
    const bool simd = gate_open("ggml-simdgroup-reduction", answers);
    Work work{"row sums", simd ? "simd" : "tree", std::string(embedded::kernels::reduction_metal), {}};
    Random random(1);
    const auto x = uniform_values(std::size_t{kRows} * kColumns, random);
    auto expected = Expectation::approximate_floats(1);
    for (std::size_t row = 0; row < kRows; ++row) {
        double sum = 0;
        double magnitude = 0;
        for (std::size_t column = 0; column < kColumns; ++column) {
            sum += x[row * kColumns + column];
            magnitude += std::abs(x[row * kColumns + column]);
        }
        expected.values.push_back(sum);
        expected.bounds.push_back(gamma(kColumns) * magnitude);
    }
    work.task.label = fmt::format("{} x {}", kRows, kColumns);
    work.task.function = "reduction_" + work.variant;
    work.task.arguments = {Argument::input(x), Argument::output(kRows, Element::f32),
                           Argument::inlined(std::vector{kColumns})};
    work.task.grid = Grid::groups({kRows, 1, 1}, {256, 1, 1});
    work.task.expectations = {std::move(expected)};
    return work;
}

Work float_product(const Answers& answers) {
    constexpr ProductShape kShape{512, 512, 512};
    const bool matrix = gate_open("ggml-simdgroup-mm", answers);
    Work work{"float matrix product", matrix ? "simdgroup_matrix" : "naive", {}, {}};
    if (matrix)
        work.source = embedded::kernels::simdgroup_product_metal;
    work.source += embedded::kernels::matmul_f32_metal;
    Random random(2);
    const auto a = uniform_values(std::size_t{kShape.m} * kShape.k, random);
    const auto b = uniform_values(std::size_t{kShape.k} * kShape.n, random);
    work.task = product_case(kShape, Argument::input(a), Argument::input(b), expected_product(kShape, a, b));
    work.task.function = "matmul_f32_" + work.variant;
    work.task.grid = product_grid_of_elements(kShape);
    if (matrix)
        use_simdgroup_product(work.task, kShape);
    return work;
}

Work bfloat_conversion(const Answers& answers) {
    constexpr std::uint32_t kCount = 1u << 20;
    const bool native = gate_open("ggml-bfloat", answers);
    Work work{"bfloat conversion",
              native ? "bfloat" : "integer",
              std::string(embedded::kernels::bfloat_conversion_metal),
              {}};
    Random random(3);
    const auto floats = uniform_values(kCount, random);
    auto expected = Expectation::exact(1, Element::bf16);
    for (const float value : floats)
        expected.bits.push_back(bfloat_from_float(value));
    work.task.label = fmt::format("{}", kCount);
    work.task.function = "bfloat_conversion_" + work.variant;
    work.task.arguments = {Argument::input(floats), Argument::output(kCount, Element::bf16),
                           Argument::output(1, Element::bf16), Argument::output(1, Element::u32),
                           Argument::inlined(std::vector<std::uint32_t>{kCount, 0})};
    work.task.grid = Grid::threads({kCount, 1, 1}, {256, 1, 1});
    work.task.expectations = {std::move(expected)};
    return work;
}

int main(bool as_json) {
    const metal::Pool pool;
    const auto device = Object::adopt(MTLCreateSystemDefaultDevice());
    if (!device) {
        std::fputs("assay-demo-client: there is no Metal device\n", stderr);
        return 3;
    }
    const auto answers = live_answers(device.get());
    const auto queue = Object::adopt(send<id>(device.get(), "newCommandQueue"));
    const auto name = metal::to_string(send<id>(device.get(), "name"));
    bool all_correct = true;
    json::array rows;
    std::string text = name + '\n';
    for (const auto& work : {row_sums(answers), float_product(answers), bfloat_conversion(answers)}) {
        const auto done = run(device.get(), queue.get(), work);
        all_correct = all_correct && done.trouble.empty();
        rows.push_back({{"work", work.title},
                        {"size", work.task.label},
                        {"variant", work.variant},
                        {"milliseconds", done.milliseconds},
                        {"correct", done.trouble.empty()},
                        {"trouble", done.trouble}});
        text += fmt::format("{:<22}{:<18}{:>10.2f} ms  {}\n", work.title, work.variant, done.milliseconds,
                            done.trouble.empty() ? "correct" : "WRONG: " + done.trouble);
    }
    const auto out = as_json ? write_json({{"device", name}, {"work", std::move(rows)}}) : text;
    std::fwrite(out.data(), 1, out.size(), stdout);
    return all_correct ? 0 : 1;
}

} // namespace

} // namespace assay

int main(int argc, char** argv) {
    const bool as_json = argc > 1 && std::string_view(argv[1]) == "--json";
    if (argc > (as_json ? 2 : 1)) {
        std::fputs("usage: assay-demo-client [--json]\n", stderr);
        return 2;
    }
    try {
        return assay::main(as_json);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "assay-demo-client: %s\n", error.what());
        return 4;
    }
}
