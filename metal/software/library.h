// MTLLibrary and MTLFunction.
#pragma once
#include "metal/software/class_builder.h"
#include "metal/software/device.h"
#include "metal/software/msl/library.h"
#include "metal/software/reference.h"
#include <memory>
#include <string>
#include <vector>

namespace assay::software {

/// What a library object holds.
struct LibraryBox {
    id device;
    std::shared_ptr<msl::Library> library;
    bool empty = false; ///< a fault: it has no functions
    Reference label = {};
};

/// What a function object holds: a name, and the constants it is specialised with.
struct FunctionBox {
    id device;
    std::shared_ptr<msl::Library> library;
    std::string name;
    std::vector<msl::Constant> constants = {};
    Reference label = {};
};

void register_library_classes();
void add_library_creation(ClassBuilder& builder, const Device& device);

} // namespace assay::software
