// Metal libraries and compute pipelines, as the Objective-C classes use them.
#include "metal/software/msl/library.h"

#include "base/text.h"
#include <dlfcn.h>

namespace assay::msl {

namespace {

constexpr std::uint32_t kDefaultMetalVersion = 320;

/// 3.1 is (3 << 16) + 1 for MTLLanguageVersion and 310 for __METAL_VERSION__.
std::uint32_t metal_version(std::uint32_t language_version) {
    return language_version == 0 ? kDefaultMetalVersion
                                 : (language_version >> 16) * 100 + (language_version & 0xffff) * 10;
}

} // namespace

Driver& Runtime::driver() const {
    const std::lock_guard lock(mutex_);
    if (!driver_)
        driver_ = std::make_unique<Driver>(toolkit_, cache_folder_);
    return *driver_;
}

Result<std::shared_ptr<Library>> Library::make(std::string source, const CompileOptions& options,
                                               std::shared_ptr<const Runtime> runtime) {
    SourceOptions wanted;
    wanted.macros = options.macros;
    wanted.metal_version = metal_version(options.language_version);
    wanted.fast_math = options.fast_math;
    auto checked = runtime->driver().check(source, wanted);
    if (!checked)
        return checked.error();
    return std::shared_ptr<Library>(new Library(std::move(*checked), std::move(runtime)));
}

std::vector<std::string> Library::function_names() const {
    std::vector<std::string> names;
    for (const auto& entry : source_.rewritten.entries)
        names.push_back(entry.name);
    return names;
}

const EntryPoint* Library::find(const std::string& function) const {
    for (const auto& entry : source_.rewritten.entries)
        if (entry.name == function)
            return &entry;
    return nullptr;
}

void Pipeline::Unload::operator()(void* handle) const { ::dlclose(handle); }

Result<std::shared_ptr<Pipeline>> Pipeline::make(std::shared_ptr<const Library> library,
                                                 const std::string& function,
                                                 const std::vector<Constant>& constants) {
    const EntryPoint* entry = library->find(function);
    if (!entry) {
        const auto names = library->function_names();
        return bad_input(function, "is not a function of this library" +
                                       did_you_mean(function, {names.begin(), names.end()}));
    }
    const auto text = entry_source(library->source().rewritten, *entry, constants);
    if (!text)
        return text.error();
    const Runtime& runtime = *library->runtime();
    const auto kernel = runtime.driver().compile(library->source(), *text);
    if (!kernel)
        return kernel.error();
    std::shared_ptr<Pipeline> pipeline(new Pipeline);
    pipeline->handle_.reset(::dlopen(kernel->path.c_str(), RTLD_NOW | RTLD_LOCAL));
    if (!pipeline->handle_)
        return internal_error(function, std::string("the compiled kernel cannot be loaded: ") + ::dlerror());
    void* handle = pipeline->handle_.get();
    if (const auto attached = runtime.attach(handle); !attached)
        return attached.error();
    pipeline->entry_ = runtime.entry(handle);
    if (!pipeline->entry_)
        return internal_error(function, "the compiled kernel has no entry");
    const Kernel& declared = library->kernel_of(*entry);
    pipeline->max_total_threads_ = declared.max_total_threads.value_or(pipeline->max_total_threads_);
    pipeline->static_threadgroup_bytes_ = runtime.static_threadgroup_bytes(handle);
    pipeline->arguments_ = declared.arguments;
    pipeline->features_ = runtime.used_features(handle);
    if (kernel->uses_bfloat)
        pipeline->features_.push_back({"bfloat16"});
    return pipeline;
}

} // namespace assay::msl
