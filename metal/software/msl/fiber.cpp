// Stacks for fibers and the switch between them.
#include "metal/software/msl/fiber.h"

#include <cstdlib>
#include <new>
#include <sys/mman.h>

// The same frame as the switch inlined into kernels (include/sync.h): where to continue, on top of what it
// restores.
asm(R"(
    .text
    .globl assay_fiber_switch
    .hidden assay_fiber_switch
    .type assay_fiber_switch, @function
assay_fiber_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    leaq 1f(%rip), %rcx
    pushq %rcx
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %rcx
    jmp *%rcx
1:  popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .size assay_fiber_switch, . - assay_fiber_switch
)");

namespace assay::msl {

namespace {
/// 1024 threads, and those that wait in the free list while their successors start.
constexpr std::uint32_t kStacks = 1040;
constexpr std::size_t kMappedBytes = (kStacks + 1) * ASSAY_STACK_BYTES;
} // namespace

FiberStacks::FiberStacks() {
    mapping_ = ::mmap(nullptr, kMappedBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping_ == MAP_FAILED)
        throw std::bad_alloc();
    first_ = (reinterpret_cast<std::uintptr_t>(mapping_) + ASSAY_STACK_BYTES - 1) >> ASSAY_STACK_SHIFT;
}

FiberStacks::~FiberStacks() { ::munmap(mapping_, kMappedBytes); }

assay_fiber* FiberStacks::take(void (*main)()) {
    if (assay_fiber* fiber = free_) {
        free_ = fiber->next_free;
        return fiber;
    }
    if (used_ == kStacks)
        std::abort();
    assay_fiber* fiber = assay_fiber_of_stack(first_ + used_++);
    // Four words down, so that `main` finds the stack aligned as after a call.
    void** top = reinterpret_cast<void**>(fiber) - 4;
    *top = reinterpret_cast<void*>(main);
    fiber->stack_pointer = top;
    return fiber;
}

void FiberStacks::give_back(assay_fiber* fiber) {
    fiber->next_free = free_;
    free_ = fiber;
}

void FiberStacks::give_back_all() {
    free_ = nullptr;
    used_ = 0;
}

} // namespace assay::msl
