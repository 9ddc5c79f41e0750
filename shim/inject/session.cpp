// What this process was told to do, and what came of it.
#include "shim/inject/session.h"
#include "shim/inject/environment.h"

#include <cstdlib>
#include <unistd.h>

namespace assay::shim {

namespace {

/// The exit code of a process that was required to have its overrides and has not (see ErrorKind).
constexpr int kNotActive = 3;

std::vector<Override> resolve(const std::vector<KeyedAnswer>& answers) {
    std::vector<Override> out;
    for (const auto& [key, answer] : answers) {
        Override one{key, {}, answer};
        std::string why;
        if (resolve_override(key, one.target, why)) // the profile's reader has refused the rest
            out.push_back(std::move(one));
    }
    return out;
}

/// A refusal in one line, whatever was in the profile.
std::string one_line(std::string text) {
    for (char& c : text)
        if (static_cast<unsigned char>(c) < ' ')
            c = ' ';
    return text;
}

void say(const Refusal& refusal) {
    const auto line =
        "assay-shim: stock answers: " + refusal.reason + " (" + one_line(refusal.detail) + ")\n";
    // One write, so that lines of several processes do not mix; nothing can be done about a closed stderr.
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
}

} // namespace

const char* install_point_name(InstallPoint point) {
    return point == InstallPoint::init ? "init" : "creation";
}

Session& Session::get() {
    static auto* session = new Session;
    return *session;
}

Session::Session() { start(); }

void Session::start() {
    const auto profile_path = variable("ASSAY_PROFILE");
    if (!profile_path)
        return; // inserted, but not asked for anything
    required_ = variable("ASSAY_REQUIRE").value_or("") == "1";
    status_path_ = variable("ASSAY_STATUS").value_or("");
    install_point_ = variable("ASSAY_INSTALL_POINT").value_or("");
    status_.pid = ::getpid();
    status_.profile = *profile_path;
    if (!install_point_.empty() && install_point_ != "init" && install_point_ != "creation") {
        refuse({refusal::kBadOption, "ASSAY_INSTALL_POINT is neither init nor creation"});
        return;
    }
    auto profile = load_profile(*profile_path, variable("ASSAY_DRAFT").value_or("") == "1");
    if (!profile) {
        refuse(profile.error());
        return;
    }
    profile_ = std::move(*profile);
    overrides_ = resolve(profile_.overrides);
    stock_ = resolve(profile_.stock);
    set_answers(overrides_);
    willing_ = true;
    // Of all the processes of a tree the one that creates a device matters: others only say that they loaded.
    if (!status_path_.empty() && ::access(status_path_.c_str(), F_OK) != 0) {
        Status waiting = status_;
        waiting.reason = kNoDevice;
        waiting.detail = "no Metal device was created";
        [[maybe_unused]] const auto written = write_status(waiting, status_path_);
    }
}

bool Session::allows(InstallPoint point) const {
    return install_point_.empty() || install_point_ == install_point_name(point);
}

bool Session::forces(InstallPoint point) const { return install_point_ == install_point_name(point); }

void Session::refuse(const Refusal& refusal) {
    say(refusal);
    status_.pid = ::getpid();
    status_.reason = refusal.reason;
    status_.detail = refusal.detail;
    write();
    if (required_)
        ::_exit(kNotActive);
}

void Session::applied(const std::string& device_class, InstallPoint point) {
    status_.active = true;
    status_.pid = ::getpid();
    status_.install_point = install_point_name(point);
    std::vector<std::string> keys;
    for (const auto& one : overrides_)
        keys.push_back(one.key);
    status_.devices.push_back({device_class, std::move(keys)});
    write();
}

void Session::withdrawn(const std::string& device_class) {
    std::erase_if(status_.devices, [&](const auto& device) { return device.device_class == device_class; });
    status_.active = !status_.devices.empty();
}

void Session::finish() {
    // A forked child that created no device of its own must not speak for its parent.
    if (!status_.active || status_.pid != ::getpid())
        return;
    status_.consulted.clear();
    for (const auto& one : overrides_)
        if (was_consulted(one))
            status_.consulted.push_back(one.key);
    write();
}

void Session::write() const {
    if (!status_path_.empty())
        // A status that cannot be written must not harm the program; who needs it sees that it is missing.
        [[maybe_unused]]
        const auto written = write_status(status_, status_path_);
}

} // namespace assay::shim
