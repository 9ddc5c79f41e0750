// A thin layer over Metal for kernels: every nil, error and exception becomes a failure at its rung.
#pragma once
#include "kernels/plan.h"
#include "kernels/result.h"
#include "kernels/timing.h"
#include "metal/framework.h"
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace assay {

/// What failed on the way up the ladder.
struct GpuFailure {
    Rung rung = Rung::runs;
    std::string detail;
};

[[noreturn]] void throw_exception_from_error(const GpuFailure& failure,
                                             const boost::source_location& location);

template <class T>
using GpuResult = boost::system::result<T, GpuFailure>;

/// A compiled function, ready to be dispatched.
struct Pipeline {
    metal::Object state;
    std::size_t simd_width = 0;  ///< threadExecutionWidth
    std::size_t max_threads = 0; ///< maxTotalThreadsPerThreadgroup
};

/// The default device with a command queue. Use it in a worker: what aborts or hangs takes the process along.
class Gpu {
  public:
    /// Loads Metal and opens the default device.
    static Result<Gpu> open();

    const metal::Framework& framework() const { return *framework_; }
    id device() const { return device_.get(); }
    std::string device_name() const;
    /// The device's live answers; the system's identity comes with them.
    Answers answers() const;

    /// Compiles source with macros defined. The compiler's message is in the failure.
    GpuResult<metal::Object> compile(const std::string& source,
                                     const std::vector<std::pair<std::string, std::string>>& macros) const;
    /// Specialises a function and makes its pipeline.
    GpuResult<Pipeline> pipeline(id library, const std::string& function,
                                 const std::vector<FunctionConstant>& constants) const;
    /// A shared buffer of `length` bytes, at least 1.
    GpuResult<metal::Object> buffer(std::size_t length) const;
    /// The bytes of a shared buffer.
    static GpuResult<std::byte*> contents(id buffer);

    /// A committed residency set that holds `buffers`.
    GpuResult<metal::Object> residency_set(const std::vector<id>& buffers) const;

    /// What one dispatch is made of.
    struct Dispatch {
        id pipeline = nullptr;
        std::vector<std::pair<id, const Bytes*>> arguments; ///< a buffer, or bytes to set inline
        std::size_t threadgroup_bytes = 0;
        Grid grid;
        id residency_set = nullptr;
    };
    /// Encodes, commits and waits for the end. There is no deadline in here: only ending the process helps
    /// against a command buffer that never completes, and that is the driver's to do.
    GpuResult<RunTime> run(const Dispatch& dispatch) const;

  private:
    Gpu() = default;
    const metal::Framework* framework_ = nullptr;
    metal::Object device_;
    metal::Object queue_;
    Os os_;
};

} // namespace assay
