// The tokens of one source text with the questions the rewriter asks of them.
#include "metal/software/msl/token_list.h"

#include <algorithm>
#include <charconv>

namespace assay::msl {

namespace {

/// More tokens than any template header has; bounds the work on hostile text.
constexpr std::size_t kMaxAngleTokens = 4096;

/// The line number of `# 12 "file"` or `#line 12`; 0 for other directives.
std::uint32_t marker_line(std::string_view directive) {
    const auto digit = directive.find_first_of("0123456789");
    if (digit == std::string_view::npos)
        return 0;
    const std::string_view before = directive.substr(1, digit - 1);
    if (before.find_first_not_of(' ') != std::string_view::npos &&
        before.find("line") == std::string_view::npos)
        return 0;
    std::uint32_t line = 0;
    std::from_chars(directive.data() + digit, directive.data() + directive.size(), line);
    return line;
}

std::size_t count_newlines(std::string_view text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

} // namespace

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
    return std::find(words.begin(), words.end(), text) != words.end();
}

TokenList::TokenList(std::string_view text) : tokens_(tokenize(text)), partner_(match_brackets(tokens_)) {
    number_lines();
}

void TokenList::number_lines() {
    lines_.reserve(size());
    std::uint32_t line = 1;
    for (const Token& token : tokens_) {
        lines_.push_back(line);
        if (token.kind == TokenKind::space)
            line += static_cast<std::uint32_t>(count_newlines(token.text));
        else if (token.kind == TokenKind::directive)
            // The marker's own newline follows and counts, so the line before is the one to start from.
            if (const std::uint32_t marked = marker_line(token.text); marked > 0)
                line = marked - 1;
    }
}

std::size_t TokenList::after_partner(std::size_t i) const {
    const std::size_t close = partner(i);
    return close == kNoPartner || close < i ? i + 1 : close + 1;
}

std::size_t TokenList::next(std::size_t i) const {
    while (i < size() && !tokens_[i].significant())
        ++i;
    return i < size() ? i : kNoPartner;
}

std::size_t TokenList::previous(std::size_t i) const {
    for (i = std::min(i, size()); i-- > 0;)
        if (tokens_[i].significant())
            return i;
    return kNoPartner;
}

std::size_t TokenList::attribute_end(std::size_t i) const {
    if (!is(i, "[") || !is(i + 1, "["))
        return kNoPartner;
    const std::size_t inner = partner(i + 1);
    const std::size_t outer = partner(i);
    if (inner == kNoPartner || outer == kNoPartner || next(inner + 1) != outer)
        return kNoPartner;
    return outer + 1;
}

std::size_t TokenList::angle_end(std::size_t i) const {
    std::size_t depth = 0;
    const std::size_t limit = std::min(size(), i + kMaxAngleTokens);
    for (std::size_t k = i; k < limit; ++k) {
        if (is(k, "<"))
            ++depth;
        else if (is(k, ">") && --depth == 0)
            return k;
        else if (is(k, ";") || depth == 0)
            return kNoPartner;
        else if ((is(k, "(") || is(k, "[") || is(k, "{")) && partner(k) != kNoPartner)
            k = partner(k);
    }
    return kNoPartner;
}

std::size_t TokenList::angle_begin(std::size_t i, std::size_t begin) const {
    std::size_t depth = 0;
    for (std::size_t k = i + 1; k-- > begin;) {
        if (is(k, ">"))
            ++depth;
        else if (is(k, "<") && --depth == 0)
            return k;
        else if ((is(k, ")") || is(k, "]") || is(k, "}")) && partner(k) != kNoPartner && partner(k) >= begin)
            k = partner(k);
    }
    return kNoPartner;
}

std::size_t TokenList::statement_end(std::size_t i) const {
    while (i < size() && !is_one_of(tokens_[i].text, {";", "{", "}"}))
        i = is(i, "(") || is(i, "[") ? after_partner(i) : i + 1;
    return std::min(i, size());
}

std::size_t TokenList::qualified_begin(std::size_t name, std::size_t begin) const {
    for (;;) {
        const std::size_t colons = previous(name);
        if (colons == kNoPartner || colons <= begin || !is(colons, "::"))
            return name;
        const std::size_t outer = previous(colons);
        if (outer == kNoPartner || outer < begin || !is_word(outer))
            return name;
        name = outer;
    }
}

std::vector<std::pair<std::size_t, std::size_t>> TokenList::split_commas(std::size_t begin,
                                                                         std::size_t end) const {
    std::vector<std::pair<std::size_t, std::size_t>> parts;
    std::size_t from = begin;
    std::size_t depth = 0;
    for (std::size_t k = begin; k < end; ++k) {
        if (is(k, "(") || is(k, "[") || is(k, "{")) {
            k = std::min(after_partner(k), end) - 1;
        } else if (is(k, "<")) {
            ++depth;
        } else if (is(k, ">") && depth > 0) {
            --depth;
        } else if (is(k, ",") && depth == 0) {
            parts.emplace_back(from, k);
            from = k + 1;
        }
    }
    if (next(from) < end)
        parts.emplace_back(from, end);
    return parts;
}

std::string TokenList::text(std::size_t begin, std::size_t end) const {
    std::string out;
    for (std::size_t k = begin; k < std::min(end, size()); ++k)
        out += tokens_[k].text;
    return out;
}

std::string TokenList::joined(std::size_t begin, std::size_t end) const {
    std::string out;
    bool gap = false;
    for (std::size_t k = begin; k < std::min(end, size());) {
        if (const std::size_t after = attribute_end(k); after != kNoPartner) {
            k = after;
            continue;
        }
        if (!tokens_[k].significant()) {
            gap = true;
        } else {
            if (gap && !out.empty())
                out += ' ';
            gap = false;
            out += tokens_[k].text;
        }
        ++k;
    }
    return out;
}

std::string TokenList::line_structure(std::size_t begin, std::size_t end) const {
    std::string out;
    for (std::size_t k = begin; k < std::min(end, size()); ++k) {
        if (tokens_[k].kind == TokenKind::space)
            out.append(count_newlines(tokens_[k].text), '\n');
        else if (tokens_[k].kind == TokenKind::directive)
            out += tokens_[k].text;
    }
    return out;
}

} // namespace assay::msl
