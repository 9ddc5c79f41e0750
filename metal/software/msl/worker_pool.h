// Threads that wait for work, one per core.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace assay::msl {

/// Threads are made at first need and kept for the life of the process.
class WorkerPool {
  public:
    /// Calls work(0) … work(count - 1), work(0) on this thread, and returns when all have. One call at a
    /// time.
    void run(unsigned count, const std::function<void(unsigned)>& work);

  private:
    void serve(unsigned id, std::uint64_t seen);

    std::mutex mutex_;
    std::condition_variable started_;
    std::condition_variable finished_;
    const std::function<void(unsigned)>* work_ = nullptr;
    unsigned count_ = 0;
    unsigned running_ = 0;
    std::uint64_t round_ = 0;
    std::vector<std::thread> threads_;
};

} // namespace assay::msl
