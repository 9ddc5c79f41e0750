// Kernels, command buffers, validation and faults, by real messages in child processes.
#include "base/file.h"
#include "metal/foundation.h"
#include "metal/software/block.h"
#include "metal/software/in_child.h"

#include <csignal>
#include <cstdint>
#include <cstring>
#include <doctest/doctest.h>
#include <unistd.h>
#include <vector>

using namespace assay;
using namespace assay::metal;
using namespace assay::software;

namespace {

constexpr const char* kDefault = "tahoe-guest-m1-ultra";

constexpr const char* kSource = R"(
#include <metal_stdlib>
using namespace metal;
constant int stride [[function_constant(0)]];
kernel void add_one(device float* data [[buffer(0)]], constant float& by [[buffer(1)]],
                    uint i [[thread_position_in_grid]]) {
    data[i] += by;
}
kernel void stepped(device int* data [[buffer(0)]], uint i [[thread_position_in_grid]]) {
    data[i] = int(i) * stride;
}
kernel void uses_memory(device float* data [[buffer(0)]], threadgroup float* scratch [[threadgroup(0)]],
                        uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]]) {
    scratch[t] = data[i];
    data[i] = scratch[t] + 1;
}
kernel void sums(device float* data [[buffer(0)]], uint i [[thread_position_in_grid]]) {
    data[i] = simd_sum(data[i]);
}
)";

/// A device file with the default's features, and these faults.
class FaultyDevice {
  public:
    explicit FaultyDevice(const std::string& faults,
                          const std::string& features = R"("simd_reduction","nonuniform_threadgroup_size",)"
                                                        R"("no_copy_buffers")",
                          std::uint64_t reported_memory = 32768)
        : folder_(TemporaryFolder::make("compute").value()), path_(folder_.path() + "/device.json") {
        const auto text =
            R"({"schema":"assay.device/1","name":"test","reports":{"name":"x","maxThreadgroupMemoryLength":)" +
            std::to_string(reported_memory) +
            R"(,"maxThreadsPerThreadgroup":[1024,1024,1024],"maxBufferLength":1048576},)"
            R"("executes":{"features":[)" +
            features + R"(],"limits":{"max_threadgroup_memory":32768}},"faults":[)" + faults + "]}";
        REQUIRE(write_file(path_, text).has_value());
    }
    const std::string& path() const { return path_; }
    std::string file(const std::string& name) const { return folder_.path() + "/" + name; }

  private:
    TemporaryFolder folder_;
    std::string path_;
};

std::string values(id buffer, std::size_t count) {
    const auto* data = static_cast<const float*>(send<void*>(buffer, "contents"));
    std::string out;
    for (std::size_t i = 0; i < count; ++i)
        out += " " + std::to_string(static_cast<int>(data[i]));
    return out;
}

/// What a test needs of one device, in the child.
struct Bench {
    id device = child_device();
    id queue = send<id>(device, "newCommandQueue");
    id library = nullptr;
    id error = nullptr;

    explicit Bench(const char* source = kSource) {
        library =
            send<id>(device, "newLibraryWithSource:options:error:", ns_string(source), id(nullptr), &error);
    }
    id pipeline(const char* function) {
        const id f = send<id>(library, "newFunctionWithName:", ns_string(function));
        if (!f)
            return nullptr;
        return send<id>(device, "newComputePipelineStateWithFunction:error:", f, &error);
    }
    id floats(const std::vector<float>& values) {
        return send<id>(device, "newBufferWithBytes:length:options:", static_cast<const void*>(values.data()),
                        UInteger(values.size() * sizeof(float)), UInteger(0));
    }
    id command_buffer() { return send<id>(queue, "commandBuffer"); }
    /// Encodes one dispatch of `threads` threads in groups of `group`.
    static void encode(id commands, id pipeline, id buffer, UInteger threads, UInteger group = 32,
                       UInteger memory = 0) {
        const id encoder = send<id>(commands, "computeCommandEncoder");
        send<void>(encoder, "setComputePipelineState:", pipeline);
        send<void>(encoder, "setBuffer:offset:atIndex:", buffer, UInteger(0), UInteger(0));
        const float by = 1;
        send<void>(encoder, "setBytes:length:atIndex:", static_cast<const void*>(&by), UInteger(sizeof by),
                   UInteger(1));
        if (memory)
            send<void>(encoder, "setThreadgroupMemoryLength:atIndex:", memory, UInteger(0));
        send<void>(encoder, "dispatchThreads:threadsPerThreadgroup:", Size{threads, 1, 1}, Size{group, 1, 1});
        send<void>(encoder, "endEncoding");
    }
    /// The outcome of finish(), then the first `count` floats of the buffer.
    static std::string finish(id commands, id buffer, std::size_t count) {
        const auto end = finish(commands); // before anybody looks into the buffer
        return end + values(buffer, count);
    }
    /// "4" for completed, "5 message" for an error.
    static std::string finish(id commands) {
        send<void>(commands, "commit");
        send<void>(commands, "waitUntilCompleted");
        const auto status = send<UInteger>(commands, "status");
        return std::to_string(status) + (status == 5 ? " " + error_text(send<id>(commands, "error")) : "");
    }
};

/// Runs add_one on 1 2 3 4 and tells status and values.
std::string run_add_one() {
    Bench bench;
    const id pipeline = bench.pipeline("add_one");
    if (!pipeline)
        return "no pipeline: " + error_text(bench.error);
    const id buffer = bench.floats({1, 2, 3, 4});
    const id commands = bench.command_buffer();
    Bench::encode(commands, pipeline, buffer, 4);
    return Bench::finish(commands, buffer, 4);
}

bool mentions(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("a kernel from source runs over its grid, and GPU times are in order") {
    const auto child = in_child(kDefault, [] {
        Bench bench;
        const id pipeline = bench.pipeline("add_one");
        const id buffer = bench.floats({1, 2, 3, 4, 5});
        const id commands = bench.command_buffer();
        const auto fresh = send<UInteger>(commands, "status");
        Bench::encode(commands, pipeline, buffer, 4);
        const auto end = Bench::finish(commands);
        const bool ordered = send<double>(commands, "GPUEndTime") > send<double>(commands, "GPUStartTime") &&
                             send<double>(commands, "GPUStartTime") > 0;
        return std::to_string(fresh) + end + values(buffer, 5) + (ordered ? " ordered" : " not ordered");
    });
    CHECK(child.said == "04 2 3 4 5 5 ordered");
    CHECK(child.errors == "");
}

TEST_CASE("a library names its functions, refuses others, and a syntax error comes with the user's line") {
    const auto child = in_child(kDefault, [] {
        Bench bench;
        std::string out;
        for (const id name : elements(send<id>(bench.library, "functionNames")))
            out += to_string(name) + " ";
        out += bench.pipeline("nowhere") ? "found" : "nil";
        Bench broken("\n\nkernel void k(device float* p [[buffer(0)]]) { p[0] = oops; }\n");
        return out + (broken.library ? " compiled " : " ") + to_string(send<id>(broken.error, "domain")) +
               std::to_string(send<Integer>(broken.error, "code")) + " " + error_text(broken.error);
    });
    CHECK(child.said.starts_with("add_one stepped uses_memory sums nil MTLLibraryErrorDomain3 "));
    CHECK(mentions(child.said, "program_source:3:"));
    CHECK(mentions(child.said, "oops"));
}

TEST_CASE("compile options carry macros, and function constants specialise a kernel") {
    const auto child = in_child(kDefault, [] {
        Bench bench;
        const id options = send<id>(send<id>(class_named("MTLCompileOptions"), "alloc"), "init");
        send<void>(options, "setPreprocessorMacros:",
                   send<id>(class_named("NSDictionary"), "dictionaryWithObject:forKey:", ns_string("7"),
                            ns_string("VALUE")));
        const id library = send<id>(bench.device, "newLibraryWithSource:options:error:",
                                    ns_string("kernel void k(device float* p [[buffer(0)]], uint i "
                                              "[[thread_position_in_grid]]) { p[i] = VALUE; }"),
                                    options, &bench.error);
        if (!library)
            return error_text(bench.error);
        const id constants = send<id>(send<id>(class_named("MTLFunctionConstantValues"), "alloc"), "init");
        const int step = -3;
        send<void>(constants, "setConstantValue:type:atIndex:", static_cast<const void*>(&step), UInteger(29),
                   UInteger(0));
        const id stepped =
            send<id>(bench.library, "newFunctionWithName:constantValues:error:", ns_string("stepped"),
                     constants, &bench.error);
        const id pipeline =
            send<id>(bench.device, "newComputePipelineStateWithFunction:error:", stepped, &bench.error);
        if (!pipeline)
            return error_text(bench.error);
        const id buffer = bench.floats({9, 9, 9});
        const id commands = bench.command_buffer();
        Bench::encode(commands, pipeline, buffer, 3);
        auto out = Bench::finish(commands);
        const auto* data = static_cast<const int*>(send<void*>(buffer, "contents"));
        for (int i = 0; i < 3; ++i)
            out += " " + std::to_string(data[i]);
        const id k = send<id>(library, "newFunctionWithName:", ns_string("k"));
        const id second =
            send<id>(bench.device, "newComputePipelineStateWithFunction:error:", k, &bench.error);
        const id again = bench.command_buffer();
        Bench::encode(again, second, buffer, 3);
        return out + " " + Bench::finish(again, buffer, 3);
    });
    CHECK(child.said == "4 0 -3 -6 4 7 7 7");
}

TEST_CASE("a pipeline reports SIMD width, thread limit and static threadgroup memory") {
    const auto child = in_child(kDefault, [] {
        Bench bench;
        const id pipeline = bench.pipeline("add_one");
        return std::to_string(send<UInteger>(pipeline, "threadExecutionWidth")) + " " +
               std::to_string(send<UInteger>(pipeline, "maxTotalThreadsPerThreadgroup"));
    });
    CHECK(child.said == "32 1024");
}

TEST_CASE("command buffers execute in the order of their commits, and handlers run before waiters go on") {
    const auto child = in_child(kDefault, [] {
        Bench bench;
        const id pipeline = bench.pipeline("add_one");
        const id buffer = bench.floats({0});
        static int handled = 0;
        Block::Descriptor descriptor{0, sizeof(Block), nullptr, nullptr};
        Block block{nullptr, 0, 0, nullptr, &descriptor};
        block.invoke = reinterpret_cast<void (*)()>(
            +[](Block*, id commands) { handled += static_cast<int>(send<UInteger>(commands, "status")); });
        id last = nullptr;
        for (int i = 0; i < 5; ++i) {
            last = bench.command_buffer();
            Bench::encode(last, pipeline, buffer, 1);
            send<void>(last, "addCompletedHandler:", &block);
            if (i < 4)
                send<void>(last, "commit");
        }
        block.invoke = nullptr; // the copies must not need it
        const auto end = Bench::finish(last);
        return end + values(buffer, 1) + " " + std::to_string(handled);
    });
    CHECK(child.said == "4 5 20");
}

TEST_CASE("a blit encoder fills and copies, also where the program cannot look") {
    const auto child = in_child(kDefault, [] {
        Bench bench;
        constexpr UInteger kPrivate = 2 << 4;
        const id hidden = send<id>(bench.device, "newBufferWithLength:options:", UInteger(16), kPrivate);
        const id open = bench.floats({1, 2, 3, 4});
        const id commands = bench.command_buffer();
        const id encoder = send<id>(commands, "blitCommandEncoder");
        send<void>(encoder, "fillBuffer:range:value:", hidden, Range{0, 16}, static_cast<unsigned char>(0));
        send<void>(encoder, "copyFromBuffer:sourceOffset:toBuffer:destinationOffset:size:", hidden,
                   UInteger(0), open, UInteger(4), UInteger(8));
        send<void>(encoder, "endEncoding");
        const auto end = Bench::finish(commands, open, 4);
        return end + (send<void*>(hidden, "contents") ? " open" : " nil");
    });
    CHECK(child.said == "4 1 0 0 4 nil");
}

TEST_CASE("an event signalled by one queue lets the other go on") {
    const auto child = in_child(kDefault, [] {
        Bench bench;
        const id event = send<id>(bench.device, "newSharedEvent");
        const id waiting = bench.command_buffer();
        send<void>(waiting, "encodeWaitForEvent:value:", event, std::uint64_t(2));
        send<void>(waiting, "commit");
        const bool early =
            send<BOOL>(event, "waitUntilSignaledValue:timeoutMS:", std::uint64_t(2), std::uint64_t(0));
        const id other = send<id>(send<id>(bench.device, "newCommandQueue"), "commandBuffer");
        send<void>(other, "encodeSignalEvent:value:", event, std::uint64_t(2));
        send<void>(other, "commit");
        send<void>(waiting, "waitUntilCompleted");
        return std::to_string(early) + std::to_string(send<std::uint64_t>(event, "signaledValue"));
    });
    CHECK(child.said == "02");
}

TEST_CASE("buffers: zeroed, bounded by maxBufferLength, counted, and shared when made without a copy") {
    const FaultyDevice device("");
    const auto child = in_child(device.path(), [] {
        Bench bench;
        const id buffer = send<id>(bench.device, "newBufferWithLength:options:", UInteger(64), UInteger(0));
        std::string out = values(buffer, 2);
        out += send<id>(bench.device, "newBufferWithLength:options:", UInteger(1048577), UInteger(0))
                   ? " big"
                   : " nil";
        const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
        auto* memory = static_cast<float*>(std::aligned_alloc(page, page));
        memory[0] = 41;
        const id shared = send<id>(
            bench.device, "newBufferWithBytesNoCopy:length:options:deallocator:", static_cast<void*>(memory),
            UInteger(page), UInteger(0), static_cast<Block*>(nullptr));
        const id commands = bench.command_buffer();
        Bench::encode(commands, bench.pipeline("add_one"), shared, 1);
        out += " " + Bench::finish(commands) + " " + std::to_string(static_cast<int>(memory[0]));
        const id unaligned =
            send<id>(bench.device,
                     "newBufferWithBytesNoCopy:length:options:deallocator:", static_cast<void*>(memory + 1),
                     UInteger(16), UInteger(0), static_cast<Block*>(nullptr));
        return out + (unaligned ? "?" : "!");
    });
    CHECK(child.signal == SIGABRT);
    CHECK(mentions(child.errors, "byte aligned"));
    const FaultyDevice stale(R"({"effect":"stale-no-copy"})");
    const auto copied = in_child(stale.path(), [] {
        Bench bench;
        const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
        auto* memory = static_cast<float*>(std::aligned_alloc(page, page));
        memory[0] = 41;
        const id shared = send<id>(
            bench.device, "newBufferWithBytesNoCopy:length:options:deallocator:", static_cast<void*>(memory),
            UInteger(page), UInteger(0), static_cast<Block*>(nullptr));
        const id commands = bench.command_buffer();
        Bench::encode(commands, bench.pipeline("add_one"), shared, 1);
        const auto end = Bench::finish(commands);
        return end + " " + std::to_string(static_cast<int>(memory[0])) + values(shared, 1);
    });
    CHECK(copied.said == "4 41 42");
}

TEST_CASE("residency sets work where the device executes them") {
    const auto child = in_child("m1-ultra-bare-metal", [] {
        Bench bench;
        const id descriptor = send<id>(send<id>(class_named("MTLResidencySetDescriptor"), "alloc"), "init");
        const id set =
            send<id>(bench.device, "newResidencySetWithDescriptor:error:", descriptor, &bench.error);
        if (!set)
            return error_text(bench.error);
        const id buffer = bench.floats({1, 2});
        send<void>(set, "addAllocation:", buffer);
        const auto before = send<UInteger>(set, "allocatedSize");
        send<void>(set, "commit");
        send<void>(set, "requestResidency");
        return std::to_string(before) + " " + std::to_string(send<UInteger>(set, "allocatedSize")) + " " +
               std::to_string(send<UInteger>(set, "allocationCount"));
    });
    CHECK(child.said == "0 8 1");
}

TEST_CASE("residency sets are refused where the device does not execute them, with an error or without one") {
    const auto ask = [] {
        const id descriptor = send<id>(send<id>(class_named("MTLResidencySetDescriptor"), "alloc"), "init");
        id error = nullptr;
        const id set = send<id>(child_device(), "newResidencySetWithDescriptor:error:", descriptor, &error);
        return std::string(set ? "set" : "nil") + (error ? " " + error_text(error) : "");
    };
    CHECK(in_child("overclaims-metal3", ask).said == "nil Residency sets are not supported on this device");
    const FaultyDevice silent(R"({"when":{"feature":"residency_sets"},"effect":"nil-without-error"})");
    CHECK(in_child(silent.path(), ask).said == "nil");
    CHECK(in_child("sonoma-guest-raising", [] {
              return std::to_string(responds_to(child_device(), "newResidencySetWithDescriptor:error:"));
          }).said == "0");
}

TEST_CASE("a kernel that uses what the device does not execute gets no pipeline, in a driver's words") {
    const FaultyDevice device("", R"("nonuniform_threadgroup_size")");
    const auto child = in_child(device.path(), [] {
        Bench bench;
        return std::string(bench.pipeline("sums") ? "pipeline" : error_text(bench.error)) +
               (bench.pipeline("add_one") ? " ok" : " no");
    });
    CHECK(child.said == "Encountered unlowered function call to air.simd_sum.f32 ok");
}

TEST_CASE("threadgroup memory over the reported limit is a failed assertion") {
    const auto child = in_child(kDefault, [] {
        Bench bench;
        const id commands = bench.command_buffer();
        Bench::encode(commands, bench.pipeline("uses_memory"), bench.floats({1}), 1, 32, 65536);
        return Bench::finish(commands);
    });
    CHECK(child.signal == SIGABRT);
    CHECK(mentions(child.errors, "length(65536) must be <= 32768"));
}

TEST_CASE("threadgroup memory within an overstated limit fails when it runs, not before") {
    const FaultyDevice device("", R"("nonuniform_threadgroup_size")", 65536);
    const auto child = in_child(device.path(), [] {
        Bench bench;
        const id buffer = bench.floats({1});
        const id pipeline = bench.pipeline("uses_memory");
        const id within = bench.command_buffer();
        Bench::encode(within, pipeline, buffer, 1, 32, 32768);
        const id over = bench.command_buffer();
        Bench::encode(over, pipeline, buffer, 1, 32, 65536);
        const auto first = Bench::finish(within);
        return first + " " + Bench::finish(over);
    });
    CHECK(child.said == "4 5 Internal Error (0000000e:Internal Error)");
}

TEST_CASE("an unbound buffer is an address fault, not a crash") {
    const auto child = in_child(kDefault, [] {
        Bench bench;
        const id commands = bench.command_buffer();
        Bench::encode(commands, bench.pipeline("add_one"), nullptr, 1);
        return Bench::finish(commands);
    });
    CHECK(mentions(child.said, "5 Caused GPU Address Fault Error"));
}

TEST_CASE("misused encoders and command buffers are failed assertions") {
    struct Misuse {
        const char* expected;
        void (*act)(Bench&);
    };
    const Misuse misuses[] = {
        {"no compute pipeline state is set",
         [](Bench& bench) {
             const id encoder = send<id>(bench.command_buffer(), "computeCommandEncoder");
             send<void>(encoder, "dispatchThreads:threadsPerThreadgroup:", Size{1, 1, 1}, Size{1, 1, 1});
         }},
        {"encoding has ended",
         [](Bench& bench) {
             const id encoder = send<id>(bench.command_buffer(), "computeCommandEncoder");
             send<void>(encoder, "endEncoding");
             send<void>(encoder, "dispatchThreads:threadsPerThreadgroup:", Size{1, 1, 1}, Size{1, 1, 1});
         }},
        {"must be <= 1024",
         [](Bench& bench) {
             Bench::encode(bench.command_buffer(), bench.pipeline("add_one"), bench.floats({1}), 1, 2048);
         }},
        {"offset(8) must be < [buffer length](4)",
         [](Bench& bench) {
             const id encoder = send<id>(bench.command_buffer(), "computeCommandEncoder");
             send<void>(encoder, "setBuffer:offset:atIndex:", bench.floats({1}), UInteger(8), UInteger(0));
         }},
        {"uncommitted encoder",
         [](Bench& bench) {
             const id commands = bench.command_buffer();
             send<void>(commands, "computeCommandEncoder");
             send<void>(commands, "commit");
         }},
        {"already been committed",
         [](Bench& bench) {
             const id commands = bench.command_buffer();
             send<void>(commands, "commit");
             send<void>(commands, "commit");
         }},
        {"released without endEncoding",
         [](Bench& bench) {
             const Pool pool;
             send<id>(bench.command_buffer(), "computeCommandEncoder");
         }},
        {"was not committed", [](Bench& bench) { send<void>(bench.command_buffer(), "waitUntilCompleted"); }},
    };
    for (const auto& misuse : misuses) {
        CAPTURE(misuse.expected);
        const auto child = in_child(kDefault, [&] {
            Bench bench;
            misuse.act(bench);
            return std::string("survived");
        });
        CHECK(child.signal == SIGABRT);
        CHECK_MESSAGE(mentions(child.errors, misuse.expected), child.errors);
    }
}

TEST_CASE("each fault strikes as its name says") {
    struct Case {
        const char* fault;
        const char* expected;
    };
    const Case cases[] = {
        {R"({"effect":"zeros"})", "4 0 0 0 0"},
        {R"({"when":{"kernel":"other"},"effect":"zeros"})", "4 2 3 4 5"},
        {R"({"when":{"kernel":"add_one"},"effect":"command-error"})",
         "5 Caused GPU Hang Error (00000003:kIOGPUCommandBufferCallbackErrorHang) 1 2 3 4"},
        {R"({"effect":"pipeline-error"})", "no pipeline: Compiler encountered an internal error"},
        {R"({"effect":"empty-library"})", "no pipeline: no error given"},
        {R"({"effect":"nil-without-error"})", "no pipeline: no error given"},
        {R"({"when":{"minimum_threads":5},"effect":"zeros"})", "4 2 3 4 5"},
        {R"({"when":{"minimum_threads":4},"effect":"zeros"})", "4 0 0 0 0"},
        {R"({"effect":"slow"})", "4 2 3 4 5"},
        {R"({"when":{"feature":"simd_reduction"},"effect":"zeros"})", "4 2 3 4 5"},
    };
    for (const auto& one : cases) {
        CAPTURE(one.fault);
        const FaultyDevice device(one.fault);
        CHECK(in_child(device.path(), run_add_one).said == one.expected);
    }
}

TEST_CASE("a wrong result differs from the right one in every element that the kernel wrote") {
    const FaultyDevice device(R"({"effect":"wrong-result"})");
    const auto child = in_child(device.path(), [] {
        Bench bench;
        const id buffer = bench.floats({1, 2, 3, 4, 5});
        const id commands = bench.command_buffer();
        Bench::encode(commands, bench.pipeline("add_one"), buffer, 4);
        auto out = Bench::finish(commands);
        const auto* data = static_cast<const float*>(send<void*>(buffer, "contents"));
        for (int i = 0; i < 4; ++i)
            out += data[i] > float(i + 2) * 1.5f || data[i] < float(i + 2) * 0.5f ? " wrong" : " right";
        return out + (data[4] == 5.0f ? " kept" : " lost");
    });
    CHECK(child.said == "4 wrong wrong wrong wrong kept");
}

TEST_CASE("a compiler that dies leaves an error, and no library") {
    const FaultyDevice device(R"({"effect":"compiler-dies"})");
    CHECK(mentions(in_child(device.path(), [] { return error_text(Bench().error); }).said,
                   "XPC_ERROR_CONNECTION_INTERRUPTED"));
}

TEST_CASE("timestamps can be zero, or the wrong way round") {
    const auto times = [] {
        Bench bench;
        const id commands = bench.command_buffer();
        Bench::encode(commands, bench.pipeline("add_one"), bench.floats({1}), 1);
        Bench::finish(commands);
        const auto start = send<double>(commands, "GPUStartTime");
        const auto end = send<double>(commands, "GPUEndTime");
        return std::string(start == 0 && end == 0 ? "zero" : end < start ? "backwards" : "forwards");
    };
    const FaultyDevice zero(R"({"effect":"zero-timestamps"})");
    const FaultyDevice backwards(R"({"effect":"end-before-start"})");
    CHECK(in_child(zero.path(), times).said == "zero");
    CHECK(in_child(backwards.path(), times).said == "backwards");
}

TEST_CASE("a kernel can raise or abort when it is encoded") {
    const FaultyDevice raises(R"({"when":{"kernel":"add_one"},"effect":"raise"})");
    CHECK(in_child(raises.path(), [] {
              Raised raised;
              Bench bench;
              const id pipeline = bench.pipeline("add_one");
              const id encoder = send<id>(bench.command_buffer(), "computeCommandEncoder");
              send<void>(encoder, "setComputePipelineState:", pipeline);
              const bool returned = guarded(
                  [&] {
                      send<void>(encoder, "dispatchThreads:threadsPerThreadgroup:", Size{1, 1, 1},
                                 Size{1, 1, 1});
                  },
                  raised);
              send<void>(encoder, "endEncoding");
              return std::string(returned ? "returned" : raised.reason);
          }).said == "cannot encode add_one");
    const FaultyDevice aborts(R"({"when":{"kernel":"add_one"},"effect":"abort"})");
    CHECK(in_child(aborts.path(), run_add_one).signal == SIGABRT);
}

TEST_CASE("a kernel that hangs blocks its queue, one that never completes does not") {
    CHECK(in_child("hangs", run_add_one, 5).timed_out);
    const FaultyDevice device(R"({"when":{"minimum_threads":2},"effect":"never-completes"})");
    CHECK(in_child(device.path(), [] {
              Bench bench;
              const id pipeline = bench.pipeline("add_one");
              const id buffer = bench.floats({1, 2});
              const id lost = bench.command_buffer();
              Bench::encode(lost, pipeline, buffer, 2);
              send<void>(lost, "commit");
              const id next = bench.command_buffer();
              Bench::encode(next, pipeline, buffer, 1);
              const auto end = Bench::finish(next, buffer, 1);
              return end + " " + std::to_string(send<UInteger>(lost, "status"));
          }).said == "4 2 3");
    CHECK(in_child(device.path(), run_add_one, 5).timed_out);
}

TEST_CASE("a wedged device fails this and every later process until the file is removed") {
    const auto folder = TemporaryFolder::make("wedge").value();
    const auto file = folder.path() + "/wedged";
    const FaultyDevice device(R"({"when":{"minimum_threads":4},"effect":"wedge","file":")" + file + R"("})");
    const auto small = [] {
        Bench bench;
        const id commands = bench.command_buffer();
        Bench::encode(commands, bench.pipeline("add_one"), bench.floats({1}), 1);
        return Bench::finish(commands).substr(0, 9);
    };
    CHECK(in_child(device.path(), small).said == "4");
    CHECK(mentions(in_child(device.path(), run_add_one).said, "5 Caused GPU Hang"));
    CHECK(in_child(device.path(), small).said == "5 Ignored");
    REQUIRE(::unlink(file.c_str()) == 0);
    CHECK(in_child(device.path(), small).said == "4");
}

TEST_CASE("a process of a device that hangs at exit does not end by itself") {
    const FaultyDevice device(R"({"effect":"hang-at-exit"})");
    CHECK(in_child(
              device.path(),
              []() -> std::string {
                  child_device();
                  std::exit(0);
              },
              2)
              .timed_out);
}
