// Runs compiled kernels: one fiber per thread, SIMD groups of 32 lanes, threadgroups over all cores.
#include "metal/software/msl/executor.h"

#include "metal/software/msl/fiber.h"
#include "metal/software/msl/worker_pool.h"
#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace assay::msl {

namespace {

constexpr std::uint32_t kLanes = 32;
constexpr std::uint32_t kMaxThreads = 1024;

std::uint32_t lowest(std::uint32_t mask) { return static_cast<std::uint32_t>(std::countr_zero(mask)); }
std::uint32_t first_bits(std::uint32_t n) { return n >= 32 ? ~0u : (1u << n) - 1; }

using Position = std::array<std::uint16_t, 3>;

/// The threads of threadgroups of one size: up to eight sizes in a grid, one for each choice of edges.
struct Shape {
    Size3 size{};
    std::vector<Position> positions;
};

Shape make_shape(const Size3& size) {
    Shape shape{size, {}};
    for (std::uint32_t z = 0; z < size[2]; ++z)
        for (std::uint32_t y = 0; y < size[1]; ++y)
            for (std::uint32_t x = 0; x < size[0]; ++x)
                shape.positions.push_back({static_cast<std::uint16_t>(x), static_cast<std::uint16_t>(y),
                                           static_cast<std::uint16_t>(z)});
    return shape;
}

/// What all workers of one dispatch share.
struct Grid {
    const Dispatch* dispatch = nullptr;
    Size3 threads{};
    std::array<Shape, 8> shapes; ///< bit k: at the upper edge of dimension k
    std::uint64_t threadgroups = 0;
    std::atomic<std::uint64_t> next{0};
};

class Worker;
Worker& worker_of(assay_fiber* fiber);
void fiber_main();

/// Runs threadgroups, one at a time, on one core. Its functions run on the stacks of fibers.
class Worker : public assay_threadgroup {
  public:
    Worker() : assay_threadgroup{}, simdgroups_(kMaxThreads / kLanes) {}

    void run(Grid& grid, unsigned id) {
        grid_ = &grid;
        const Dispatch& d = *grid.dispatch;
        buffers = d.buffers.data();
        dynamic_offsets = d.threadgroup_offsets.data();
        dynamic_.resize(std::max<std::size_t>(dynamic_.size(), d.dynamic_threadgroup_bytes + kPadding));
        static_.resize(std::max<std::size_t>(static_.size(), d.static_threadgroup_bytes + kPadding));
        dynamic_memory = aligned(dynamic_);
        static_memory = aligned(static_);
        std::copy_n(d.threads_per_threadgroup.begin(), 3, dispatched_size);
        std::copy_n(d.threadgroups.begin(), 3, threadgroups);
        std::copy_n(grid.threads.begin(), 3, grid_threads);
        random_ = (d.seed + 1) * 0x9E3779B97F4A7C15u + id + 1;
        stacks_.give_back_all();
        if (!next_threadgroup())
            return;
        assay_fiber* first = start_any();
        assay_fiber_switch(&worker_stack_, first->stack_pointer);
    }

    void enter() { grid_->dispatch->entry(current_fiber()); }

    assay_fiber* rendezvous(assay_fiber* fiber, void* site) {
        assay_simdgroup& group = *fiber->simdgroup;
        const auto key = reinterpret_cast<std::uintptr_t>(site) * 2 + fiber->buffer;
        if (!group.in_rendezvous) {
            group.site_key = key;
            group.mixed_sites = 0;
        } else if (group.site_key != key) {
            group.mixed_sites = 1;
        }
        group.site[fiber->lane] = site;
        group.in_rendezvous |= 1u << fiber->lane;
        if (group.in_rendezvous == group.alive && !group.mixed_sites)
            return release(group, group.in_rendezvous, fiber->buffer);
        return pick(&group, nullptr);
    }

    assay_fiber* barrier(assay_fiber* fiber) {
        fiber->simdgroup->in_barrier |= 1u << fiber->lane;
        return pick(fiber->simdgroup, nullptr);
    }

    std::uint32_t next(assay_fiber* fiber) {
        assay_simdgroup& group = *fiber->simdgroup;
        group.alive &= ~(1u << fiber->lane);
        assay_fiber* chosen = pick(&group, fiber);
        if (chosen == fiber)
            return 1;
        if (chosen) {
            stacks_.give_back(fiber);
            assay_fiber_switch(&fiber->stack_pointer, chosen->stack_pointer);
            return 1;
        }
        if (next_threadgroup()) {
            assay_simdgroup& first = simdgroups_[choose(runnable_)];
            start(first, choose(first.unstarted), fiber);
            return 1;
        }
        assay_fiber_switch(&fiber->stack_pointer, worker_stack_);
        std::abort();
    }

  private:
    static constexpr std::size_t kPadding = 256;

    static char* aligned(std::vector<char>& memory) {
        const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
        return memory.data() + (-address & 127);
    }
    static assay_fiber* current_fiber() {
        return assay_fiber_of_stack(reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) >>
                                    ASSAY_STACK_SHIFT);
    }

    /// One of the bits of `mask`, by the order asked for.
    std::uint32_t choose(std::uint32_t mask) {
        switch (grid_->dispatch->order) {
        case Order::ascending:
            break;
        case Order::descending:
            return 31 - static_cast<std::uint32_t>(std::countl_zero(mask));
        case Order::shuffled:
            random_ ^= random_ << 13;
            random_ ^= random_ >> 7;
            random_ ^= random_ << 17;
            auto skip = (random_ >> 33) % static_cast<unsigned>(std::popcount(mask));
            while (skip--)
                mask &= mask - 1;
            break;
        }
        return lowest(mask);
    }

    /// Makes `fiber` the thread of this lane.
    void start(assay_simdgroup& group, std::uint32_t lane, assay_fiber* fiber) {
        group.unstarted &= ~(1u << lane);
        group.fiber[lane] = fiber;
        fiber->simdgroup = &group;
        fiber->group = this;
        fiber->lane = lane;
        fiber->index = group.first_thread + lane;
        fiber->led = 0;
        std::copy_n(shape_->positions[fiber->index].begin(), 3, fiber->position);
    }

    assay_fiber* start_any() {
        assay_simdgroup& group = simdgroups_[choose(runnable_)];
        assay_fiber* fiber = stacks_.take(fiber_main);
        start(group, choose(group.unstarted), fiber);
        return fiber;
    }

    /// Ends a rendezvous for these lanes; the lowest continues first.
    assay_fiber* release(assay_simdgroup& group, std::uint32_t lanes, std::uint32_t buffer) {
        const std::uint32_t leader = lowest(lanes);
        group.in_rendezvous &= ~lanes;
        group.active[buffer] = lanes;
        group.next_buffer = buffer ^ 1;
        group.ready |= lanes & ~(1u << leader);
        group.fiber[leader]->led = lanes;
        return group.fiber[leader];
    }

    /// No lane can go on: those that wait at the lowest address meet. Lanes behind a branch come before
    /// those that have passed it, so that they can catch up.
    assay_fiber* release_lowest_site(assay_simdgroup& group) {
        void* site = nullptr;
        for (std::uint32_t m = group.in_rendezvous; m; m &= m - 1)
            if (void* here = group.site[lowest(m)]; !site || here < site)
                site = here;
        std::uint32_t lanes = 0;
        for (std::uint32_t m = group.in_rendezvous; m; m &= m - 1)
            if (group.site[lowest(m)] == site)
                lanes |= 1u << lowest(m);
        // Lanes that diverged may have deposited in different halves.
        const std::uint32_t buffer = group.fiber[lowest(lanes)]->buffer;
        for (std::uint32_t m = lanes; m; m &= m - 1) {
            assay_fiber& fiber = *group.fiber[lowest(m)];
            group.slot[buffer][fiber.lane] = group.slot[fiber.buffer][fiber.lane];
            fiber.buffer = buffer;
        }
        group.mixed_sites = 1;
        group.site_key = 0;
        return release(group, lanes, buffer);
    }

    /// The fiber to continue with, of `group` if possible; null when the threadgroup has ended. `spare` may
    /// become a thread that has not started yet.
    assay_fiber* pick(assay_simdgroup* group, assay_fiber* spare) {
        for (;;) {
            if (group->ready) {
                const std::uint32_t lane = choose(group->ready);
                group->ready &= ~(1u << lane);
                return group->fiber[lane];
            }
            if (group->unstarted) {
                assay_fiber* fiber = spare ? spare : stacks_.take(fiber_main);
                start(*group, choose(group->unstarted), fiber);
                return fiber;
            }
            if (group->in_rendezvous)
                return release_lowest_site(*group);
            runnable_ &= ~(1u << group->index);
            if (!runnable_)
                release_barrier();
            if (!runnable_)
                return nullptr;
            group = &simdgroups_[choose(runnable_)];
        }
    }

    void release_barrier() {
        for (std::uint32_t i = 0; i < simdgroup_count; ++i)
            if (assay_simdgroup& group = simdgroups_[i]; group.in_barrier) {
                group.ready = group.in_barrier;
                group.in_barrier = 0;
                runnable_ |= 1u << i;
            }
    }

    bool next_threadgroup() {
        const std::uint64_t number = grid_->next.fetch_add(1, std::memory_order_relaxed);
        if (number >= grid_->threadgroups)
            return false;
        position[0] = static_cast<std::uint32_t>(number % threadgroups[0]);
        position[1] = static_cast<std::uint32_t>(number / threadgroups[0] % threadgroups[1]);
        position[2] = static_cast<std::uint32_t>(number / threadgroups[0] / threadgroups[1]);
        unsigned edges = 0;
        for (unsigned k = 0; k < 3; ++k)
            edges |= position[k] + 1 == threadgroups[k] ? 1u << k : 0u;
        shape_ = &grid_->shapes[edges];
        std::copy_n(shape_->size.begin(), 3, size);
        const auto threads = static_cast<std::uint32_t>(shape_->positions.size());
        simdgroup_count = (threads + kLanes - 1) / kLanes;
        runnable_ = first_bits(simdgroup_count);
        for (std::uint32_t i = 0; i < simdgroup_count; ++i) {
            assay_simdgroup& group = simdgroups_[i];
            group.index = i;
            group.first_thread = i * kLanes;
            group.alive = group.unstarted = first_bits(threads - i * kLanes);
            group.ready = group.in_rendezvous = group.in_barrier = 0;
            group.mixed_sites = group.next_buffer = 0;
        }
        return true;
    }

    Grid* grid_ = nullptr;
    const Shape* shape_ = nullptr;
    std::uint32_t runnable_ = 0; ///< SIMD groups with something to run
    std::uint64_t random_ = 0;
    void* worker_stack_ = nullptr;
    FiberStacks stacks_;
    std::vector<assay_simdgroup> simdgroups_;
    std::vector<char> dynamic_;
    std::vector<char> static_;
};

Worker& worker_of(assay_fiber* fiber) { return *static_cast<Worker*>(fiber->group); }

void fiber_main() {
    const auto frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    worker_of(assay_fiber_of_stack(frame >> ASSAY_STACK_SHIFT)).enter();
    std::abort();
}

assay_fiber* runtime_rendezvous(assay_fiber* fiber, void* site) {
    return worker_of(fiber).rendezvous(fiber, site);
}
assay_fiber* runtime_barrier(assay_fiber* fiber) { return worker_of(fiber).barrier(fiber); }
std::uint32_t runtime_next(assay_fiber* fiber) { return worker_of(fiber).next(fiber); }

/// Workers and their stacks, kept for the life of the process: a program that exits while a kernel runs must
/// not find them destroyed.
struct Machine {
    std::mutex mutex;
    WorkerPool pool;
    std::vector<std::unique_ptr<Worker>> workers;
};

Machine& machine() {
    static auto* const instance = new Machine;
    return *instance;
}

Result<void> prepare(const Dispatch& d, Grid& grid) {
    grid.dispatch = &d;
    const bool whole = d.threads_per_grid == Size3{0, 0, 0};
    grid.threadgroups = 1;
    std::uint64_t threads = 1;
    Size3 edge{};
    for (unsigned k = 0; k < 3; ++k) {
        const std::uint64_t covered = std::uint64_t{d.threadgroups[k]} * d.threads_per_threadgroup[k];
        const std::uint64_t wanted = whole ? covered : d.threads_per_grid[k];
        grid.threadgroups *= d.threadgroups[k];
        threads *= d.threads_per_threadgroup[k];
        if (covered == 0 || wanted == 0) {
            grid.threadgroups = 0;
            return {};
        }
        if (wanted > covered || covered - wanted >= d.threads_per_threadgroup[k])
            return bad_input("dispatch",
                             "the threadgroups do not cover the grid in dimension " + std::to_string(k));
        grid.threads[k] = static_cast<std::uint32_t>(wanted);
        edge[k] = static_cast<std::uint32_t>(d.threads_per_threadgroup[k] - (covered - wanted));
        if (threads > kMaxThreads)
            return bad_input("dispatch", "a threadgroup may have 1024 threads at most");
    }
    for (unsigned edges = 0; edges < 8; ++edges) {
        Size3 size = d.threads_per_threadgroup;
        for (unsigned k = 0; k < 3; ++k)
            if (edges >> k & 1)
                size[k] = edge[k];
        grid.shapes[edges] = make_shape(size);
    }
    return {};
}

} // namespace

const assay_runtime& kernel_runtime() {
    static const assay_runtime table{ASSAY_MSL_ABI_VERSION, runtime_rendezvous, runtime_barrier,
                                     runtime_next};
    return table;
}

Result<void> run(const Dispatch& dispatch) {
    Grid grid;
    if (const auto prepared = prepare(dispatch, grid); !prepared)
        return prepared.error();
    if (grid.threadgroups == 0)
        return {};
    Machine& all = machine();
    const std::lock_guard lock(all.mutex);
    const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
    const unsigned wanted = dispatch.workers ? dispatch.workers : cores;
    const auto count = static_cast<unsigned>(std::min<std::uint64_t>(wanted, grid.threadgroups));
    while (all.workers.size() < count)
        all.workers.push_back(std::make_unique<Worker>());
    all.pool.run(count, [&](unsigned id) { all.workers[id]->run(grid, id); });
    return {};
}

} // namespace assay::msl
