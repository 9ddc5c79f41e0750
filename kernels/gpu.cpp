// A thin layer over Metal for kernels: every nil, error and exception becomes a failure at its rung.
#include "kernels/gpu.h"
#include "base/text.h"
#include "metal/foundation.h"
#include "probe/ask.h"
#include "probe/identity.h"

#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <stdexcept>
#include <unordered_map>

namespace assay {

using metal::Object;
using metal::Size;
using metal::UInteger;

void throw_exception_from_error(const GpuFailure& failure, const boost::source_location&) {
    throw std::runtime_error(failure.detail);
}

namespace {

/// Values of MTLDataType (MTLArgument.h).
UInteger data_type(const FunctionConstant& constant) {
    constexpr UInteger kFloat = 3;
    constexpr UInteger kUInt = 33;
    constexpr UInteger kBool = 53;
    if (std::holds_alternative<bool>(constant.value))
        return kBool;
    return std::holds_alternative<float>(constant.value) ? kFloat : kUInt;
}

/// Sends a message; a missing selector fails at `answers`, an exception and nil where an object is due at
/// `rung`.
template <class R, class... A>
GpuResult<R> ask_for(Rung rung, id receiver, const char* selector, A... arguments) {
    const auto answer = metal::try_send<R>(receiver, selector, arguments...);
    if (!answer) {
        switch (answer.error().why) {
        case metal::Unanswered::nil_receiver:
            return GpuFailure{rung, fmt::format("{} was sent to nil", selector)};
        case metal::Unanswered::absent:
            return GpuFailure{Rung::answers, fmt::format("{} is not implemented", selector)};
        case metal::Unanswered::raised:
            return GpuFailure{rung, fmt::format("{} raised {}", selector, answer.error().detail)};
        }
    }
    if constexpr (std::is_pointer_v<R>)
        if (!*answer)
            return GpuFailure{rung, fmt::format("{} gave nil", selector)};
    return *answer;
}

/// The same for a message that returns nothing.
template <class... A>
GpuResult<void> tell(Rung rung, id receiver, const char* selector, A... arguments) {
    if (!metal::responds_to(receiver, selector))
        return GpuFailure{Rung::answers, fmt::format("{} is not implemented", selector)};
    metal::Raised raised;
    if (!metal::guarded([&] { metal::send<void>(receiver, selector, arguments...); }, raised))
        return GpuFailure{rung, fmt::format("{} raised {}: {}", selector, raised.name, raised.reason)};
    return {};
}

/// A message that makes an object or explains in its NSError why not.
template <class... A>
GpuResult<Object> make(Rung rung, id receiver, const char* selector, A... arguments) {
    id error = nullptr;
    auto made = ask_for<id>(rung, receiver, selector, arguments..., &error);
    if (made)
        return Object::adopt(*made);
    // Only a nil leaves an error behind; a missing selector or an exception has spoken for itself.
    if (error && made.error().detail == fmt::format("{} gave nil", selector))
        return GpuFailure{rung, metal::error_text(error)};
    if (made.error().detail == fmt::format("{} gave nil", selector))
        return GpuFailure{rung, made.error().detail + " without an error"};
    return made.error();
}

GpuResult<Object> instance_of(Rung rung, const char* class_name) {
    const id type = metal::class_named(class_name);
    if (!type)
        return GpuFailure{Rung::answers, fmt::format("there is no class {}", class_name)};
    const auto made = ask_for<id>(rung, type, "new");
    if (!made)
        return made.error();
    return Object::adopt(*made);
}

const std::unordered_map<std::string, Question>& questions_by_key() {
    static const auto questions = [] {
        std::unordered_map<std::string, Question> map;
        for (auto& question : Catalogue::get().questions())
            map.emplace(question.key, question);
        return map;
    }();
    return questions;
}

} // namespace

Result<Gpu> Gpu::open() {
    const auto framework = metal::Framework::load();
    if (!framework)
        return framework.error();
    Gpu gpu;
    gpu.framework_ = *framework;
    gpu.device_ = (*framework)->default_device();
    if (!gpu.device_)
        return environment_error("", "there is no Metal device on this system",
                                 "assay doctor says what is missing");
    const auto identity = read_identity(**framework, gpu.device());
    gpu.os_ = {identity.os_name, identity.os_version};
    const auto queue = ask_for<id>(Rung::answers, gpu.device(), "newCommandQueue");
    if (!queue)
        return environment_error("", "the device has no command queue: " + queue.error().detail);
    gpu.queue_ = Object::adopt(*queue);
    return gpu;
}

std::string Gpu::device_name() const {
    const auto name = metal::try_send<id>(device(), "name");
    return name ? metal::to_string(*name) : "";
}

Answers Gpu::answers() const {
    Answers answers;
    answers.os = os_;
    answers.lookup = [device = device()](std::string_view key) -> std::optional<json::value> {
        const auto question = questions_by_key().find(std::string(key));
        if (question == questions_by_key().end())
            return {};
        const auto answer = ask(device, question->second);
        return answer.answered() ? std::optional(answer.value) : std::nullopt;
    };
    return answers;
}

GpuResult<Object> Gpu::compile(const std::string& source,
                               const std::vector<std::pair<std::string, std::string>>& macros) const {
    auto options = instance_of(Rung::compiles, "MTLCompileOptions");
    if (!options)
        return options.error();
    auto names = instance_of(Rung::compiles, "NSMutableDictionary");
    if (!names)
        return names.error();
    for (const auto& [name, value] : macros)
        metal::send<void>(names->get(), "setObject:forKey:", metal::ns_string(value), metal::ns_string(name));
    if (const auto set = tell(Rung::compiles, options->get(), "setPreprocessorMacros:", names->get()); !set)
        return set.error();
    return make(Rung::compiles, device(), "newLibraryWithSource:options:error:", metal::ns_string(source),
                options->get());
}

GpuResult<Pipeline> Gpu::pipeline(id library, const std::string& function,
                                  const std::vector<FunctionConstant>& constants) const {
    GpuResult<Object> specialised = [&]() -> GpuResult<Object> {
        if (constants.empty()) {
            const auto plain =
                ask_for<id>(Rung::compiles, library, "newFunctionWithName:", metal::ns_string(function));
            if (!plain)
                return plain.error();
            return Object::adopt(*plain);
        }
        auto values = instance_of(Rung::compiles, "MTLFunctionConstantValues");
        if (!values)
            return values.error();
        for (const auto& constant : constants) {
            const void* value =
                std::visit([](const auto& held) { return static_cast<const void*>(&held); }, constant.value);
            const auto set = tell(Rung::compiles, values->get(), "setConstantValue:type:atIndex:", value,
                                  data_type(constant), UInteger{constant.index});
            if (!set)
                return set.error();
        }
        return make(Rung::compiles, library,
                    "newFunctionWithName:constantValues:error:", metal::ns_string(function), values->get());
    }();
    if (!specialised)
        return GpuFailure{specialised.error().rung,
                          fmt::format("function {}: {}", function, specialised.error().detail)};
    auto state =
        make(Rung::compiles, device(), "newComputePipelineStateWithFunction:error:", specialised->get());
    if (!state)
        return GpuFailure{state.error().rung, fmt::format("pipeline {}: {}", function, state.error().detail)};
    Pipeline pipeline;
    const auto width = ask_for<UInteger>(Rung::compiles, state->get(), "threadExecutionWidth");
    const auto most = ask_for<UInteger>(Rung::compiles, state->get(), "maxTotalThreadsPerThreadgroup");
    if (!width || !most)
        return width ? most.error() : width.error();
    pipeline.simd_width = *width;
    pipeline.max_threads = *most;
    pipeline.state = std::move(*state);
    return pipeline;
}

GpuResult<Object> Gpu::buffer(std::size_t length) const {
    constexpr UInteger kStorageModeShared = 0;
    const auto made =
        ask_for<id>(Rung::runs, device(), "newBufferWithLength:options:", UInteger{length == 0 ? 1 : length},
                    kStorageModeShared);
    if (!made)
        return GpuFailure{made.error().rung,
                          fmt::format("a buffer of {} bytes: {}", length, made.error().detail)};
    return Object::adopt(*made);
}

GpuResult<std::byte*> Gpu::contents(id buffer) {
    const auto bytes = ask_for<void*>(Rung::runs, buffer, "contents");
    if (!bytes)
        return bytes.error();
    return static_cast<std::byte*>(*bytes);
}

GpuResult<Object> Gpu::residency_set(const std::vector<id>& buffers) const {
    auto descriptor = instance_of(Rung::runs, "MTLResidencySetDescriptor");
    if (!descriptor)
        return descriptor.error();
    if (const auto set = tell(Rung::runs, descriptor->get(), "setInitialCapacity:", UInteger{buffers.size()});
        !set)
        return set.error();
    auto set = make(Rung::runs, device(), "newResidencySetWithDescriptor:error:", descriptor->get());
    if (!set)
        return GpuFailure{set.error().rung, "no residency set: " + set.error().detail};
    for (const id buffer : buffers)
        if (const auto added = tell(Rung::runs, set->get(), "addAllocation:", buffer); !added)
            return added.error();
    for (const char* step : {"commit", "requestResidency"})
        if (const auto done = tell(Rung::runs, set->get(), step); !done)
            return done.error();
    const auto count = ask_for<UInteger>(Rung::runs, set->get(), "allocationCount");
    if (!count)
        return count.error();
    if (*count != buffers.size())
        return GpuFailure{
            Rung::runs, fmt::format("the residency set holds {} allocations of {}", *count, buffers.size())};
    return set;
}

GpuResult<RunTime> Gpu::run(const Dispatch& dispatch) const {
    const metal::Pool pool;
    const auto buffer = ask_for<id>(Rung::runs, queue_.get(), "commandBuffer");
    if (!buffer)
        return buffer.error();
    if (dispatch.residency_set)
        if (const auto used = tell(Rung::runs, *buffer, "useResidencySet:", dispatch.residency_set); !used)
            return used.error();
    const auto encoder = ask_for<id>(Rung::runs, *buffer, "computeCommandEncoder");
    if (!encoder)
        return encoder.error();
    metal::Raised raised;
    const auto encode = [&] {
        metal::send<void>(*encoder, "setComputePipelineState:", dispatch.pipeline);
        UInteger index = 0;
        for (const auto& [argument, bytes] : dispatch.arguments) {
            if (argument)
                metal::send<void>(*encoder, "setBuffer:offset:atIndex:", argument, UInteger{0}, index);
            else
                metal::send<void>(*encoder,
                                  "setBytes:length:atIndex:", static_cast<const void*>(bytes->data()),
                                  UInteger{bytes->size()}, index);
            ++index;
        }
        if (dispatch.threadgroup_bytes != 0)
            metal::send<void>(*encoder,
                              "setThreadgroupMemoryLength:atIndex:", UInteger{dispatch.threadgroup_bytes},
                              UInteger{0});
        metal::send<void>(*encoder,
                          dispatch.grid.in_threads ? "dispatchThreads:threadsPerThreadgroup:"
                                                   : "dispatchThreadgroups:threadsPerThreadgroup:",
                          dispatch.grid.size, dispatch.grid.group);
        metal::send<void>(*encoder, "endEncoding");
    };
    if (!metal::guarded(encode, raised)) {
        // An encoder that is released without its end aborts the process.
        metal::Raised ignored;
        metal::guarded([&] { metal::send<void>(*encoder, "endEncoding"); }, ignored);
        return GpuFailure{Rung::runs, fmt::format("encoding raised {}: {}", raised.name, raised.reason)};
    }
    const auto begin = std::chrono::steady_clock::now();
    for (const char* step : {"commit", "waitUntilCompleted"})
        if (const auto done = tell(Rung::runs, *buffer, step); !done)
            return done.error();
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
    const auto status = ask_for<UInteger>(Rung::runs, *buffer, "status");
    if (!status)
        return status.error();
    constexpr UInteger kCompleted = 4; // MTLCommandBufferStatus
    if (*status != kCompleted) {
        const auto error = metal::try_send<id>(*buffer, "error");
        return GpuFailure{Rung::runs, fmt::format("command buffer status {}: {}", *status,
                                                  error ? metal::error_text(*error) : "no error given")};
    }
    RunTime time;
    time.wall = wall.count();
    // A device without these timestamps leaves zeros, which are implausible.
    if (const auto start = metal::try_send<double>(*buffer, "GPUStartTime"))
        time.gpu_start = *start;
    if (const auto end = metal::try_send<double>(*buffer, "GPUEndTime"))
        time.gpu_end = *end;
    return time;
}

} // namespace assay
