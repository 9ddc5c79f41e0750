// Linux half of base/platform.h.
#include "base/file.h"
#include "base/platform.h"
#include "base/text.h"

#include <climits>
#include <cstdlib>
#include <sha256.h>
#include <unistd.h>

namespace assay {

std::string sha256_hex(std::string_view bytes) {
    SHA2_CTX context;
    SHA256Init(&context);
    SHA256Update(&context, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
    char hex[SHA256_DIGEST_STRING_LENGTH];
    SHA256End(&context, hex);
    return hex;
}

bool sync_to_disk(int fd) { return ::fsync(fd) == 0; }

std::string executable_path() {
    char path[PATH_MAX];
    const ssize_t length = ::readlink("/proc/self/exe", path, sizeof path);
    return length > 0 ? std::string(path, static_cast<std::size_t>(length)) : std::string{};
}

std::string boot_session() {
    const auto id = read_file("/proc/sys/kernel/random/boot_id", 256);
    return id ? std::string(trim(*id)) : std::string{};
}

std::string library_file_name(std::string_view stem) { return "lib" + std::string(stem) + ".so"; }

} // namespace assay
