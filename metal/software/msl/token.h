// Tokens of preprocessed Metal source: just enough of C++ to find what the rewriter must change.
#pragma once
#include <cstddef>
#include <string_view>
#include <vector>

namespace assay::msl {

enum class TokenKind {
    space,       ///< blanks and newlines
    directive,   ///< a line that starts with '#', without its newline
    word,        ///< identifier or keyword
    number,      ///< preprocessing number
    string,      ///< "…" or '…', closed or cut by the end of its line
    punctuation, ///< one character, or one of :: -> << <= >= == !=
};

struct Token {
    TokenKind kind;
    std::string_view text; ///< part of the text that was given to tokenize()

    /// Neither space nor directive.
    bool significant() const { return kind != TokenKind::space && kind != TokenKind::directive; }
    bool is(std::string_view expected) const { return text == expected; }
};

/// Cuts any text into tokens; put together again they are the text, byte by byte. Takes linear time.
/// ">>" is two tokens, so that template brackets can be matched.
std::vector<Token> tokenize(std::string_view text);

inline constexpr std::size_t kNoPartner = static_cast<std::size_t>(-1);

/// For each bracket of the kinds () [] {} the index of the one that belongs to it, else kNoPartner.
/// A closing bracket of the wrong kind belongs to nothing. Takes linear time.
std::vector<std::size_t> match_brackets(const std::vector<Token>& tokens);

} // namespace assay::msl
