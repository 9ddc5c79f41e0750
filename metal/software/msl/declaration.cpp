// Declarations the rewriter must take apart: kernel parameters, threadgroup variables, function signatures.
#include "metal/software/msl/declaration.h"

#include "metal/software/msl/attribute.h"
#include "metal/software/msl/literal.h"
#include <algorithm>
#include <set>

namespace assay::msl {

namespace {

bool is_address_space(std::string_view word) {
    return is_one_of(word, {"device", "constant", "threadgroup", "thread"});
}

bool contains(const TokenList& tokens, std::size_t begin, std::size_t end, std::string_view text) {
    for (std::size_t k = begin; k < end; ++k)
        if (tokens.is(k, text))
            return true;
    return false;
}

/// Takes the attributes of one parameter; true when one of them says where its memory comes from.
bool read_argument_attributes(const TokenList& tokens, std::size_t begin, std::size_t end,
                              Argument& argument) {
    bool indexed = false;
    for (std::size_t k = begin; k < end; ++k) {
        const std::size_t after = tokens.attribute_end(k);
        if (after == kNoPartner)
            continue;
        for (const Attribute& a : parse_attributes(tokens, k, after)) {
            if (a.name == "buffer" || a.name == "threadgroup") {
                argument.kind = a.name == "buffer" ? Argument::Kind::buffer : Argument::Kind::threadgroup;
                argument.index_text = a.arguments;
                indexed = true;
            } else if (a.arguments.empty() && !is_standard_attribute(a.name)) {
                argument.kind = Argument::Kind::built_in;
                argument.built_in = a.name;
            }
        }
        k = after - 1;
    }
    return indexed;
}

/// The parameter's name: the last word before its dimensions or default value.
std::string argument_name(const TokenList& tokens, std::size_t begin, std::size_t end) {
    std::string name;
    for (std::size_t k = begin; k < end && !tokens.is(k, "=") && !tokens.is(k, "["); ++k)
        if (tokens.is_word(k))
            name = tokens[k].text;
    return name;
}

Argument parse_argument(const TokenList& tokens, std::size_t begin, std::size_t end) {
    Argument argument;
    const bool indexed = read_argument_attributes(tokens, begin, end, argument);
    argument.declaration = tokens.joined(begin, end);
    argument.name = argument_name(tokens, begin, end);
    argument.reference = contains(tokens, begin, end, "&");
    const bool memory = argument.reference || contains(tokens, begin, end, "*");
    if (indexed || !memory || argument.kind == Argument::Kind::built_in)
        return argument;
    if (contains(tokens, begin, end, "threadgroup"))
        argument.kind = Argument::Kind::threadgroup;
    else if (contains(tokens, begin, end, "device") || contains(tokens, begin, end, "constant"))
        argument.kind = Argument::Kind::buffer;
    return argument;
}

void number_arguments(std::vector<Argument>& arguments, Argument::Kind kind) {
    std::set<std::uint32_t> used;
    for (Argument& a : arguments)
        if (const auto index = evaluate_integer(a.index_text); a.kind == kind && index) {
            a.index = *index;
            used.insert(*index);
        }
    std::uint32_t free = 0;
    for (Argument& a : arguments) {
        if (a.kind != kind || !a.index_text.empty())
            continue;
        while (used.count(free))
            ++free;
        a.index = free;
        a.index_text = std::to_string(free++);
    }
}

/// One declarator: the name and its dimensions at the end, the type (possibly empty) before them.
std::optional<ThreadgroupVariable> parse_variable(const TokenList& tokens, std::size_t begin,
                                                  std::size_t end) {
    std::size_t name = kNoPartner;
    std::size_t dimensions = end;
    for (std::size_t last = tokens.previous(end); last != kNoPartner && last >= begin;) {
        if (tokens.is(last, "]") && tokens.partner(last) != kNoPartner && tokens.partner(last) >= begin) {
            dimensions = tokens.partner(last);
            last = tokens.previous(dimensions);
            continue;
        }
        name = last;
        break;
    }
    if (name == kNoPartner || !tokens.is_word(name))
        return {};
    ThreadgroupVariable variable;
    variable.name = tokens[name].text;
    variable.dimensions = tokens.joined(dimensions, end);
    std::size_t type = tokens.next(begin);
    if (tokens.is(type, "alignas"))
        type = tokens.after_partner(tokens.next(type + 1));
    if (type < name)
        variable.type = tokens.joined(type, name);
    return variable;
}

class SignatureReader {
  public:
    SignatureReader(const TokenList& tokens, std::size_t begin, std::size_t end)
        : tokens_(tokens), begin_(begin), end_(end) {}

    Signature run() {
        bool function = false;
        for (std::size_t k = begin_; k < end_; ++k) {
            const Token& token = tokens_[k];
            const bool after_operator = tokens_.is(tokens_.previous(k), "operator");
            if (!token.significant())
                continue;
            if (const std::size_t header = template_header_end(k); header != kNoPartner) {
                signature_.text += tokens_.joined(k, header);
                k = header - 1;
                continue;
            }
            if (token.is("=") && !after_operator && !function)
                return {};
            if (token.is(":") && function)
                break; // a constructor's initialisers
            if (token.is("(") && tokens_.partner(k) != kNoPartner && tokens_.partner(k) < end_) {
                function = true;
                parameters(k + 1, tokens_.partner(k));
                k = tokens_.partner(k);
            } else {
                word(token);
            }
        }
        return function ? std::move(signature_) : Signature{};
    }

  private:
    /// Behind the "template <…>" at `i`.
    std::size_t template_header_end(std::size_t i) const {
        const std::size_t open = tokens_.is(i, "template") ? tokens_.next(i + 1) : kNoPartner;
        const std::size_t close = tokens_.is(open, "<") ? tokens_.angle_end(open) : kNoPartner;
        return close == kNoPartner || close >= end_ ? kNoPartner : close + 1;
    }

    void word(const Token& token) {
        if (is_address_space(token.text))
            signature_.has_address_space = true;
        if (is_address_space(token.text) && !token.is("constant"))
            return;
        const std::string_view text = token.is("constant") ? "const" : token.text;
        if (text == "const" && last_ == "const")
            return;
        last_ = text;
        signature_.text += text;
        signature_.text += ' ';
    }

    void parameters(std::size_t begin, std::size_t end) {
        signature_.text += "( ";
        for (const auto& [from, to] : tokens_.split_commas(begin, end)) {
            parameter(from, to);
            signature_.text += ", ";
        }
        signature_.text += ") ";
        last_ = ")";
    }

    /// Without its name, its default value and its attributes; const first in each part.
    void parameter(std::size_t begin, std::size_t end) {
        std::vector<std::string_view> words;
        for (std::size_t k = begin; k < end && !tokens_.is(k, "="); ++k) {
            if (const std::size_t after = tokens_.attribute_end(k); after != kNoPartner)
                k = after - 1;
            else if (is_address_space(tokens_[k].text)) {
                signature_.has_address_space = true;
                if (tokens_[k].is("constant"))
                    words.push_back("const");
            } else if (tokens_[k].significant())
                words.push_back(tokens_[k].text);
        }
        drop_name(words);
        for (std::size_t from = 0; from < words.size();) {
            std::size_t to = from;
            while (to < words.size() && words[to] != "*" && words[to] != "&")
                ++to;
            part(words, from, to);
            if (to < words.size())
                signature_.text += words[to];
            from = to + 1;
        }
    }

    static void drop_name(std::vector<std::string_view>& words) {
        if (words.size() < 2 || tokenize(words.back()).front().kind != TokenKind::word)
            return;
        const std::string_view before = words[words.size() - 2];
        if (words.back() != "const" && before != "const" && before != "::" && before != "typename")
            words.pop_back();
    }

    void part(const std::vector<std::string_view>& words, std::size_t from, std::size_t to) {
        const auto begin = words.begin() + static_cast<std::ptrdiff_t>(from);
        const auto end = words.begin() + static_cast<std::ptrdiff_t>(to);
        if (std::find(begin, end, "const") != end)
            signature_.text += "const ";
        for (auto word = begin; word != end; ++word)
            if (*word != "const")
                signature_.text.append(*word).append(" ");
    }

    const TokenList& tokens_;
    std::size_t begin_;
    std::size_t end_;
    std::string_view last_;
    Signature signature_;
};

/// Behind `template <…>`, `inline` and attributes at the head of a declaration.
std::size_t skip_head(const TokenList& tokens, std::size_t i, std::size_t end) {
    while (i < end) {
        i = tokens.next(i);
        if (i >= end)
            break;
        if (const std::size_t after = tokens.attribute_end(i); after != kNoPartner) {
            i = after;
        } else if (tokens.is(i, "template")) {
            const std::size_t open = tokens.next(i + 1);
            const std::size_t close = tokens.is(open, "<") ? tokens.angle_end(open) : kNoPartner;
            if (close == kNoPartner)
                return i;
            i = close + 1;
        } else if (tokens.is(i, "inline") || tokens.is(i, "export")) {
            ++i;
        } else {
            break;
        }
    }
    return std::min(i, end);
}

} // namespace

std::vector<Argument> parse_arguments(const TokenList& tokens, std::size_t begin, std::size_t end) {
    std::vector<Argument> arguments;
    for (const auto& [from, to] : tokens.split_commas(begin, end))
        if (Argument argument = parse_argument(tokens, from, to); argument.declaration != "void")
            arguments.push_back(std::move(argument));
    number_arguments(arguments, Argument::Kind::buffer);
    number_arguments(arguments, Argument::Kind::threadgroup);
    return arguments;
}

std::vector<ThreadgroupVariable> parse_threadgroup_variables(const TokenList& tokens, std::size_t begin,
                                                             std::size_t end) {
    if (!tokens.is(end, ";"))
        return {};
    for (std::size_t k = begin; k < end; ++k) {
        if (tokens.is(k, "(") || tokens.is(k, "["))
            k = tokens.after_partner(k) - 1;
        else if (tokens.is(k, "*") || tokens.is(k, "&") || tokens.is(k, "="))
            return {};
    }
    std::vector<ThreadgroupVariable> out;
    for (const auto& [from, to] : tokens.split_commas(begin, end)) {
        auto variable = parse_variable(tokens, from, to);
        if (!variable || (out.empty() && variable->type.empty()))
            return {};
        if (!out.empty())
            variable->type = out.front().type;
        out.push_back(std::move(*variable));
    }
    return out;
}

Signature read_signature(const TokenList& tokens, std::size_t begin, std::size_t end) {
    return SignatureReader(tokens, begin, end).run();
}

ScopeHead read_scope_head(const TokenList& tokens, std::size_t begin, std::size_t brace) {
    std::size_t i = skip_head(tokens, begin, brace);
    if (tokens.is(i, "namespace"))
        return {ScopeHead::Kind::namespace_, tokens.joined(i + 1, brace)};
    if (tokens.is(i, "extern") && i < brace && tokens.next(tokens.next(i + 1) + 1) == brace)
        return {ScopeHead::Kind::namespace_, ""};
    bool is_class = false;
    for (; i < brace; ++i) {
        if (tokens.is(i, "enum"))
            return {};
        is_class |= is_one_of(tokens[i].text, {"class", "struct", "union"});
        if (is_class && tokens.is(i, ":"))
            break;
        if (tokens.is(i, "(") && !is_one_of(tokens[tokens.previous(i)].text, {"alignas", "__attribute__"}))
            return {};
        if (tokens.is(i, "("))
            i = tokens.after_partner(i) - 1;
    }
    return {is_class ? ScopeHead::Kind::class_ : ScopeHead::Kind::other, ""};
}

std::size_t body_begin(const TokenList& tokens, std::size_t begin, std::size_t brace) {
    bool initialisers = false;
    for (std::size_t k = begin; k < brace; ++k)
        initialisers |= tokens.is(k, ":") && tokens.is(tokens.previous(k), ")");
    std::size_t at = brace;
    while (initialisers && at < tokens.size() && !tokens.is(at, ";")) {
        const std::size_t before = tokens.previous(at);
        if (tokens.is(at, "{") && (tokens.is(before, ")") || tokens.is(before, "}")))
            return at;
        at = tokens.is(at, "{") || tokens.is(at, "(") ? tokens.after_partner(at) : at + 1;
    }
    return brace;
}

} // namespace assay::msl
