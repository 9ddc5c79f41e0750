// Objective-C blocks by their ABI: copying to the heap.
#include "metal/software/block.h"

#include <cstdlib>
#include <cstring>

namespace assay::software {

using metal::Block;

std::shared_ptr<Block> copy_block(Block* block) {
    if (!block)
        return nullptr;
    if (block->flags & Block::kIsGlobal)
        return {block, [](Block*) {}};
    auto* held = static_cast<Block*>(std::malloc(block->descriptor->size));
    std::memcpy(held, block, block->descriptor->size);
    // Not through _Block_copy(): a blocks runtime in the process knows only blocks with its own isa.
    if (block->flags & Block::kHasHelpers)
        block->descriptor->copy(held, block);
    return {held, [](Block* last) {
                if (last->flags & Block::kHasHelpers)
                    last->descriptor->dispose(last);
                std::free(last);
            }};
}

} // namespace assay::software
