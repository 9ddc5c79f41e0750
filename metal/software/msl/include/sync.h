// The fiber at work, rendezvous and barriers.
#pragma once
#pragma clang system_header
#include "abi.h"
#include "scalar.h"

/// Set by assay_attach() before the kernel runs.
inline const assay_runtime* assay_runtime_table;

/// Leaves "feature intrinsic" in the object file if this place survives to it. Only where a rendezvous follows, which
/// no optimisation crosses anyway; for hot loops see assay_matrix_lane().
#define ASSAY_USES(feature, intrinsic)                                                                          \
    asm volatile(".pushsection assay_features,\"a\",@progbits\n.asciz \"" feature " " intrinsic "\"\n.popsection")

ASSAY_INLINE assay_fiber* assay_self_fiber() {
    uintptr_t stack;
    asm("movq %%rsp,%0" : "=r"(stack));
    return assay_fiber_of_stack(stack >> ASSAY_STACK_SHIFT);
}
/// The lane never changes within one call of a kernel (kernels are not inlined): the optimiser may hoist this.
ASSAY_INLINE uint assay_lane() {
    uint lane;
    asm("movl %c1(%2),%0" : "=r"(lane) : "i"(__builtin_offsetof(assay_fiber, lane)), "r"(assay_self_fiber()));
    return lane;
}

/// Continues with `to`; returns when somebody continues with `from`. Everything counts as clobbered, so the compiler
/// saves just what is live here. The frame is that of assay_fiber_switch() in fiber.cpp.
ASSAY_INLINE void assay_switch(assay_fiber* from, assay_fiber* to) {
    void** save = &from->stack_pointer;
    void* target = to->stack_pointer;
    asm volatile("pushq %%rbp\n leaq 1f(%%rip),%%rcx\n pushq %%rcx\n movq %%rsp,(%%rax)\n movq %%rdx,%%rsp\n"
                 "popq %%rcx\n jmp *%%rcx\n 1: popq %%rbp"
                 : "+a"(save), "+d"(target)
                 :
                 : "rbx", "rcx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "memory", "cc",
                   "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
                   "xmm12", "xmm13", "xmm14", "xmm15", "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22",
                   "xmm23", "xmm24", "xmm25", "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31", "k0", "k1", "k2",
                   "k3", "k4", "k5", "k6", "k7");
}

/// Waits until the active lanes of the SIMD group are here. Each inlined copy is a rendezvous of its own.
ASSAY_INLINE void assay_rendezvous(assay_fiber* self) {
    void* site;
    asm volatile("leaq 0(%%rip),%0" : "=r"(site));
    assay_fiber* to = assay_runtime_table->rendezvous(self, site);
    if (to != self)
        assay_switch(self, to);
    asm volatile("" ::: "memory");
}

namespace metal {

enum class mem_flags : uint {
    mem_none = 0,
    mem_device = 1,
    mem_threadgroup = 2,
    mem_texture = 4,
    mem_threadgroup_imageblock = 8,
    mem_object_data = 16
};
ASSAY_INLINE mem_flags operator|(mem_flags a, mem_flags b) { return mem_flags((uint)a | (uint)b); }
enum memory_order { memory_order_relaxed = 0, memory_order_acq_rel = 4, memory_order_seq_cst = 5 };
enum thread_scope { thread_scope_thread, thread_scope_simdgroup, thread_scope_threadgroup, thread_scope_device };

ASSAY_INLINE void threadgroup_barrier(mem_flags, int = 0) {
    asm volatile("" ::: "memory");
    assay_fiber* self = assay_self_fiber();
    assay_fiber* to = assay_runtime_table->barrier(self);
    if (to != self)
        assay_switch(self, to);
    asm volatile("" ::: "memory");
}
/// Without memory to order, waiting cannot be observed.
ASSAY_INLINE void simdgroup_barrier(mem_flags flags, int = 0) {
    if (flags == mem_flags::mem_none)
        return;
    asm volatile("" ::: "memory");
    assay_fiber* self = assay_self_fiber();
    self->buffer = self->simdgroup->next_buffer;
    assay_rendezvous(self);
    self->led = 0;
}
ASSAY_INLINE void atomic_thread_fence(mem_flags, memory_order, thread_scope = thread_scope_device) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

} // namespace metal
