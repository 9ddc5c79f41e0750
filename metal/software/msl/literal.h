// Literals of Metal source: numbers, strings, integer constant expressions.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace assay::msl {

/// A number as C++ wants it: `1.5h` and `1.5bf` become casts, `1.5` becomes a float, everything else stays.
std::string rewrite_number(std::string_view number);

/// A directive line as the compiler can take it. The preprocessor leaves the macros of an unroll pragma
/// unexpanded and drops their definitions: such a pragma goes (unrolling without a count would unroll
/// everything), others stay.
std::string_view rewrite_pragma(std::string_view directive);

/// The contents of adjacent string literals, concatenated; simple escapes are resolved.
std::string unquote(std::string_view literals);

/// The value of an expression of decimal, octal or hexadecimal integers, + - * / % << | & and parentheses.
/// nullopt for anything else, for values outside 0 … 2^32-1 and for expressions longer than 256 characters.
std::optional<std::uint32_t> evaluate_integer(std::string_view expression);

} // namespace assay::msl
