// The C++ compiler as a child process with bounded time, memory and output.
#pragma once
#include "base/error.h"
#include <chrono>
#include <string>
#include <vector>

namespace assay::msl {

/// What one run of the compiler came to.
struct Compilation {
    bool ok = false;
    bool timed_out = false;
    std::string diagnostics; ///< everything it wrote
};

/// clang-19, which is never loaded into this process: hostile source can crash it.
class Compiler {
  public:
    /// $ASSAY_CLANG, else clang++-19 in PATH. `deadline` is the wall-clock limit of one run.
    static Compiler locate(std::chrono::milliseconds deadline);

    bool available() const { return !path_.empty(); }
    /// Changes whenever the compiler does: its resolved path, size and time of change.
    const std::string& identity() const { return identity_; }

    /// Runs it inside `folder`. An error means that it could not be started; a rejected or killed compilation
    /// is a result.
    Result<Compilation> run(const std::vector<std::string>& arguments, const std::string& folder) const;

  private:
    std::string path_;
    std::string identity_;
    std::chrono::milliseconds deadline_{};
};

} // namespace assay::msl
