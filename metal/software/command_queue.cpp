// MTLCommandQueue: a thread that executes command buffers in order.
#include "metal/software/command_queue.h"
#include "metal/foundation.h"
#include "metal/software/creation.h"

#include <algorithm>
#include <thread>

namespace assay::software {

namespace {

using metal::UInteger;

id new_queue(id self, SEL selector) {
    return creation_refused(self, selector) ? nullptr : make<CommandQueueBox>(self);
}

id new_command_buffer(id self, SEL) {
    const CommandQueueBox& box = *boxed<CommandQueueBox>(self);
    return autorelease(make<CommandBufferBox>(std::make_shared<CommandBuffer>(box.device, box.queue)));
}

} // namespace

void CommandQueue::enqueue(std::shared_ptr<CommandBuffer> buffer) {
    const std::lock_guard lock(mutex_);
    buffers_.push_back(std::move(buffer));
    if (!started_) {
        started_ = true;
        std::thread([queue = shared_from_this()] { queue->run(); }).detach();
    }
}

void CommandQueue::committed() {
    const std::lock_guard lock(mutex_);
    changed_.notify_all();
}

void CommandQueue::close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
}

void CommandQueue::run() {
    for (;;) {
        std::shared_ptr<CommandBuffer> next;
        {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [&] {
                // A buffer that was enqueued and abandoned would block the others for ever.
                std::erase_if(buffers_, [](const auto& buffer) {
                    return buffer.use_count() == 1 && !buffer->committed();
                });
                return closed_ ? buffers_.empty() || buffers_.front()->committed()
                               : !buffers_.empty() && buffers_.front()->committed();
            });
            if (buffers_.empty())
                return;
            next = std::move(buffers_.front());
            buffers_.pop_front();
        }
        const metal::Pool pool;
        next->execute();
    }
}

void register_command_queue_class() {
    ClassBuilder("AssayCommandQueue", reinterpret_cast<Class>(metal::class_named("NSObject")))
        .boxes<CommandQueueBox>()
        .method("commandBuffer", new_command_buffer)
        .method("commandBufferWithUnretainedReferences", new_command_buffer)
        .method(
            "addResidencySet:", +[](id, SEL, id) {})
        .method(
            "removeResidencySet:", +[](id, SEL, id) {})
        .method(
            "device", +[](id self, SEL) -> id { return boxed<CommandQueueBox>(self)->device; })
        .method(
            "label", +[](id self, SEL) -> id { return boxed<CommandQueueBox>(self)->label.get(); })
        .method(
            "setLabel:",
            +[](id self, SEL, id label) { boxed<CommandQueueBox>(self)->label = Reference(label); })
        .finish();
}

void add_command_queue_creation(ClassBuilder& builder, const Device& device) {
    add_creation(builder, device, "newCommandQueue", new_queue);
    add_creation(
        builder, device, "newCommandQueueWithMaxCommandBufferCount:",
        +[](id self, SEL selector, UInteger) -> id { return new_queue(self, selector); });
}

} // namespace assay::software
