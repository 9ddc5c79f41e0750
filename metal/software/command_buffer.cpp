// MTLCommandBuffer: its life from encoding to completion.
#include "metal/software/command_buffer.h"
#include "metal/foundation.h"
#include "metal/software/blit_encoder.h"
#include "metal/software/command_queue.h"
#include "metal/software/compute_encoder.h"
#include "metal/software/failure.h"
#include "metal/software/ns_error.h"
#include "metal/software/shared_event.h"

#include <chrono>

namespace assay::software {

namespace {

using metal::UInteger;

/// MTLCommandBufferErrorAccessRevoked, with the text that drivers give once a GPU no longer recovers.
constexpr metal::Integer kSubmissionsIgnored = 4;
constexpr const char* kIgnored = "Ignored (for causing prior/excessive GPU errors) "
                                 "(00000004:kIOGPUCommandBufferCallbackErrorSubmissionsIgnored)";

/// Seconds, as GPU timestamps count them.
double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

} // namespace

CommandStatus CommandBuffer::status() const {
    const std::lock_guard lock(mutex_);
    return status_;
}

id CommandBuffer::error() const {
    const std::lock_guard lock(mutex_);
    return error_.get();
}

double CommandBuffer::start_time() const {
    const std::lock_guard lock(mutex_);
    return start_;
}

double CommandBuffer::end_time() const {
    const std::lock_guard lock(mutex_);
    return end_;
}

bool CommandBuffer::committed() const { return status() >= CommandStatus::committed; }

void CommandBuffer::check_uncommitted(const char* method) const {
    if (committed())
        fail_assertion(std::string("-[MTLCommandBuffer ") + method + "]",
                       "command buffer has already been committed");
}

void CommandBuffer::wait_until_scheduled() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return status_ >= CommandStatus::scheduled; });
}

void CommandBuffer::wait_until_completed() {
    if (!committed())
        fail_assertion("-[MTLCommandBuffer waitUntilCompleted]",
                       "waitUntilCompleted called on a command buffer that was not committed");
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return handled_; });
}

void CommandBuffer::begin_encoding() {
    check_uncommitted("computeCommandEncoder");
    if (encoding_)
        fail_assertion("-[MTLCommandBuffer computeCommandEncoder]",
                       "A command encoder is already encoding to this command buffer");
    encoding_ = true;
}

void CommandBuffer::add_handler(std::shared_ptr<metal::Block> block, bool completed) {
    check_uncommitted(completed ? "addCompletedHandler:" : "addScheduledHandler:");
    (completed ? completed_handlers_ : scheduled_handlers_).push_back(std::move(block));
}

void CommandBuffer::enqueue(std::shared_ptr<CommandBuffer> self) {
    {
        const std::lock_guard lock(mutex_);
        if (status_ != CommandStatus::not_enqueued)
            return;
        status_ = CommandStatus::enqueued;
    }
    queue_->enqueue(std::move(self));
}

void CommandBuffer::commit(std::shared_ptr<CommandBuffer> self, id object) {
    check_uncommitted("commit");
    if (encoding_)
        fail_assertion("-[MTLCommandBuffer commit]", "commit command buffer with uncommitted encoder");
    enqueue(std::move(self));
    {
        const std::lock_guard lock(mutex_);
        status_ = CommandStatus::committed;
        object_ = Reference(object);
    }
    queue_->committed();
}

CommandOutcome CommandBuffer::run_commands() {
    if (!device_of(device_).faults.wedged().empty())
        return CommandOutcome::failure(kSubmissionsIgnored, kIgnored);
    for (const auto& command : commands_) {
        auto outcome = command();
        if (outcome.kind != CommandOutcome::Kind::done)
            return outcome;
    }
    return {};
}

void CommandBuffer::execute() {
    {
        const std::lock_guard lock(mutex_);
        status_ = CommandStatus::scheduled;
        changed_.notify_all();
    }
    const id object = object_.get();
    for (const auto& handler : scheduled_handlers_)
        call_block(*handler, object);
    const double start = now();
    const CommandOutcome outcome = run_commands();
    if (outcome.kind == CommandOutcome::Kind::never)
        return;
    finish(outcome, start, now());
    // Handlers run before anybody who waits goes on, as on Metal.
    for (const auto& handler : completed_handlers_)
        call_block(*handler, object);
    commands_.clear();
    Reference last;
    {
        const std::lock_guard lock(mutex_);
        handled_ = true;
        std::swap(last, object_);
        changed_.notify_all();
    }
}

void CommandBuffer::finish(const CommandOutcome& outcome, double start, double end) {
    const Faults& faults = device_of(device_).faults;
    const Occasion occasion{.device = device_};
    const std::lock_guard lock(mutex_);
    if (outcome.kind == CommandOutcome::Kind::failed)
        error_ = Reference(make_error(kCommandBufferErrorDomain, outcome.code, outcome.message));
    status_ = outcome.kind == CommandOutcome::Kind::failed ? CommandStatus::error : CommandStatus::completed;
    if (faults.strikes(Effect::zero_timestamps, occasion))
        return;
    start_ = start;
    end_ = faults.strikes(Effect::end_before_start, occasion) ? start - (end - start) - 1e-6 : end;
}

namespace {

id new_compute_encoder(id self, SEL) { return make_compute_encoder(self); }

void encode_event(id self, id event, std::uint64_t value, bool signal) {
    const auto counter = boxed<EventBox>(event)->counter;
    command_buffer_of(self)->add([counter, value, signal]() -> CommandOutcome {
        if (signal)
            counter->set(value);
        else
            counter->wait(value);
        return {};
    });
}

} // namespace

void register_command_buffer_class() {
    ClassBuilder("AssayCommandBuffer", reinterpret_cast<Class>(metal::class_named("NSObject")))
        .boxes<CommandBufferBox>()
        .method("computeCommandEncoder", new_compute_encoder)
        .method(
            "computeCommandEncoderWithDispatchType:",
            +[](id self, SEL, UInteger) -> id { return make_compute_encoder(self); })
        .method(
            "blitCommandEncoder", +[](id self, SEL) -> id { return make_blit_encoder(self); })
        .method(
            "encodeSignalEvent:value:",
            +[](id self, SEL, id event, std::uint64_t value) { encode_event(self, event, value, true); })
        .method(
            "encodeWaitForEvent:value:",
            +[](id self, SEL, id event, std::uint64_t value) { encode_event(self, event, value, false); })
        .method(
            "addCompletedHandler:",
            +[](id self, SEL, metal::Block* block) {
                command_buffer_of(self)->add_handler(copy_block(block), true);
            })
        .method(
            "addScheduledHandler:",
            +[](id self, SEL, metal::Block* block) {
                command_buffer_of(self)->add_handler(copy_block(block), false);
            })
        .method(
            "enqueue", +[](id self, SEL) { command_buffer_of(self)->enqueue(command_buffer_of(self)); })
        .method(
            "commit", +[](id self, SEL) { command_buffer_of(self)->commit(command_buffer_of(self), self); })
        .method(
            "waitUntilScheduled", +[](id self, SEL) { command_buffer_of(self)->wait_until_scheduled(); })
        .method(
            "waitUntilCompleted", +[](id self, SEL) { command_buffer_of(self)->wait_until_completed(); })
        .method(
            "status",
            +[](id self, SEL) -> UInteger {
                return static_cast<UInteger>(command_buffer_of(self)->status());
            })
        .method(
            "error", +[](id self, SEL) -> id { return command_buffer_of(self)->error(); })
        .method(
            "GPUStartTime", +[](id self, SEL) -> double { return command_buffer_of(self)->start_time(); })
        .method(
            "GPUEndTime", +[](id self, SEL) -> double { return command_buffer_of(self)->end_time(); })
        .method(
            "useResidencySet:", +[](id, SEL, id) {})
        .method(
            "pushDebugGroup:", +[](id, SEL, id) {})
        .method(
            "popDebugGroup", +[](id, SEL) {})
        .method(
            "device", +[](id self, SEL) -> id { return command_buffer_of(self)->device(); })
        .method(
            "label", +[](id self, SEL) -> id { return boxed<CommandBufferBox>(self)->label.get(); })
        .method(
            "setLabel:",
            +[](id self, SEL, id label) { boxed<CommandBufferBox>(self)->label = Reference(label); })
        .finish();
}

} // namespace assay::software
