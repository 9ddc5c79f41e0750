// The runtime that the compiler half compiles for and loads kernels into.
#include "metal/software/msl/software_runtime.h"

#include "embedded/msl_headers.h"
#include "metal/software/msl/executor.h"
#include <algorithm>
#include <cstring>
#include <dlfcn.h>

namespace assay::msl {

namespace {

template <class Function>
Function* find(void* handle, const char* name) {
    return reinterpret_cast<Function*>(::dlsym(handle, name));
}

} // namespace

Toolkit software_toolkit() {
    namespace text = embedded::msl_headers;
    Toolkit kit;
    const std::pair<const char*, std::string_view> files[] = {
        {"abi.h", text::abi_h},
        {"scalar.h", text::scalar_h},
        {"swizzle.h", text::swizzle_h},
        {"vector.h", text::vector_h},
        {"matrix.h", text::matrix_h},
        {"math.h", text::math_h},
        {"sync.h", text::sync_h},
        {"simd.h", text::simd_h},
        {"atomic.h", text::atomic_h},
        {"entry.h", text::entry_h},
        {"assay_msl.h", text::assay_msl_h},
        {"simdgroup_matrix.h", text::simdgroup_matrix_h}};
    for (const auto& [name, contents] : files)
        kit.headers.emplace_back(name, std::string(contents));
    kit.main_header = "assay_msl.h";
    // No red zone: fibers switch inside functions. Vectors may lie anywhere in a buffer. half rounds after
    // each step.
    kit.flags = {"-std=c++20",
                 "-O2",
                 "-march=native",
                 "-fPIC",
                 "-fdeclspec",
                 "-fno-exceptions",
                 "-fno-rtti",
                 "-fno-math-errno",
                 "-fno-trapping-math",
                 "-ffp-contract=fast",
                 "-fno-strict-aliasing",
                 "-fno-threadsafe-statics",
                 "-fvisibility=hidden",
                 "-fno-stack-protector",
                 "-mno-red-zone",
                 "-fmax-type-align=1",
                 "-Xclang",
                 "-ffloat16-excess-precision=none"};
    kit.version = "abi " + std::to_string(ASSAY_MSL_ABI_VERSION);
    return kit;
}

Result<void> SoftwareRuntime::attach(void* handle) const {
    auto* const attach = find<void(const assay_runtime*)>(handle, "assay_attach");
    if (!attach)
        return internal_error("kernel", "the compiled kernel cannot be attached to the runtime");
    attach(&kernel_runtime());
    return {};
}

void* SoftwareRuntime::entry(void* handle) const { return ::dlsym(handle, "assay_entry"); }

std::uint32_t SoftwareRuntime::static_threadgroup_bytes(void* handle) const {
    auto* const bytes = find<std::uint32_t()>(handle, "assay_static_threadgroup_bytes");
    return bytes ? bytes() : 0;
}

std::vector<FeatureUse> SoftwareRuntime::used_features(void* handle) const {
    std::vector<FeatureUse> uses;
    auto* const features = find<void(const char**, const char**)>(handle, "assay_feature_records");
    if (!features)
        return uses;
    const char* end = nullptr;
    const char* record = nullptr;
    for (features(&record, &end); record < end; record += std::strlen(record) + 1) {
        const std::string_view line(record);
        if (const auto space = line.find(' '); space != std::string_view::npos) {
            FeatureUse use{std::string(line.substr(0, space)), std::string(line.substr(space + 1))};
            if (std::find(uses.begin(), uses.end(), use) == uses.end())
                uses.push_back(std::move(use));
        }
    }
    return uses;
}

} // namespace assay::msl
