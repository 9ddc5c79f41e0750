// Rewrites preprocessed Metal source into C++ and says which kernels and function constants it holds.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::msl {

/// One parameter of a kernel, with what its [[…]] attribute says.
struct Argument {
    enum class Kind {
        buffer,      ///< device or constant memory: `index` is the buffer index
        threadgroup, ///< memory whose length the encoder sets: `index` is the threadgroup memory index
        built_in,    ///< `built_in` names it, e.g. "thread_position_in_grid"
        other,       ///< textures, samplers, anything else: not executable
    };
    Kind kind = Kind::other;
    std::string name;
    std::string declaration; ///< without attributes, on one line
    std::string built_in;
    std::uint32_t index = 0;
    std::string
        index_text; ///< the index as the source states it, for one that only the compiler can evaluate
    bool reference = false; ///< `device T&` rather than `device T*`
};

/// A function marked `kernel` or `[[kernel]]`, template or not.
struct Kernel {
    std::string name;
    std::vector<Argument> arguments;
    std::optional<std::uint32_t> max_total_threads; ///< [[max_total_threads_per_threadgroup(n)]]
    std::size_t line = 0;                           ///< in the user's file, from 1
};

/// What a pipeline can be made of: a kernel, or one `[[host_name("…")]]` instantiation of a template kernel.
struct EntryPoint {
    std::string name;       ///< as newFunctionWithName: wants it
    std::string scope;      ///< enclosing namespaces, "a::b", or empty
    std::string expression; ///< names the function inside `scope`, e.g. "scale<float, 4>"
    /// Parameter types, when only they select the function (an instantiation without template arguments).
    std::string parameter_types;
    std::size_t kernel = 0; ///< index into Rewritten::kernels
};

/// `constant T name [[function_constant(n)]];`
struct FunctionConstant {
    std::string scope;
    std::string type;
    std::string name;
    std::optional<std::uint32_t> index; ///< nullopt: an expression that only the compiler can evaluate
};

/// The result for one source file.
struct Rewritten {
    /// C++ for the runtime's headers: line markers kept, so that diagnostics name the user's lines. Each
    /// function constant x has become `extern const T x; extern const bool x__defined;`.
    std::string body;
    std::vector<Kernel> kernels;
    std::vector<EntryPoint> entries;
    std::vector<FunctionConstant> constants;
};

/// Rewrites text that the preprocessor has seen. Never fails and takes linear time: what it does not
/// understand it leaves for the compiler to diagnose.
Rewritten rewrite(std::string_view preprocessed);

} // namespace assay::msl
