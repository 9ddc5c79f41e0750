// Looking symbols up past this library's own interposition.
#pragma once

namespace assay::shim {

/// dlsym() as the system implements it.
void* real_dlsym(void* library, const char* name) noexcept;

/// A symbol of the loaded library that holds `address`, or null. Works for libraries that were opened with
/// RTLD_LOCAL.
void* symbol_beside(const void* address, const char* name) noexcept;

} // namespace assay::shim
