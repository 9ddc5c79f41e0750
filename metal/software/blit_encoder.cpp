// MTLBlitCommandEncoder: copies and fills.
#include "metal/software/blit_encoder.h"
#include "metal/software/buffer.h"
#include "metal/software/command_buffer.h"
#include "metal/software/failure.h"

#include <cstring>

namespace assay::software {

namespace {

using metal::UInteger;

struct BlitEncoder {
    Reference object; ///< the command buffer
    bool ended = false;
};

void add(id self, const char* method, Command command) {
    const BlitEncoder& encoder = *boxed<BlitEncoder>(self);
    if (encoder.ended)
        fail_assertion(std::string("-[MTLBlitCommandEncoder ") + method + "]", "encoding has ended");
    command_buffer_of(encoder.object.get())->add(std::move(command));
}

void check_range(const char* method, id buffer, UInteger offset, UInteger size) {
    const UInteger length = buffer_of(buffer).length;
    if (offset > length || size > length - offset)
        fail_assertion(std::string("-[MTLBlitCommandEncoder ") + method + "]",
                       "(offset(" + std::to_string(offset) + ") + size(" + std::to_string(size) +
                           ")) must be <= " + std::to_string(length) + ".");
}

void copy(id self, SEL, id source, UInteger source_offset, id destination, UInteger destination_offset,
          UInteger size) {
    constexpr const char* kMethod = "copyFromBuffer:sourceOffset:toBuffer:destinationOffset:size:";
    check_range(kMethod, source, source_offset, size);
    check_range(kMethod, destination, destination_offset, size);
    add(self, kMethod,
        [from = Reference(source), to = Reference(destination), source_offset, destination_offset,
         size]() -> CommandOutcome {
            std::memmove(buffer_of(to.get()).memory.get() + destination_offset,
                         buffer_of(from.get()).memory.get() + source_offset, size);
            return {};
        });
}

void fill(id self, SEL, id buffer, metal::Range range, unsigned char value) {
    check_range("fillBuffer:range:value:", buffer, range.location, range.length);
    add(self, "fillBuffer:range:value:", [to = Reference(buffer), range, value]() -> CommandOutcome {
        std::memset(buffer_of(to.get()).memory.get() + range.location, value, range.length);
        return {};
    });
}

void end_encoding(id self, SEL) {
    BlitEncoder& encoder = *boxed<BlitEncoder>(self);
    encoder.ended = true;
    command_buffer_of(encoder.object.get())->end_encoding();
}

} // namespace

void register_blit_encoder_class() {
    ClassBuilder("AssayBlitCommandEncoder", reinterpret_cast<Class>(metal::class_named("NSObject")))
        .boxes<BlitEncoder>()
        .method("copyFromBuffer:sourceOffset:toBuffer:destinationOffset:size:", copy)
        .method("fillBuffer:range:value:", fill)
        .method(
            "synchronizeResource:", +[](id, SEL, id) {})
        .method("endEncoding", end_encoding)
        .finish();
}

id make_blit_encoder(id command_buffer) {
    command_buffer_of(command_buffer)->begin_encoding();
    return autorelease(make<BlitEncoder>(Reference(command_buffer)));
}

} // namespace assay::software
