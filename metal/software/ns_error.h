// Making NSError objects.
#pragma once
#include "metal/runtime.h"
#include <string>

namespace assay::software {

/// An autoreleased NSError whose localizedDescription is `description`.
id make_error(const char* domain, metal::Integer code, const std::string& description);

/// Stores an error where the caller wants it; `out` may be null. Returns nil, for "return fail(…)".
id fail(id* out, const char* domain, metal::Integer code, const std::string& description);

inline constexpr const char* kLibraryErrorDomain = "MTLLibraryErrorDomain";
inline constexpr const char* kCommandBufferErrorDomain = "MTLCommandBufferErrorDomain";
inline constexpr const char* kDeviceErrorDomain = "MTLDeviceErrorDomain";
/// Where the driver's compiler reports, as the bundle of the M1 generation is called.
inline constexpr const char* kDriverErrorDomain = "AGXMetalG13X";

/// MTLLibraryError.
enum LibraryError : metal::Integer {
    kLibraryInternal = 2,
    kLibraryCompileFailure = 3,
    kLibraryCompileWarning = 4,
    kLibraryFunctionNotFound = 5,
};

} // namespace assay::software
