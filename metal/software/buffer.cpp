// MTLBuffer: allocation, and the methods of the object.
#include "metal/software/buffer.h"
#include "metal/foundation.h"
#include "metal/software/creation.h"
#include "metal/software/failure.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace assay::software {

namespace {

using metal::UInteger;

/// Zeroed memory on a page of its own, or null.
std::shared_ptr<std::byte> allocate(UInteger length) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const std::size_t rounded = (length + page - 1) / page * page;
    void* memory = std::aligned_alloc(page, rounded);
    if (!memory)
        return nullptr;
    std::memset(memory, 0, rounded);
    return {static_cast<std::byte*>(memory), [](std::byte* bytes) { std::free(bytes); }};
}

/// nil for a length that Metal refuses.
id new_buffer(id device, UInteger length, UInteger options, std::shared_ptr<std::byte> memory) {
    if (!memory)
        return nullptr;
    device_of(device).allocated += length;
    return make<Buffer>(device, length, options, std::move(memory));
}

bool allowed(id device, UInteger length) {
    const auto most = device_of(device).cached_max_buffer_length;
    return length > 0 && (most == 0 || length <= most);
}

id new_with_length(id self, SEL selector, UInteger length, UInteger options) {
    if (creation_refused(self, selector) || !allowed(self, length))
        return nullptr;
    return new_buffer(self, length, options, allocate(length));
}

id new_with_bytes(id self, SEL selector, const void* bytes, UInteger length, UInteger options) {
    if (creation_refused(self, selector) || !allowed(self, length))
        return nullptr;
    auto memory = allocate(length);
    if (memory)
        std::memcpy(memory.get(), bytes, length);
    return new_buffer(self, length, options, std::move(memory));
}

id new_no_copy(id self, SEL selector, void* bytes, UInteger length, UInteger options,
               metal::Block* deallocator) {
    if (creation_refused(self, selector, "no_copy_buffers") || !allowed(self, length))
        return nullptr;
    Device& device = device_of(self);
    const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    if (reinterpret_cast<std::uintptr_t>(bytes) % page != 0)
        fail_assertion("-[" + device.file.class_name + " " + sel_getName(selector) + "]",
                       "pointer is not " + std::to_string(page) + " byte aligned");
    if (!device.executes("no_copy_buffers"))
        return nullptr;
    if (device.faults.strikes(Effect::stale_no_copy, {.device = self})) {
        auto copy = allocate(length);
        if (copy)
            std::memcpy(copy.get(), bytes, length);
        return new_buffer(self, length, options, std::move(copy));
    }
    const auto block = copy_block(deallocator);
    return new_buffer(self, length, options,
                      {static_cast<std::byte*>(bytes), [block, length](std::byte* memory) {
                           if (block)
                               call_block(*block, static_cast<void*>(memory), length);
                       }});
}

} // namespace

void register_buffer_class() {
    ClassBuilder("AssayBuffer", reinterpret_cast<Class>(metal::class_named("NSObject")))
        .boxes<Buffer>()
        .method(
            "contents",
            +[](id self, SEL) -> void* {
                const Buffer& buffer = buffer_of(self);
                return buffer.is_private() ? nullptr : buffer.memory.get();
            })
        .method(
            "length", +[](id self, SEL) -> UInteger { return buffer_of(self).length; })
        .method(
            "allocatedSize", +[](id self, SEL) -> UInteger { return buffer_of(self).length; })
        .method(
            "gpuAddress",
            +[](id self, SEL) -> UInteger {
                return reinterpret_cast<std::uintptr_t>(buffer_of(self).memory.get());
            })
        .method(
            "resourceOptions", +[](id self, SEL) -> UInteger { return buffer_of(self).options; })
        .method(
            "storageMode", +[](id self, SEL) -> UInteger { return (buffer_of(self).options >> 4) & 0xf; })
        .method(
            "didModifyRange:", +[](id, SEL, metal::Range) {})
        .method(
            "device", +[](id self, SEL) -> id { return buffer_of(self).device; })
        .method(
            "label", +[](id self, SEL) -> id { return buffer_of(self).label.get(); })
        .method(
            "setLabel:", +[](id self, SEL, id label) { buffer_of(self).label = Reference(label); })
        .finish();
}

void add_buffer_creation(ClassBuilder& builder, const Device& device) {
    add_creation(builder, device, "newBufferWithLength:options:", new_with_length);
    add_creation(builder, device, "newBufferWithBytes:length:options:", new_with_bytes);
    add_creation(builder, device, "newBufferWithBytesNoCopy:length:options:deallocator:", new_no_copy);
}

} // namespace assay::software
