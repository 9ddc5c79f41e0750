// MTLCommandBuffer: commands, encoded first and executed in order on the queue's thread.
#pragma once
#include "metal/software/block.h"
#include "metal/software/class_builder.h"
#include "metal/software/device.h"
#include "metal/software/dispatch.h"
#include "metal/software/reference.h"
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace assay::software {

class CommandQueue;

/// MTLCommandBufferStatus.
enum class CommandStatus : metal::UInteger {
    not_enqueued = 0,
    enqueued = 1,
    committed = 2,
    scheduled = 3,
    completed = 4,
    error = 5,
};

using Command = std::function<CommandOutcome()>;

/// The state of a command buffer, which its queue shares until it has completed.
class CommandBuffer {
  public:
    CommandBuffer(id device, std::shared_ptr<CommandQueue> queue)
        : device_(device), queue_(std::move(queue)) {}

    id device() const { return device_; }
    CommandStatus status() const;
    /// The NSError, retained by the command buffer, or nil.
    id error() const;
    double start_time() const;
    double end_time() const;
    void wait_until_scheduled();
    void wait_until_completed();

    /// Opens an encoder; only one may be open.
    void begin_encoding();
    void add(Command command) { commands_.push_back(std::move(command)); }
    void end_encoding() { encoding_ = false; }

    void add_handler(std::shared_ptr<metal::Block> block, bool completed);
    void enqueue(std::shared_ptr<CommandBuffer> self);
    /// `object` is kept alive until the command buffer has completed.
    void commit(std::shared_ptr<CommandBuffer> self, id object);

    /// Called by the queue's thread.
    bool committed() const;
    void execute();

  private:
    CommandOutcome run_commands();
    void finish(const CommandOutcome& outcome, double start, double end);
    void check_uncommitted(const char* method) const;

    const id device_;
    const std::shared_ptr<CommandQueue> queue_;
    std::vector<Command> commands_;
    bool encoding_ = false;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    CommandStatus status_ = CommandStatus::not_enqueued;
    bool handled_ = false; ///< completed, and all handlers have run
    std::vector<std::shared_ptr<metal::Block>> scheduled_handlers_;
    std::vector<std::shared_ptr<metal::Block>> completed_handlers_;
    Reference object_;
    Reference error_;
    double start_ = 0;
    double end_ = 0;
};

/// What a command buffer object holds.
struct CommandBufferBox {
    std::shared_ptr<CommandBuffer> state;
    Reference label = {};
};

inline const std::shared_ptr<CommandBuffer>& command_buffer_of(id object) {
    return boxed<CommandBufferBox>(object)->state;
}

void register_command_buffer_class();

} // namespace assay::software
