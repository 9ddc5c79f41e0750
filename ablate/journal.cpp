// The run record: JSON lines, append-only, synchronised.
#include "ablate/journal.h"
#include "base/file.h"
#include "base/platform.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#include <utility>

namespace assay::ablate {

namespace {

std::string reason() { return std::strerror(errno); }

} // namespace

Journal::Journal(Journal&& other) noexcept
    : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)), bytes_(std::move(other.bytes_)),
      past_(std::move(other.past_)) {}

Journal& Journal::operator=(Journal&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(fd_, other.fd_);
    std::swap(bytes_, other.bytes_);
    std::swap(past_, other.past_);
    return *this;
}

Journal::~Journal() {
    if (fd_ >= 0)
        ::close(fd_);
}

Result<Journal> Journal::open(const std::string& path, int flags) {
    Journal out;
    out.path_ = path;
    out.fd_ = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | flags, 0644);
    if (out.fd_ < 0 && errno == EEXIST)
        return bad_input(path, "there is a run record here already",
                         "--resume continues it; another folder starts anew");
    if (out.fd_ < 0 && errno == ENOENT && (flags & O_CREAT) == 0)
        return bad_input(path, "there is no run record to resume", "leave out --resume to start one");
    if (out.fd_ < 0)
        return environment_error(path, "cannot be opened: " + reason(),
                                 "choose a folder that can be written");
    if (::flock(out.fd_, LOCK_EX | LOCK_NB) != 0)
        return environment_error(path, "another assay ablate is writing this run record",
                                 "wait for it, or choose another folder");
    return out;
}

Result<Journal> Journal::create(const std::string& path) { return open(path, O_CREAT | O_EXCL); }

Result<Journal> Journal::resume(const std::string& path) {
    auto journal = open(path, 0);
    if (!journal)
        return journal;
    auto text = read_file(path);
    if (!text)
        return text.error();
    const std::size_t whole = text->rfind('\n') == std::string::npos ? 0 : text->rfind('\n') + 1;
    if (whole != text->size()) {
        text->resize(whole);
        if (::ftruncate(journal->fd_, static_cast<off_t>(whole)) != 0)
            return environment_error(path, "cannot be cut to its last whole line: " + reason());
    }
    std::size_t number = 0;
    for (std::size_t begin = 0; begin < text->size();) {
        const std::size_t end = text->find('\n', begin);
        const std::string where = path + ":" + std::to_string(++number);
        auto value = parse_json(std::string_view(*text).substr(begin, end - begin), where);
        if (!value)
            return value.error();
        if (!value->is_object())
            return bad_input(where, "an event must be an object");
        if (const auto* schema = value->get_object().if_contains("schema");
            number == 1 && (schema == nullptr || *schema != json::value(kRunSchema)))
            return bad_input(where, "this is not a run record: \"schema\" must be \"" +
                                        std::string(kRunSchema) + "\"");
        journal->past_.push_back(std::move(value->get_object()));
        begin = end + 1;
    }
    journal->bytes_ = std::move(*text);
    return journal;
}

Result<void> Journal::append(const json::object& event) {
    const std::string line = write_json_line(event) + '\n';
    std::string_view left = line;
    while (!left.empty()) {
        const ssize_t n = ::write(fd_, left.data(), left.size());
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            const std::string why = reason();
            // Half a line would look like the work of a killed writer; whole lines only. If this fails as
            // well, resume() cuts it off.
            (void)!::ftruncate(fd_, static_cast<off_t>(bytes_.size()));
            return environment_error(path_, "the run record cannot be written: " + why,
                                     "make room, then --resume");
        }
        left.remove_prefix(static_cast<std::size_t>(n));
    }
    if (!sync_to_disk(fd_))
        return environment_error(path_, "the run record cannot be forced onto the medium: " + reason(),
                                 "see that the disk is healthy, then --resume");
    bytes_ += line;
    return {};
}

std::string Journal::digest() const { return "sha256:" + sha256_hex(bytes_); }

} // namespace assay::ablate
