// Declarations the rewriter must take apart: kernel parameters, threadgroup variables, function signatures.
#pragma once
#include "metal/software/msl/rewriter.h"
#include "metal/software/msl/token_list.h"

namespace assay::msl {

/// The parameters of a kernel between its parentheses. Buffers and threadgroup memory without an index get
/// the first one that is free, in order, as Metal's compiler assigns them.
std::vector<Argument> parse_arguments(const TokenList& tokens, std::size_t begin, std::size_t end);

/// One variable of `threadgroup T a[2], b;`.
struct ThreadgroupVariable {
    std::string type;
    std::string name;
    std::string dimensions; ///< "[2]" or empty
};

/// The variables declared by [begin, end), or none when this declares a pointer, a reference or something
/// with an initialiser.
std::vector<ThreadgroupVariable> parse_threadgroup_variables(const TokenList& tokens, std::size_t begin,
                                                             std::size_t end);

/// A function's declaration without its address spaces: functions with equal texts are one function in C++.
struct Signature {
    std::string text; ///< empty: not a function
    bool has_address_space = false;
};
Signature read_signature(const TokenList& tokens, std::size_t begin, std::size_t end);

/// What a "{" outside of functions opens.
struct ScopeHead {
    enum class Kind { namespace_, class_, other };
    Kind kind = Kind::other;
    std::string name; ///< of a namespace; may be "a::b"
};
ScopeHead read_scope_head(const TokenList& tokens, std::size_t begin, std::size_t brace);

/// The "{" of the body of the function whose first "{" is `brace`: a constructor may initialise members with
/// braces before it.
std::size_t body_begin(const TokenList& tokens, std::size_t begin, std::size_t brace);

} // namespace assay::msl
