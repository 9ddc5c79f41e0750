// How a kernel gets its arguments and is run. A rewritten kernel and its entry look like this:
//
//   kernel void scale(device float* x, constant uint& n, threadgroup float* scratch, uint i) {
//       typedef float tile__threadgroup_type[16]; tile__threadgroup_type& tile =
//           MSL_THREADGROUP(tile__threadgroup_type, 1);
//       …
//   }
//   MSL_ENTRY_BEGIN scale(MSL_BUFFER(0), MSL_BUFFER_REFERENCE(1), MSL_THREADGROUP_MEMORY(0),
//                         MSL_BUILT_IN(thread_position_in_grid)); MSL_ENTRY_END
#pragma once
#pragma clang system_header
#include "simd.h"

// Bounds of sections that exist only if something is in them.
extern "C" {
extern char __start_assay_threadgroup[] __attribute__((weak, visibility("hidden")));
extern char __stop_assay_threadgroup[] __attribute__((weak, visibility("hidden")));
extern const char __start_assay_features[] __attribute__((weak, visibility("hidden")));
extern const char __stop_assay_features[] __attribute__((weak, visibility("hidden")));
}

/// Nobody touches this memory: the section lays out the variables of those functions that were compiled, and each
/// threadgroup has a copy of the layout.
template <class T, int Id> struct assay_threadgroup_layout {
    alignas(16) static inline char place[sizeof(T)] __attribute__((section("assay_threadgroup")));
};
template <class T, int Id> ASSAY_INLINE T& assay_threadgroup_variable() {
    const ptrdiff_t offset = assay_threadgroup_layout<T, Id>::place - __start_assay_threadgroup;
    return *(T*)(assay_self_fiber()->group->static_memory + offset);
}

struct assay_memory_pointer {
    void* address;
    template <class T> ASSAY_INLINE operator T*() const { return (T*)address; }
};
struct assay_memory_reference {
    void* address;
    template <class T> ASSAY_INLINE operator T&() const { return *(T*)address; }
};
struct assay_built_in {
    uint x, y, z;
    template <class T> requires metal::AssayScalar<T> ASSAY_INLINE operator T() const { return (T)x; }
    template <class T> ASSAY_INLINE operator metal::vec<T, 2>() const { return metal::vec<T, 2>(x, y); }
    template <class T> ASSAY_INLINE operator metal::vec<T, 3>() const { return metal::vec<T, 3>(x, y, z); }
};
ASSAY_INLINE assay_built_in assay_triple(const uint32_t (&v)[3]) { return {v[0], v[1], v[2]}; }

#define ASSAY_BUILT_IN(name, ...)                                                                               \
    ASSAY_INLINE assay_built_in assay_built_in_##name(const assay_fiber* self) {                                \
        [[maybe_unused]] const assay_threadgroup* group = self->group;                                          \
        return __VA_ARGS__;                                                                                     \
    }
#define ASSAY_GRID_POSITION(k) group->position[k] * group->dispatched_size[k] + self->position[k]
ASSAY_BUILT_IN(thread_position_in_grid, {ASSAY_GRID_POSITION(0), ASSAY_GRID_POSITION(1), ASSAY_GRID_POSITION(2)})
ASSAY_BUILT_IN(threads_per_grid, assay_triple(group->grid_threads))
ASSAY_BUILT_IN(thread_position_in_threadgroup, assay_triple(self->position))
ASSAY_BUILT_IN(threads_per_threadgroup, assay_triple(group->size))
ASSAY_BUILT_IN(dispatch_threads_per_threadgroup, assay_triple(group->dispatched_size))
ASSAY_BUILT_IN(threadgroup_position_in_grid, assay_triple(group->position))
ASSAY_BUILT_IN(threadgroups_per_grid, assay_triple(group->threadgroups))
ASSAY_BUILT_IN(thread_index_in_threadgroup, {self->index})
ASSAY_BUILT_IN(thread_index_in_simdgroup, {self->lane})
ASSAY_BUILT_IN(simdgroup_index_in_threadgroup, {self->index / 32})
ASSAY_BUILT_IN(simdgroups_per_threadgroup, {group->simdgroup_count})
ASSAY_BUILT_IN(dispatch_simdgroups_per_threadgroup,
               {(group->dispatched_size[0] * group->dispatched_size[1] * group->dispatched_size[2] + 31) / 32})
ASSAY_BUILT_IN(threads_per_simdgroup, {32})
ASSAY_BUILT_IN(thread_execution_width, {32})
ASSAY_BUILT_IN(quadgroup_index_in_threadgroup, {self->index / 4})
ASSAY_BUILT_IN(quadgroups_per_threadgroup, {(group->size[0] * group->size[1] * group->size[2] + 3) / 4})
ASSAY_BUILT_IN(thread_index_in_quadgroup, {self->lane % 4})

#define MSL_BUFFER(n) assay_memory_pointer{assay_self->group->buffers[n]}
#define MSL_BUFFER_REFERENCE(n) assay_memory_reference{assay_self->group->buffers[n]}
#define MSL_THREADGROUP_MEMORY(n)                                                                               \
    assay_memory_pointer{assay_self->group->dynamic_memory + assay_self->group->dynamic_offsets[n]}
#define MSL_THREADGROUP_MEMORY_REFERENCE(n)                                                                     \
    assay_memory_reference{assay_self->group->dynamic_memory + assay_self->group->dynamic_offsets[n]}
#define MSL_BUILT_IN(name) assay_built_in_##name(assay_self)
#define MSL_THREADGROUP(type, n) assay_threadgroup_variable<type, n>()

#define ASSAY_EXPORT extern "C" __attribute__((visibility("default")))
#define MSL_ENTRY_BEGIN                                                                                         \
    ASSAY_EXPORT void assay_attach(const assay_runtime* table) { assay_runtime_table = table; }                 \
    ASSAY_EXPORT uint32_t assay_static_threadgroup_bytes() {                                                    \
        return (uint32_t)(__stop_assay_threadgroup - __start_assay_threadgroup);                                \
    }                                                                                                           \
    ASSAY_EXPORT void assay_feature_records(const char** begin, const char** end) {                                    \
        *begin = __start_assay_features;                                                                        \
        *end = __stop_assay_features;                                                                           \
    }                                                                                                           \
    ASSAY_EXPORT void assay_entry(assay_fiber* assay_self) {                                                    \
        do {
#define MSL_ENTRY_END                                                                                           \
        } while (assay_runtime_table->next(assay_self));                                                        \
    }
