// MTLCommandQueue: a thread that executes command buffers in order.
#pragma once
#include "metal/software/class_builder.h"
#include "metal/software/command_buffer.h"
#include "metal/software/device.h"
#include "metal/software/reference.h"
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>

namespace assay::software {

/// The queue itself, which its thread shares. The thread starts with the first command buffer and ends when
/// the queue object is gone and all is done.
class CommandQueue : public std::enable_shared_from_this<CommandQueue> {
  public:
    /// Gives the command buffer its place.
    void enqueue(std::shared_ptr<CommandBuffer> buffer);
    /// Tells that a command buffer in the queue has been committed.
    void committed();
    /// No more command buffers will come.
    void close();

  private:
    void run();
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::shared_ptr<CommandBuffer>> buffers_;
    bool started_ = false;
    bool closed_ = false;
};

/// What a queue object holds.
struct CommandQueueBox {
    id device;
    std::shared_ptr<CommandQueue> queue = std::make_shared<CommandQueue>();
    Reference label = {};
    ~CommandQueueBox() { queue->close(); }
};

void register_command_queue_class();
void add_command_queue_creation(ClassBuilder& builder, const Device& device);

} // namespace assay::software
