// Reading and writing whole files: bounded, and never half-written.
#pragma once
#include "base/error.h"
#include <cstddef>
#include <string>
#include <string_view>

namespace assay {

/// Largest input file any reader accepts, in bytes.
inline constexpr std::size_t kMaxInputBytes = 64u << 20;

/// The file's bytes; "-" is standard input. An error names the path and says why; larger than `limit` is an
/// error.
Result<std::string> read_file(const std::string& path, std::size_t limit = kMaxInputBytes);

/// Writes to a temporary file beside `path`, then renames: readers see the old bytes or the new ones.
/// "-" is standard output.
Result<void> write_file(const std::string& path, std::string_view bytes);

/// Creates a folder and its parents. An existing folder is fine.
Result<void> make_folder(const std::string& path);

/// A new empty folder under the system's temporary folder, removed with all it holds by the destructor.
class TemporaryFolder {
  public:
    static Result<TemporaryFolder> make(std::string_view label);
    TemporaryFolder(TemporaryFolder&& other) noexcept;
    TemporaryFolder& operator=(TemporaryFolder&& other) noexcept;
    ~TemporaryFolder();
    const std::string& path() const { return path_; }

  private:
    explicit TemporaryFolder(std::string path);
    std::string path_;
};

} // namespace assay
