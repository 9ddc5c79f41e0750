// The run record (assay.run/1): JSON lines, append-only, on the medium before the GPU is touched.
#pragma once
#include "base/json.h"
#include <string>
#include <string_view>
#include <vector>

namespace assay::ablate {

inline constexpr std::string_view kRunSchema = "assay.run/1";

/// One run's journal, open for appending and locked against a second writer.
class Journal {
  public:
    /// Starts a new record. An existing file is an error: records are never overwritten.
    static Result<Journal> create(const std::string& path);
    /// Continues a record. What a killed writer left of its last line is cut off; any other line that is not
    /// a JSON object, and a first line without the right schema, are errors.
    static Result<Journal> resume(const std::string& path);

    Journal(Journal&& other) noexcept;
    Journal& operator=(Journal&& other) noexcept;
    ~Journal();

    /// Appends one line and forces it onto the medium. On failure (disk full) the file ends with the previous
    /// line and the error names it.
    Result<void> append(const json::object& event);

    /// The events found by resume().
    const std::vector<json::object>& past() const { return past_; }
    /// "sha256:" and the digest of every byte so far.
    std::string digest() const;
    const std::string& path() const { return path_; }

  private:
    Journal() = default;
    static Result<Journal> open(const std::string& path, int flags);
    std::string path_;
    int fd_ = -1;
    std::string bytes_;
    std::vector<json::object> past_;
};

} // namespace assay::ablate
