// Threads that wait for work, one per core.
#include "metal/software/msl/worker_pool.h"

namespace assay::msl {

void WorkerPool::serve(unsigned id, std::uint64_t seen) {
    std::unique_lock lock(mutex_);
    for (;;) {
        started_.wait(lock, [&] { return round_ != seen; });
        seen = round_;
        if (id >= count_)
            continue;
        const auto* work = work_;
        lock.unlock();
        (*work)(id);
        lock.lock();
        if (--running_ == 0)
            finished_.notify_one();
    }
}

void WorkerPool::run(unsigned count, const std::function<void(unsigned)>& work) {
    {
        const std::lock_guard lock(mutex_);
        while (threads_.size() + 1 < count) {
            const auto id = static_cast<unsigned>(threads_.size() + 1);
            threads_.emplace_back(&WorkerPool::serve, this, id, round_);
        }
        work_ = &work;
        count_ = count;
        running_ = count - 1;
        ++round_;
    }
    if (count > 1)
        started_.notify_all();
    work(0);
    std::unique_lock lock(mutex_);
    finished_.wait(lock, [&] { return running_ == 0; });
}

} // namespace assay::msl
