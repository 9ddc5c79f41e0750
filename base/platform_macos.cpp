// macOS half of base/platform.h.
#include "base/platform.h"

#include <CommonCrypto/CommonDigest.h>
#include <climits>
#include <cstdlib>
#include <fcntl.h>
#include <mach-o/dyld.h>
#include <sys/sysctl.h>
#include <unistd.h>

namespace assay {

std::string sha256_hex(std::string_view bytes) {
    unsigned char digest[CC_SHA256_DIGEST_LENGTH];
    CC_SHA256_CTX context;
    CC_SHA256_Init(&context);
    constexpr std::size_t kChunk = 1u << 30; // CC_LONG has 32 bits
    for (std::size_t done = 0; done < bytes.size(); done += kChunk) {
        const auto part = bytes.substr(done, kChunk);
        CC_SHA256_Update(&context, part.data(), static_cast<CC_LONG>(part.size()));
    }
    CC_SHA256_Final(digest, &context);
    std::string hex;
    for (const unsigned char byte : digest) {
        hex += "0123456789abcdef"[byte >> 4];
        hex += "0123456789abcdef"[byte & 15];
    }
    return hex;
}

bool sync_to_disk(int fd) { return ::fcntl(fd, F_FULLFSYNC) == 0 || ::fsync(fd) == 0; }

std::string executable_path() {
    char path[PATH_MAX];
    std::uint32_t size = sizeof path;
    char resolved[PATH_MAX];
    if (_NSGetExecutablePath(path, &size) != 0 || !::realpath(path, resolved))
        return {};
    return resolved;
}

std::string boot_session() {
    char uuid[64];
    std::size_t size = sizeof uuid;
    if (::sysctlbyname("kern.bootsessionuuid", uuid, &size, nullptr, 0) != 0 || size == 0)
        return {};
    return std::string(uuid, size - 1);
}

std::string library_file_name(std::string_view stem) { return "lib" + std::string(stem) + ".dylib"; }

} // namespace assay
