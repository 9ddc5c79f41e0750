// Metal libraries and compute pipelines, as the Objective-C classes use them.
#pragma once
#include "metal/software/msl/entry_source.h"
#include "metal/software/msl/runtime.h"
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace assay::msl {

/// MTLCompileOptions.
struct CompileOptions {
    std::map<std::string, std::string> macros;
    std::uint32_t language_version = 0; ///< MTLLanguageVersion: major << 16 | minor; 0 is 3.2
    bool fast_math = true;
};

/// Source that compiles. Immutable; usable from any thread.
class Library {
  public:
    /// An error of the source is bad_input: its message is the compiler's full text, in Metal's form
    /// ("program_source:LINE:COLUMN: error: …").
    static Result<std::shared_ptr<Library>> make(std::string source, const CompileOptions& options,
                                                 std::shared_ptr<const Runtime> runtime);

    /// In the order of the source.
    std::vector<std::string> function_names() const;
    /// The compiler's warnings, in the form of its errors; empty when there are none.
    const std::string& warnings() const { return source_.warnings; }
    /// The constants that functions of this library may be specialised with.
    const std::vector<FunctionConstant>& function_constants() const { return source_.rewritten.constants; }
    /// Null when there is no such function.
    const EntryPoint* find(const std::string& function) const;
    const Kernel& kernel_of(const EntryPoint& entry) const {
        return source_.rewritten.kernels.at(entry.kernel);
    }

    const CheckedSource& source() const { return source_; }
    const std::shared_ptr<const Runtime>& runtime() const { return runtime_; }

  private:
    Library(CheckedSource source, std::shared_ptr<const Runtime> runtime)
        : source_(std::move(source)), runtime_(std::move(runtime)) {}
    CheckedSource source_;
    std::shared_ptr<const Runtime> runtime_;
};

/// One kernel, compiled for these constants and loaded. Immutable; usable from any thread.
class Pipeline {
  public:
    /// bad_input: no such function, constants that do not fit, or an error that shows only when the kernel is
    /// instantiated (in the compiler's words).
    static Result<std::shared_ptr<Pipeline>> make(std::shared_ptr<const Library> library,
                                                  const std::string& function,
                                                  const std::vector<Constant>& constants);

    /// [[max_total_threads_per_threadgroup(n)]], or 1024.
    std::uint32_t max_total_threads() const { return max_total_threads_; }
    std::uint32_t static_threadgroup_bytes() const { return static_threadgroup_bytes_; }
    /// What the kernel uses, each feature once.
    const std::vector<FeatureUse>& features() const { return features_; }
    /// The parameters in order, with their buffer and threadgroup memory indices.
    const std::vector<Argument>& arguments() const { return arguments_; }
    /// The function the runtime's executor runs.
    void* entry() const { return entry_; }

  private:
    struct Unload {
        void operator()(void* handle) const;
    };
    Pipeline() = default;
    std::unique_ptr<void, Unload> handle_;
    void* entry_ = nullptr;
    std::uint32_t max_total_threads_ = 1024;
    std::uint32_t static_threadgroup_bytes_ = 0;
    std::vector<FeatureUse> features_;
    std::vector<Argument> arguments_;
};

} // namespace assay::msl
