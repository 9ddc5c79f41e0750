// Reading a file that nobody else can have written.
#include "shim/trusted_file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <stdexcept>
#include <sys/stat.h>
#include <unistd.h>

namespace assay {

namespace {

constexpr mode_t kOthersWrite = S_IWGRP | S_IWOTH;

Refusal unreadable(const std::string& path, int code) {
    const bool missing = code == ENOENT || code == ENOTDIR;
    return {missing ? refusal::kNoProfile : refusal::kUnreadable,
            path + ": cannot read the profile: " + std::strerror(code)};
}

/// The first folder above `path` that others can change, or empty.
std::string open_folder_above(const std::filesystem::path& path) {
    for (auto folder = path.parent_path(); !folder.empty(); folder = folder.parent_path()) {
        struct stat status {};
        if (::stat(folder.c_str(), &status) == 0 && (status.st_mode & kOthersWrite) != 0 &&
            (status.st_mode & S_ISVTX) == 0)
            return folder.string();
        if (folder == folder.parent_path())
            break;
    }
    return {};
}

Accepted<std::string> read_all(int fd, const std::string& path, std::size_t limit) {
    std::string bytes;
    char chunk[16384];
    for (;;) {
        const ssize_t n = ::read(fd, chunk, sizeof chunk);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return unreadable(path, errno);
        if (n == 0)
            return bytes;
        bytes.append(chunk, static_cast<std::size_t>(n));
        if (bytes.size() > limit)
            return Refusal{refusal::kUnreadable, path + ": is longer than " + std::to_string(limit) +
                                                     " bytes, so it is no profile"};
    }
}

Accepted<std::string> read_checked(int fd, const std::string& path, std::size_t limit) {
    struct stat status {};
    if (::fstat(fd, &status) != 0)
        return unreadable(path, errno);
    if (!S_ISREG(status.st_mode))
        return Refusal{refusal::kUnreadable, path + ": is not a regular file"};
    if (status.st_uid != ::geteuid() && status.st_uid != 0)
        return Refusal{refusal::kNotTrusted,
                       path + ": belongs to another user (uid " + std::to_string(status.st_uid) + ")"};
    if ((status.st_mode & kOthersWrite) != 0)
        return Refusal{refusal::kNotTrusted, path + ": other users can write it (chmod go-w)"};
    std::error_code code;
    const auto literal = std::filesystem::absolute(path, code);
    const auto real = std::filesystem::canonical(path, code);
    for (const auto& way : {literal, real})
        if (const auto folder = open_folder_above(way); !folder.empty())
            return Refusal{refusal::kNotTrusted,
                           path + ": other users can replace it, because they can write " + folder};
    return read_all(fd, path, limit);
}

} // namespace

void throw_exception_from_error(const Refusal& refusal, const boost::source_location&) {
    throw std::runtime_error(refusal.detail);
}

Accepted<std::string> read_trusted_file(const std::string& path, std::size_t limit) {
    // Not blocking: a named pipe must not hold the program up.
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return unreadable(path, errno);
    auto bytes = read_checked(fd, path, limit);
    ::close(fd);
    return bytes;
}

} // namespace assay
