// Objective-C blocks by their ABI: keeping and calling one without compiler support.
#pragma once
#include "metal/encoding.h"
#include "metal/runtime.h"
#include <memory>

namespace assay::metal {

/// What a block is in memory (the Block ABI of clang).
struct Block {
    void* isa;
    int flags;
    int reserved;
    void (*invoke)();
    struct Descriptor {
        unsigned long reserved;
        unsigned long size;
        /// Only with kHasHelpers.
        void (*copy)(void* destination, const void* source);
        void (*dispose)(const void* block);
    } * descriptor;

    static constexpr int kHasHelpers = 1 << 25;
    static constexpr int kIsGlobal = 1 << 28;
};

} // namespace assay::metal

namespace assay::software {

/// A block that outlives its caller's frame. Null stays null.
std::shared_ptr<metal::Block> copy_block(metal::Block* block);

/// Calls a block of type void (^)(A...).
template <class... A>
void call_block(metal::Block& block, A... arguments) {
    reinterpret_cast<void (*)(metal::Block*, A...)>(block.invoke)(&block, arguments...);
}

} // namespace assay::software
