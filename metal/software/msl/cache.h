// Compiled things on disk: found again by digest, shared by concurrent processes, never trusted blindly.
#pragma once
#include "base/error.h"
#include "base/file.h"
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <sys/types.h>

namespace assay::msl {

/// A folder of entries. An entry is a folder of files that appears at once and never changes; its manifest
/// holds the digest of each file. A folder that cannot be written, or is full, costs the caching and nothing
/// else: entries then live in a temporary folder as long as the process. All functions may be called from any
/// thread.
class Cache {
  public:
    explicit Cache(std::string folder);
    /// A forked child leaves its parent's temporary folder alone.
    ~Cache();
    Cache(const Cache&) = delete;
    Cache& operator=(const Cache&) = delete;

    /// $ASSAY_CACHE_DIR, else metal-assay in $XDG_CACHE_HOME or ~/.cache.
    static std::string default_folder();

    /// The folder of the entry `key`, all its files verified. A damaged entry is removed and not found.
    std::optional<std::string> find(const std::string& key);

    /// A new empty folder in which to build an entry.
    Result<std::string> begin();

    /// Makes `work`, from begin(), the entry `key`, and says where it is now. When another process was
    /// faster, its entry is the one.
    Result<std::string> publish(const std::string& work, const std::string& key);

    /// Removes a folder from begin() that will not be published.
    void discard(const std::string& work);

    /// A one-line note that outlives the process, beside the entries; empty when there is none.
    std::string read_note(const std::string& name);
    void write_note(const std::string& name, const std::string& text);

    /// From now on this process builds in its temporary folder: the disk turned out to be full.
    void abandon();

  private:
    bool usable();
    Result<std::string> temporary_root();
    void prune();

    std::recursive_mutex mutex_;
    std::string root_;
    pid_t owner_;
    bool abandoned_ = false;
    bool pruned_ = false;
    std::optional<TemporaryFolder> temporary_;
    std::map<std::string, std::string> verified_; ///< key to folder
};

} // namespace assay::msl
