// What differs between macOS and Linux below the level of Metal.
// Implemented once per system: platform_linux.cpp, platform_macos.cpp.
#pragma once
#include <string>
#include <string_view>

namespace assay {

/// SHA-256 of the bytes as 64 lower-case hexadecimal digits.
std::string sha256_hex(std::string_view bytes);

/// Forces what was written to `fd` onto the medium (F_FULLFSYNC on macOS). False on failure, errno says why.
bool sync_to_disk(int fd);

/// Absolute path of the running executable, symbolic links resolved; empty when the system does not tell.
std::string executable_path();

/// An identifier that changes with every boot of this system; empty when the system does not tell.
std::string boot_session();

/// File name of a dynamic library: "libfoo.so" or "libfoo.dylib".
std::string library_file_name(std::string_view stem);

} // namespace assay
