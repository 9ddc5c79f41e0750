// Reading and writing whole files: bounded, and never half-written.
#include "base/file.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace assay {

namespace {

Error system_error(const std::string& path, std::string_view action) {
    const int code = errno;
    const auto kind = code == ENOENT || code == EISDIR || code == ENOTDIR || code == EACCES
                          ? ErrorKind::bad_input
                          : ErrorKind::environment;
    return {kind, path, std::string(action) + ": " + std::strerror(code), {}};
}

class Descriptor {
  public:
    explicit Descriptor(int fd) : fd_(fd) {}
    ~Descriptor() {
        if (fd_ > STDERR_FILENO)
            ::close(fd_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int get() const { return fd_; }

  private:
    int fd_;
};

bool write_all(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t n = ::write(fd, bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
}

} // namespace

Result<std::string> read_file(const std::string& path, std::size_t limit) {
    const Descriptor file(path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.get() < 0)
        return system_error(path, "cannot open");
    std::string bytes;
    char chunk[65536];
    for (;;) {
        const ssize_t n = ::read(file.get(), chunk, sizeof chunk);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return system_error(path, "cannot read");
        if (n == 0)
            return bytes;
        bytes.append(chunk, static_cast<std::size_t>(n));
        if (bytes.size() > limit)
            return bad_input(path, "is larger than " + std::to_string(limit) + " bytes");
    }
}

Result<void> write_file(const std::string& path, std::string_view bytes) {
    if (path == "-") {
        if (!write_all(STDOUT_FILENO, bytes))
            return system_error("standard output", "cannot write");
        return {};
    }
    std::string temporary = path + ".XXXXXX";
    const Descriptor file(::mkstemp(temporary.data()));
    if (file.get() < 0)
        return system_error(path, "cannot create a temporary file beside it");
    const mode_t mask = ::umask(0);
    ::umask(mask);
    if (!write_all(file.get(), bytes) || ::fchmod(file.get(), 0666 & ~mask) != 0 ||
        ::fsync(file.get()) != 0 || ::rename(temporary.c_str(), path.c_str()) != 0) {
        auto error = system_error(path, "cannot write");
        ::unlink(temporary.c_str());
        return error;
    }
    return {};
}

Result<void> make_folder(const std::string& path) {
    std::error_code code;
    std::filesystem::create_directories(path, code);
    if (code)
        return environment_error(path, "cannot create the folder: " + code.message());
    return {};
}

TemporaryFolder::TemporaryFolder(std::string path) : path_(std::move(path)) {}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}

TemporaryFolder& TemporaryFolder::operator=(TemporaryFolder&& other) noexcept {
    std::swap(path_, other.path_);
    return *this;
}

Result<TemporaryFolder> TemporaryFolder::make(std::string_view label) {
    std::error_code code;
    const auto root = std::filesystem::temp_directory_path(code);
    std::string path = (code ? std::string("/tmp") : root.string()) + "/" + std::string(label) + ".XXXXXX";
    if (!::mkdtemp(path.data()))
        return system_error(path, "cannot create a temporary folder");
    return TemporaryFolder(std::move(path));
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored; // a leftover in the temporary folder is not worth an error
    if (!path_.empty())
        std::filesystem::remove_all(path_, ignored);
}

} // namespace assay
