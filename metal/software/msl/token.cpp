// Tokens of preprocessed Metal source: just enough of C++ to find what the rewriter must change.
#include "metal/software/msl/token.h"

namespace assay::msl {

namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool starts_word(char c) {
    // Bytes above ASCII belong to identifiers in UTF-8.
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
}
bool in_word(char c) { return starts_word(c) || is_digit(c); }

class Scanner {
  public:
    explicit Scanner(std::string_view text) : text_(text) {}

    std::vector<Token> run() {
        while (at_ < text_.size()) {
            const std::size_t begin = at_;
            const TokenKind kind = next();
            tokens_.push_back({kind, text_.substr(begin, at_ - begin)});
            line_start_ = kind == TokenKind::space
                              ? line_start_ || tokens_.back().text.find('\n') != std::string_view::npos
                              : false;
        }
        return std::move(tokens_);
    }

  private:
    char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

    TokenKind next() {
        const char c = peek();
        if (is_space(c))
            return skip_while(is_space, TokenKind::space);
        if (c == '#' && line_start_)
            return skip_while([](char x) { return x != '\n'; }, TokenKind::directive);
        if (starts_word(c))
            return skip_while(in_word, TokenKind::word);
        if (is_digit(c) || (c == '.' && is_digit(peek(1))))
            return number();
        if (c == '"' || c == '\'')
            return quoted(c);
        return punctuation();
    }

    template <class Predicate>
    TokenKind skip_while(Predicate keep, TokenKind kind) {
        while (at_ < text_.size() && keep(text_[at_]))
            ++at_;
        return kind;
    }

    TokenKind number() {
        while (at_ < text_.size()) {
            const char c = peek();
            const bool exponent = c == 'e' || c == 'E' || c == 'p' || c == 'P';
            if (exponent && (peek(1) == '+' || peek(1) == '-') && !is_hexadecimal_e(c))
                at_ += 2;
            else if (in_word(c) || c == '.' || (c == '\'' && in_word(peek(1))))
                ++at_;
            else
                break;
        }
        return TokenKind::number;
    }

    /// In 0x1e+2 the sign is an operator.
    bool is_hexadecimal_e(char c) const {
        std::size_t begin = at_;
        while (begin > 0 && in_word(text_[begin - 1]))
            --begin;
        return (c == 'e' || c == 'E') && text_[begin] == '0' && begin + 1 < text_.size() &&
               (text_[begin + 1] == 'x' || text_[begin + 1] == 'X');
    }

    TokenKind quoted(char quote) {
        ++at_;
        while (at_ < text_.size() && peek() != '\n') {
            const char c = text_[at_++];
            if (c == quote)
                break;
            if (c == '\\' && at_ < text_.size() && peek() != '\n')
                ++at_;
        }
        return TokenKind::string;
    }

    TokenKind punctuation() {
        const std::string_view two = text_.substr(at_, 2);
        for (const std::string_view pair : {"::", "->", "<<", "<=", ">=", "==", "!="})
            if (two == pair) {
                at_ += 2;
                return TokenKind::punctuation;
            }
        ++at_;
        return TokenKind::punctuation;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    bool line_start_ = true;
    std::vector<Token> tokens_;
};

char closing_of(char open) { return open == '(' ? ')' : open == '[' ? ']' : '}'; }

} // namespace

std::vector<Token> tokenize(std::string_view text) { return Scanner(text).run(); }

std::vector<std::size_t> match_brackets(const std::vector<Token>& tokens) {
    std::vector<std::size_t> partner(tokens.size(), kNoPartner);
    std::vector<std::size_t> open;
    std::size_t open_braces = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (tokens[i].kind != TokenKind::punctuation || tokens[i].text.size() != 1)
            continue;
        const char c = tokens[i].text.front();
        if (c == '(' || c == '[' || c == '{') {
            open.push_back(i);
            open_braces += c == '{';
            continue;
        }
        // An unclosed parenthesis does not outlive its block: the rest of the file keeps its structure.
        while (c == '}' && open_braces > 0 && !tokens[open.back()].is("{"))
            open.pop_back();
        if ((c == ')' || c == ']' || c == '}') && !open.empty() &&
            closing_of(tokens[open.back()].text.front()) == c) {
            partner[i] = open.back();
            partner[open.back()] = i;
            open.pop_back();
            open_braces -= c == '}';
        }
    }
    return partner;
}

} // namespace assay::msl
