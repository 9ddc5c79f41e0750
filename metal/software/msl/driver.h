// From Metal source to loadable kernels: each step compiled once and kept in the cache.
#pragma once
#include "metal/software/msl/cache.h"
#include "metal/software/msl/compiler.h"
#include "metal/software/msl/rewriter.h"
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace assay::msl {

/// What the runtime contributes to every compilation.
struct Toolkit {
    std::vector<std::pair<std::string, std::string>> headers; ///< file name and contents
    std::string main_header;                                  ///< the one that includes all others
    std::vector<std::string> flags;
    std::string version; ///< changes with the interface between kernels and runtime
};

/// Options of one library that the compiler must know.
struct SourceOptions {
    std::map<std::string, std::string> macros;
    std::uint32_t metal_version = 320; ///< as __METAL_VERSION__: major * 100 + minor * 10
    bool fast_math = true;
};

/// Source that compiles.
struct CheckedSource {
    std::string source;
    Rewritten rewritten;
    SourceOptions options;
    std::string body_file; ///< the C++ text, where it stays as long as the process
    std::string body_key;
    std::string warnings; ///< as the user should see them; may be empty
};

/// A shared object that holds one kernel.
struct KernelFile {
    std::string path;
    bool uses_bfloat = false; ///< after optimisation, some value is a bfloat
};

/// Steps and cache keys. Thread-safe; two threads that want the same thing may both build it.
class Driver {
  public:
    /// `deadline` bounds each run of the compiler.
    Driver(Toolkit toolkit, std::string cache_folder,
           std::chrono::milliseconds deadline = std::chrono::seconds(20));

    /// Preprocesses, rewrites and checks. An error of the user's is bad_input: its message is what the
    /// compiler says, in the form "program_source:LINE:COLUMN: error: …".
    Result<CheckedSource> check(const std::string& source, const SourceOptions& options);

    /// Compiles the C++ text `entry`, which sees all of `source`, into a shared object.
    Result<KernelFile> compile(const CheckedSource& source, const std::string& entry);

  private:
    struct Step; ///< defined in driver.cpp
    std::string flags_key(const SourceOptions& options) const;
    std::vector<std::string> flags(const SourceOptions& options) const;
    Result<std::string> headers_folder();
    Result<std::string> standard_header(const SourceOptions& options);
    Result<std::string> preprocess(const std::string& source, const SourceOptions& options);
    Result<std::string> body_folder(const std::string& body, const std::string& key);
    Result<std::string> library_header(const CheckedSource& checked);
    Result<std::string> build(const std::string& key, const Step& step);

    Toolkit toolkit_;
    Cache cache_;
    Compiler compiler_;
    std::string base_key_; ///< compiler, processor and runtime
    std::string headers_key_;
};

} // namespace assay::msl
