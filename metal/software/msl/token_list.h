// The tokens of one source text with the questions the rewriter asks of them.
#pragma once
#include "metal/software/msl/token.h"
#include <cstdint>
#include <initializer_list>
#include <string>

namespace assay::msl {

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words);

/// Indices run from 0 to size(); every function accepts any index and answers kNoPartner for "there is none".
class TokenList {
  public:
    explicit TokenList(std::string_view text);

    std::size_t size() const { return tokens_.size(); }
    const Token& operator[](std::size_t i) const { return tokens_[i]; }
    bool is(std::size_t i, std::string_view text) const { return i < size() && tokens_[i].is(text); }
    bool is_word(std::size_t i) const { return i < size() && tokens_[i].kind == TokenKind::word; }

    /// The bracket that belongs to the one at `i`.
    std::size_t partner(std::size_t i) const { return i < size() ? partner_[i] : kNoPartner; }
    /// Just behind the bracket's partner, or behind `i` itself when it has none.
    std::size_t after_partner(std::size_t i) const;
    /// The first significant token at or after `i`.
    std::size_t next(std::size_t i) const;
    /// The last significant token before `i`.
    std::size_t previous(std::size_t i) const;
    /// The line of the user's file, from 1, as the line markers say.
    std::size_t line(std::size_t i) const { return i < size() ? lines_[i] : 0; }

    /// Just behind `[[…]]` that begins at `i`.
    std::size_t attribute_end(std::size_t i) const;
    /// The ">" that closes the "<" at `i`; looks at no more than a few thousand tokens.
    std::size_t angle_end(std::size_t i) const;
    /// The "<" that opens what the ">" at `i` closes, not before `begin`.
    std::size_t angle_begin(std::size_t i, std::size_t begin) const;
    /// The ";" or brace that ends the statement around `i`, or size().
    std::size_t statement_end(std::size_t i) const;
    /// Where `a::b::name` begins whose last word is at `name`, not before `begin`.
    std::size_t qualified_begin(std::size_t name, std::size_t begin) const;

    /// Cuts [begin, end) at commas that stand outside all brackets, "<>" included.
    std::vector<std::pair<std::size_t, std::size_t>> split_commas(std::size_t begin, std::size_t end) const;

    /// The text of [begin, end), byte by byte.
    std::string text(std::size_t begin, std::size_t end) const;
    /// The same on one line, without attributes and directives, each gap one blank.
    std::string joined(std::size_t begin, std::size_t end) const;
    /// Only the newlines and line markers of [begin, end).
    std::string line_structure(std::size_t begin, std::size_t end) const;

  private:
    void number_lines();
    std::vector<Token> tokens_;
    std::vector<std::size_t> partner_;
    std::vector<std::uint32_t> lines_;
};

} // namespace assay::msl
