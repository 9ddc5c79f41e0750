// What a kernel variant is to do on a GPU: source, dispatches, and what they must write.
#pragma once
#include "kernels/check.h"
#include "metal/runtime.h"
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace assay {

/// One argument of a kernel function; its place in Case::arguments is its buffer index.
struct Argument {
    enum class Kind {
        input,   ///< a buffer with `bytes`
        in_out,  ///< a buffer that starts with `bytes` before every run
        output,  ///< a buffer of as many bytes, poisoned before every run
        inlined, ///< `bytes` set with setBytes:length:atIndex:
    };
    Kind kind = Kind::input;
    Bytes bytes;

    template <class T>
    static Argument input(const std::vector<T>& values) {
        return {Kind::input, bytes_of<T>(values)};
    }
    template <class T>
    static Argument in_out(const std::vector<T>& values) {
        return {Kind::in_out, bytes_of<T>(values)};
    }
    static Argument output(std::size_t elements, Element element) {
        return {Kind::output, Bytes(elements * element_size(element))};
    }
    template <class T>
    static Argument inlined(const std::vector<T>& values) {
        return {Kind::inlined, bytes_of<T>(values)};
    }
};

/// A value for a `[[function_constant(index)]]`.
struct FunctionConstant {
    std::size_t index = 0;
    std::variant<bool, std::uint32_t, float> value;
};

/// How many threads, in which groups.
struct Grid {
    bool in_threads = false; ///< dispatchThreads:, else dispatchThreadgroups:
    metal::Size size;        ///< threads or threadgroups
    metal::Size group;       ///< threads per threadgroup

    static Grid threads(metal::Size size, metal::Size group) { return {true, size, group}; }
    static Grid groups(metal::Size size, metal::Size group) { return {false, size, group}; }
    std::size_t group_threads() const { return group.width * group.height * group.depth; }
};

/// One dispatch and what it must write.
struct Case {
    std::string label; ///< the size in words, as "m=64 n=65 k=7"
    std::string function;
    std::vector<FunctionConstant> constants;
    std::vector<Argument> arguments;
    std::size_t threadgroup_bytes = 0; ///< dynamic threadgroup memory at index 0
    Grid grid;
    std::vector<Expectation> expectations;
    bool timed = false;         ///< the one whose time is compared with the fallback's; one per plan at most
    bool residency_set = false; ///< its buffers are made resident by a residency set that it creates
};

/// All dispatches of one variant, from one library.
struct Plan {
    std::string source; ///< Metal Shading Language
    std::vector<Case> cases;
    std::size_t simd_width = 0; ///< threads per SIMD-group that the reference assumes; 0: any
};

} // namespace assay
