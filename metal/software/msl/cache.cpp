// Compiled things on disk: found again by digest, shared by concurrent processes, never trusted blindly.
#include "metal/software/msl/cache.h"

#include "base/platform.h"
#include "base/text.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace assay::msl {

namespace fs = std::filesystem;

namespace {

constexpr const char* kManifest = "manifest";
constexpr std::uintmax_t kMinFreeBytes = 64u << 20;
/// Beyond this the least recently used entries go, until half of it is left.
constexpr std::uintmax_t kMaxCacheBytes = std::uintmax_t{2} << 30;
constexpr std::size_t kMaxFileBytes = 512u << 20;

/// One line per file, "digest name", sorted by name; nullopt when a file cannot be read.
std::optional<std::string> manifest_of(const std::string& folder) {
    std::error_code code;
    std::vector<std::string> names;
    for (fs::directory_iterator it(folder, code), end; !code && it != end; it.increment(code))
        if (it->path().filename() != kManifest)
            names.push_back(it->path().filename());
    std::sort(names.begin(), names.end());
    std::string text;
    for (const auto& name : names) {
        const auto bytes = read_file(folder + "/" + name, kMaxFileBytes);
        if (!bytes)
            return {};
        text += sha256_hex(*bytes) + " " + name + "\n";
    }
    return code || text.empty() ? std::nullopt : std::optional(text);
}

bool is_intact(const std::string& folder) {
    const auto stored = read_file(folder + "/" + kManifest);
    return stored && manifest_of(folder) == *stored;
}

void remove_tree(const std::string& path) {
    std::error_code ignored; // a leftover is removed by a later prune
    fs::remove_all(path, ignored);
}

/// Moves an entry out of the way first: nobody may see it half removed.
void retire(const std::string& root, const std::string& folder) {
    std::string aside = root + "/work-XXXXXX";
    if (::mkdtemp(aside.data()) && ::rename(folder.c_str(), (aside + "/retired").c_str()) == 0)
        remove_tree(aside);
}

void touch(const std::string& path) { ::utimensat(AT_FDCWD, path.c_str(), nullptr, 0); }

struct Usage {
    fs::path path;
    fs::file_time_type used;
    std::uintmax_t bytes = 0;
};

Usage measure(const fs::directory_entry& entry) {
    std::error_code code;
    Usage usage{entry.path(), entry.last_write_time(code), 0};
    for (fs::directory_iterator it(entry.path(), code), end; !code && it != end; it.increment(code)) {
        std::error_code size_code;
        const auto bytes = it->file_size(size_code);
        usage.bytes += size_code ? 0 : bytes;
    }
    return usage;
}

} // namespace

Cache::Cache(std::string folder) : root_(std::move(folder)), owner_(::getpid()) {}

Cache::~Cache() {
    if (temporary_ && ::getpid() != owner_)
        static_cast<void>(
            new TemporaryFolder(std::move(*temporary_))); // never destroyed, hence never removed
}

std::string Cache::default_folder() {
    const auto variable = [](const char* name) -> std::string {
        const char* value = std::getenv(name);
        return value ? value : "";
    };
    if (const auto own = variable("ASSAY_CACHE_DIR"); !own.empty())
        return own;
    if (const auto xdg = variable("XDG_CACHE_HOME"); !xdg.empty())
        return xdg + "/metal-assay";
    const auto home = variable("HOME");
    return home.empty() ? "" : home + "/.cache/metal-assay";
}

bool Cache::usable() {
    if (abandoned_ || root_.empty() || !make_folder(root_))
        return false;
    struct statvfs space {};
    return ::access(root_.c_str(), W_OK) == 0 && ::statvfs(root_.c_str(), &space) == 0 &&
           static_cast<std::uintmax_t>(space.f_bavail) * space.f_frsize >= kMinFreeBytes;
}

Result<std::string> Cache::temporary_root() {
    if (!temporary_) {
        auto made = TemporaryFolder::make("metal-assay");
        if (!made)
            return made.error();
        temporary_ = std::move(*made);
    }
    return temporary_->path();
}

std::optional<std::string> Cache::find(const std::string& key) {
    const std::lock_guard lock(mutex_);
    if (const auto known = verified_.find(key); known != verified_.end())
        return known->second;
    if (root_.empty())
        return {};
    const std::string folder = root_ + "/" + key;
    if (!fs::exists(folder))
        return {};
    if (!is_intact(folder)) {
        retire(root_, folder);
        return {};
    }
    touch(folder);
    verified_[key] = folder;
    return folder;
}

Result<std::string> Cache::begin() {
    const std::lock_guard lock(mutex_);
    if (usable()) {
        std::string work = root_ + "/work-XXXXXX";
        if (::mkdtemp(work.data()))
            return work;
    }
    const auto root = temporary_root();
    if (!root)
        return root.error();
    std::string work = *root + "/work-XXXXXX";
    if (!::mkdtemp(work.data()))
        return environment_error(*root, std::string("cannot create a folder: ") + std::strerror(errno));
    return work;
}

Result<std::string> Cache::publish(const std::string& work, const std::string& key) {
    const std::lock_guard lock(mutex_);
    const auto manifest = manifest_of(work);
    if (!manifest)
        return environment_error(work, "cannot be read back", "free some space on this disk");
    const std::string parent = fs::path(work).parent_path();
    const std::string folder = parent + "/" + key;
    const bool complete = static_cast<bool>(write_file(work + "/" + kManifest, *manifest));
    for (int attempt = 0; complete && attempt < 2; ++attempt) {
        if (::rename(work.c_str(), folder.c_str()) == 0)
            return verified_[key] = folder;
        if (is_intact(folder)) {
            remove_tree(work);
            return verified_[key] = folder;
        }
        retire(parent, folder);
    }
    // Not publishable, yet what was built is good for this process.
    return verified_[key] = work;
}

void Cache::discard(const std::string& work) { remove_tree(work); }

std::string Cache::read_note(const std::string& name) {
    const auto text = root_.empty() ? Result<std::string>("") : read_file(root_ + "/" + name);
    return text ? std::string(trim(*text)) : "";
}

void Cache::write_note(const std::string& name, const std::string& text) {
    const std::lock_guard lock(mutex_);
    if (usable() && read_note(name) != text)
        static_cast<void>(write_file(root_ + "/" + name, text + "\n"));
    prune();
}

void Cache::abandon() {
    const std::lock_guard lock(mutex_);
    abandoned_ = true;
}

void Cache::prune() {
    if (std::exchange(pruned_, true) || !usable())
        return;
    std::error_code code;
    std::vector<Usage> entries;
    std::uintmax_t total = 0;
    const auto day_ago = fs::file_time_type::clock::now() - std::chrono::hours(24);
    for (fs::directory_iterator it(root_, code), end; !code && it != end; it.increment(code)) {
        std::error_code kind_code;
        if (!it->is_directory(kind_code))
            continue;
        Usage usage = measure(*it);
        if (usage.path.filename().string().rfind("work-", 0) == 0) {
            if (usage.used < day_ago)
                remove_tree(usage.path); // left behind by a process that died
            continue;
        }
        total += usage.bytes;
        entries.push_back(std::move(usage));
    }
    if (total <= kMaxCacheBytes)
        return;
    std::sort(entries.begin(), entries.end(), [](const Usage& a, const Usage& b) { return a.used < b.used; });
    for (const Usage& entry : entries) {
        if (total <= kMaxCacheBytes / 2)
            break;
        retire(root_, entry.path);
        total -= entry.bytes;
    }
}

} // namespace assay::msl
