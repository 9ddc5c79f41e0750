// Stacks for fibers and the switch between them.
#pragma once
#include "metal/software/msl/include/abi.h"
#include <cstdint>

/// Saves this context in *save and continues with `to`; returns when somebody switches back.
extern "C" void assay_fiber_switch(void** save, void* to);

namespace assay::msl {

/// The stacks of one worker, mapped once and touched as needed. Throws std::bad_alloc when there is no
/// address space.
class FiberStacks {
  public:
    FiberStacks();
    ~FiberStacks();
    FiberStacks(const FiberStacks&) = delete;
    FiberStacks& operator=(const FiberStacks&) = delete;

    /// A fiber that starts with `main` on a stack of its own.
    assay_fiber* take(void (*main)());
    void give_back(assay_fiber* fiber);
    void give_back_all();

  private:
    void* mapping_ = nullptr;
    std::uintptr_t first_ = 0; ///< number of the first stack
    std::uint32_t used_ = 0;
    assay_fiber* free_ = nullptr;
};

} // namespace assay::msl
