// From Metal source to loadable kernels: each step compiled once and kept in the cache.
#include "metal/software/msl/driver.h"

#include "base/platform.h"
#include "base/text.h"
#include "metal/software/msl/diagnostics.h"
#include "metal/software/msl/token_list.h"
#include <filesystem>
#include <fstream>
#include <functional>

namespace assay::msl {

namespace {

/// What the preprocessor finds for `#include <metal_…>`: nothing, because the compiler has the real header
/// already. Every other file is out of reach.
constexpr std::string_view kStandardIncludes[] = {"metal_array",
                                                  "metal_atomic",
                                                  "metal_common",
                                                  "metal_compute",
                                                  "metal_config",
                                                  "metal_geometric",
                                                  "metal_graphics",
                                                  "metal_integer",
                                                  "metal_limits",
                                                  "metal_logging",
                                                  "metal_math",
                                                  "metal_matrix",
                                                  "metal_pack",
                                                  "metal_quadgroup",
                                                  "metal_relational",
                                                  "metal_simdgroup",
                                                  "metal_stdlib",
                                                  "metal_texture",
                                                  "metal_types",
                                                  "metal_type_traits",
                                                  "metal_uniform",
                                                  "metal_extended_vector",
                                                  "metal_simdgroup_matrix",
                                                  "metal_numeric",
                                                  "metal_assert"};

/// Bounds for hostile source; the wall clock and the process's limits bound the rest.
const std::vector<std::string> kBounds = {"-ferror-limit=20",      "-ftemplate-depth=512",
                                          "-fconstexpr-depth=512", "-fconstexpr-steps=20000000",
                                          "-fbracket-depth=256",   "-ftemplate-backtrace-limit=4"};

/// Messages: plain, and none that only the rewriting provokes.
const std::vector<std::string> kMessages = {"-fno-color-diagnostics",
                                            "-fno-caret-diagnostics",
                                            "-fno-spell-checking",
                                            "-Wno-pragma-once-outside-header",
                                            "-Wno-duplicate-decl-specifier",
                                            "-Wno-unknown-pragmas",
                                            "-Wno-unknown-attributes",
                                            "-Wno-ignored-attributes",
                                            "-Wno-undefined-internal",
                                            "-Wno-undefined-inline",
                                            "-Wno-gnu",
                                            "-Wno-c99-extensions",
                                            "-Wno-vla-cxx-extension",
                                            "-Wno-pass-failed",
                                            "-Wno-psabi"};

std::string digest(std::initializer_list<std::string_view> parts) {
    std::string text;
    for (const auto part : parts)
        text.append(std::to_string(part.size())).append(":").append(part);
    return sha256_hex(text);
}

/// Model and instruction sets of this processor: kernels are compiled for it alone.
std::string processor() {
    std::ifstream in("/proc/cpuinfo");
    std::string out;
    for (std::string line; std::getline(in, line) && !line.empty();)
        if (line.rfind("model name", 0) == 0 || line.rfind("flags", 0) == 0)
            out += line + "\n";
    return out;
}

void append(std::vector<std::string>& list, const std::vector<std::string>& more) {
    list.insert(list.end(), more.begin(), more.end());
}

/// Paths the preprocessor read, from its dependency file "x: a b \\\n c".
std::vector<std::string> read_dependencies(const std::string& text) {
    std::vector<std::string> out;
    const auto colon = text.find(": ");
    std::string path;
    const auto flush = [&] {
        if (!path.empty())
            out.push_back(std::exchange(path, {}));
    };
    for (std::size_t k = colon == std::string::npos ? text.size() : colon + 2; k < text.size(); ++k) {
        if (text[k] == '\\' && k + 1 < text.size() && text[k + 1] == '\n')
            ++k;
        else if (text[k] == '\\' && k + 1 < text.size())
            path += text[++k];
        else if (text[k] == ' ' || text[k] == '\n')
            flush();
        else
            path += text[k];
    }
    flush();
    return out;
}

/// The message for a file that exists on this machine but not for a Metal program.
std::string not_found(const std::string& source, const std::string& path) {
    const auto lines = split(source, '\n');
    const std::string name = path.substr(path.rfind('/') + 1);
    std::size_t line = 1;
    for (std::size_t k = 0; k < lines.size(); ++k)
        if (lines[k].find(name) != std::string_view::npos && lines[k].find('#') != std::string_view::npos) {
            line = k + 1;
            break;
        }
    return diagnostic(line, 1, "fatal error", "'" + path + "' file not found");
}

/// Inline assembly would reach past everything that makes a kernel a kernel (".incbin" reads host files).
std::string find_assembly(const Rewritten& rewritten) {
    const TokenList tokens(rewritten.body);
    for (std::size_t i = 0; i < tokens.size(); ++i)
        if (is_one_of(tokens[i].text, {"asm", "__asm", "__asm__"}))
            return diagnostic(tokens.line(i), 1, "error", "inline assembly is not available on this device");
    return "";
}

std::string outcome(const Compilation& done, std::string text) {
    if (done.timed_out)
        return text + "program_source: error: the compiler took too long and was stopped\n";
    return text.empty() ? "program_source: error: the compiler ended abnormally\n" : text;
}

/// Whether the type `bfloat` occurs in LLVM's textual form; a function may have the word in its name.
bool has_bfloat_type(std::string_view ir) {
    constexpr std::string_view kType = "bfloat";
    for (std::size_t at = ir.find(kType); at != std::string_view::npos; at = ir.find(kType, at + 1)) {
        const char before = at > 0 ? ir[at - 1] : ' ';
        const char after = at + kType.size() < ir.size() ? ir[at + kType.size()] : ' ';
        if (std::string_view(" (<").find(before) != std::string_view::npos &&
            std::string_view(" ,>)\n").find(after) != std::string_view::npos)
            return true;
    }
    return false;
}

bool disk_is_full(const Compilation& done) {
    return done.diagnostics.find("No space left on device") != std::string::npos ||
           done.diagnostics.find("Disk quota exceeded") != std::string::npos;
}

} // namespace

/// Fills the folder of a new entry.
struct Driver::Step {
    std::function<Result<Compilation>(const std::string& folder)> run;
    std::function<std::string(const std::string& messages)> explain = [](const std::string& m) { return m; };
};

Driver::Driver(Toolkit toolkit, std::string cache_folder, std::chrono::milliseconds deadline)
    : toolkit_(std::move(toolkit)), cache_(std::move(cache_folder)), compiler_(Compiler::locate(deadline)) {
    // Without a compiler everything that is in the cache still works.
    const std::string identity = compiler_.available() ? compiler_.identity() : cache_.read_note("compiler");
    if (compiler_.available())
        cache_.write_note("compiler", identity);
    std::string contents;
    for (const auto& [name, text] : toolkit_.headers)
        contents += digest({name, text});
    headers_key_ = digest({"headers", contents});
    base_key_ = digest({identity, processor(), toolkit_.version, join(toolkit_.flags, " "),
                        join(kBounds, " "), join(kMessages, " "), headers_key_});
}

/// Finds the entry `key` or builds it. A compilation that fails is bad_input with the messages as they should
/// be read; a disk that fills up is tried once more elsewhere.
Result<std::string> Driver::build(const std::string& key, const Step& step) {
    if (const auto found = cache_.find(key))
        return *found;
    for (bool last = false;; last = true) {
        const auto work = cache_.begin();
        if (!work)
            return work.error();
        const auto done = step.run(*work);
        if (done && done->ok)
            return cache_.publish(*work, key);
        cache_.discard(*work);
        if (!done)
            return done.error();
        if (last || !disk_is_full(*done))
            return bad_input("", outcome(*done, step.explain(done->diagnostics)));
        cache_.abandon();
    }
}

std::vector<std::string> Driver::flags(const SourceOptions& options) const {
    std::vector<std::string> out = toolkit_.flags;
    append(out, kBounds);
    append(out, kMessages);
    append(out, {"-Xclang", "-fno-pch-timestamp"});
    if (options.fast_math)
        // Infinities stay: softmax kernels start from -INFINITY, and on the hardware that works.
        append(out, {"-ffast-math", "-fno-finite-math-only"});
    return out;
}

std::string Driver::flags_key(const SourceOptions& options) const {
    return digest({base_key_, options.fast_math ? "fast" : "strict"});
}

Result<std::string> Driver::headers_folder() {
    Step step;
    step.run = [&](const std::string& folder) -> Result<Compilation> {
        for (const auto& [name, text] : toolkit_.headers)
            if (const auto done = write_file(folder + "/" + name, text); !done)
                return done.error();
        return Compilation{true, false, ""};
    };
    return build(headers_key_, step);
}

/// The runtime's header, precompiled: most of what a small kernel would cost.
Result<std::string> Driver::standard_header(const SourceOptions& options) {
    const auto headers = headers_folder();
    if (!headers)
        return headers.error();
    Step step;
    step.run = [&](const std::string& folder) {
        auto arguments = flags(options);
        append(arguments, {"-w", "-x", "c++-header", *headers + "/" + toolkit_.main_header, "-o",
                           folder + "/standard.pch"});
        return compiler_.run(arguments, folder);
    };
    return build(digest({"standard", flags_key(options), *headers}), step);
}

/// The folder that holds "source.i".
Result<std::string> Driver::preprocess(const std::string& source, const SourceOptions& options) {
    std::string macros;
    for (const auto& [name, value] : options.macros)
        macros += digest({name, value});
    Step step;
    step.explain = [&](const std::string& messages) { return explain(messages, source, source, ""); };
    step.run = [&](const std::string& folder) -> Result<Compilation> {
        const auto stubs = TemporaryFolder::make("metal-assay");
        if (!stubs)
            return stubs.error();
        for (const auto name : kStandardIncludes)
            if (const auto done = write_file(stubs->path() + "/" + std::string(name), ""); !done)
                return done.error();
        const std::string input = stubs->path() + "/" + std::string(kSourceName);
        const std::string text = "#line 1 \"" + std::string(kSourceName) + "\"\n" + source + "\n";
        if (const auto done = write_file(input, text); !done)
            return done.error();
        std::vector<std::string> arguments = {"-E",
                                              "-x",
                                              "c++",
                                              "-std=c++17",
                                              "-undef",
                                              "-nostdinc",
                                              "-w",
                                              "-fno-color-diagnostics",
                                              "-fno-caret-diagnostics",
                                              "-fno-spell-checking",
                                              "-ferror-limit=20",
                                              "-isystem",
                                              stubs->path(),
                                              "-MD",
                                              "-MT",
                                              "x",
                                              "-MF",
                                              stubs->path() + "/read.d",
                                              "-D__METAL__=1",
                                              "-D__METAL_MACOS__=1",
                                              "-D__METAL_VERSION__=" + std::to_string(options.metal_version)};
        if (options.metal_version >= 310)
            arguments.push_back("-D__HAVE_BFLOAT__=1");
        if (options.fast_math)
            arguments.push_back("-D__FAST_MATH__=1");
        for (const auto& [name, value] : options.macros)
            arguments.push_back("-D" + name + "=" + value);
        append(arguments, {input, "-o", folder + "/source.i"});
        auto done = compiler_.run(arguments, folder);
        const auto read = read_file(stubs->path() + "/read.d");
        for (const auto& path : read_dependencies(read ? *read : ""))
            if (done && std::filesystem::path(path).lexically_normal().parent_path() != stubs->path())
                return Compilation{false, false, not_found(source, path)};
        return done;
    };
    return build(digest({"preprocessed", base_key_, source, macros, std::to_string(options.metal_version),
                         options.fast_math ? "fast" : "strict"}),
                 step);
}

Result<std::string> Driver::body_folder(const std::string& body, const std::string& key) {
    Step step;
    step.run = [&](const std::string& folder) -> Result<Compilation> {
        const auto done = write_file(folder + "/body.h", body);
        if (!done)
            return done.error();
        return Compilation{true, false, ""};
    };
    return build(key, step);
}

/// The folder of "library.pch" and "messages": the whole source, parsed and checked.
Result<std::string> Driver::library_header(const CheckedSource& checked) {
    const auto standard = standard_header(checked.options);
    if (!standard)
        return standard.error();
    const auto headers = headers_folder();
    if (!headers)
        return headers.error();
    Step step;
    step.explain = [&](const std::string& messages) {
        return explain(messages, checked.rewritten.body, checked.source, *headers);
    };
    step.run = [&](const std::string& folder) -> Result<Compilation> {
        auto arguments = flags(checked.options);
        append(arguments, {"-include-pch", *standard + "/standard.pch", "-x", "c++-header", checked.body_file,
                           "-o", folder + "/library.pch"});
        auto done = compiler_.run(arguments, folder);
        if (!done || !done->ok)
            return done;
        if (const auto written = write_file(folder + "/messages", step.explain(done->diagnostics)); !written)
            return written.error();
        return done;
    };
    return build(digest({"library", flags_key(checked.options), *standard, checked.body_file}), step);
}

Result<CheckedSource> Driver::check(const std::string& source, const SourceOptions& options) {
    const auto preprocessed = preprocess(source, options);
    if (!preprocessed)
        return preprocessed.error();
    const auto text = read_file(*preprocessed + "/source.i");
    if (!text)
        return text.error();
    CheckedSource checked;
    checked.source = source;
    checked.options = options;
    checked.rewritten = rewrite(*text);
    if (const auto refusal = find_assembly(checked.rewritten); !refusal.empty())
        return bad_input("", explain(refusal, checked.rewritten.body, source, ""));
    checked.body_key = digest({"body", checked.rewritten.body});
    const auto body = body_folder(checked.rewritten.body, checked.body_key);
    if (!body)
        return body.error();
    checked.body_file = *body + "/body.h";

    // The verdict is an entry of its own: it is small, and whoever finds it need not read the large header.
    Step step;
    step.run = [&](const std::string& folder) -> Result<Compilation> {
        const auto library = library_header(checked);
        if (!library)
            return library.error();
        const auto messages = read_file(*library + "/messages");
        if (const auto written = write_file(folder + "/messages", messages ? *messages : ""); !written)
            return written.error();
        return Compilation{true, false, ""};
    };
    const auto verdict = build(digest({"verdict", flags_key(options), checked.body_key}), step);
    if (!verdict)
        return verdict.error();
    const auto warnings = read_file(*verdict + "/messages");
    checked.warnings = warnings ? *warnings : "";
    return checked;
}

Result<KernelFile> Driver::compile(const CheckedSource& source, const std::string& entry) {
    Step step;
    step.explain = [&](const std::string& messages) {
        const auto headers = headers_folder();
        return explain(messages, source.rewritten.body, source.source, headers ? *headers : "");
    };
    step.run = [&](const std::string& folder) -> Result<Compilation> {
        const auto library = library_header(source);
        if (!library)
            return library.error();
        if (const auto done = write_file(folder + "/" + std::string(kEntryFile), entry); !done)
            return done.error();
        auto to_ir = flags(source.options);
        append(to_ir, {"-w", "-include-pch", *library + "/library.pch", "-S", "-emit-llvm",
                       folder + "/" + std::string(kEntryFile), "-o", folder + "/kernel.ll"});
        auto done = compiler_.run(to_ir, folder);
        if (!done || !done->ok)
            return done;
        const auto ir = read_file(folder + "/kernel.ll", 256u << 20);
        if (!ir)
            return ir.error();
        // The intermediate language is the first place where unused templates are gone.
        const bool bfloat = has_bfloat_type(*ir);
        if (const auto written = write_file(folder + "/features", bfloat ? "bfloat16\n" : "none\n"); !written)
            return written.error();
        auto to_object = toolkit_.flags;
        append(to_object, {"-w", "-Xclang", "-disable-llvm-passes", "-x", "ir", folder + "/kernel.ll",
                           "-shared", "-nostdlib", "-Wl,-z,now", "-o", folder + "/kernel.so"});
        done = compiler_.run(to_object, folder);
        ::remove((folder + "/kernel.ll").c_str());
        return done;
    };
    const auto kernel = build(digest({"kernel", flags_key(source.options), source.body_key, entry}), step);
    if (!kernel)
        return kernel.error();
    const auto features = read_file(*kernel + "/features");
    return KernelFile{*kernel + "/kernel.so", features && features->find("bfloat16") != std::string::npos};
}

} // namespace assay::msl
