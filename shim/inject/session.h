// What this process was told to do, and what came of it.
#pragma once
#include "shim/inject/hooks.h"
#include "shim/profile.h"
#include "shim/status.h"
#include <mutex>
#include <string>
#include <vector>

namespace assay::shim {

enum class InstallPoint { init, creation };

/// One per process, made when the library is loaded and never destroyed. Everything but the constructor wants
/// the lock.
class Session {
  public:
    static Session& get();

    std::mutex& lock() { return lock_; }

    /// Whether there is anything to do: a profile that nothing but a device can speak against.
    bool willing() const { return willing_; }
    const Profile& profile() const { return profile_; }
    const std::vector<Override>& overrides() const { return overrides_; }
    const std::vector<Override>& stock() const { return stock_; }
    /// What ASSAY_INSTALL_POINT forces.
    bool allows(InstallPoint point) const;
    bool forces(InstallPoint point) const;

    /// Says why answers stay stock: one line, the status file, and the end of the process if it was required.
    void refuse(const Refusal& refusal);
    /// Records that a device class has its overrides.
    void applied(const std::string& device_class, InstallPoint point);
    /// Takes that back.
    void withdrawn(const std::string& device_class);
    /// At the process's end: adds which overrides were consulted.
    void finish();

  private:
    Session();
    void start();
    void write() const;

    std::mutex lock_;
    bool willing_ = false;
    bool required_ = false;
    std::string install_point_;
    std::string status_path_;
    Profile profile_;
    std::vector<Override> overrides_;
    std::vector<Override> stock_;
    Status status_;
};

const char* install_point_name(InstallPoint point);

} // namespace assay::shim
