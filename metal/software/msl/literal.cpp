// Literals of Metal source: numbers, strings, integer constant expressions.
#include "metal/software/msl/literal.h"

#include "metal/software/msl/token_list.h"
#include <algorithm>
#include <charconv>

namespace assay::msl {

namespace {

/// Recursion is bounded by the expression's length, which evaluate_integer() bounds.
constexpr std::size_t kMaxExpression = 256;

class Evaluator {
  public:
    explicit Evaluator(std::string_view text) : tokens_(text) { advance(0); }

    std::optional<std::int64_t> run() {
        const auto value = binary(0);
        return at_ == kNoPartner ? value : std::nullopt;
    }

  private:
    static int precedence(std::string_view op) {
        if (is_one_of(op, {"*", "/", "%"}))
            return 5;
        if (is_one_of(op, {"+", "-"}))
            return 4;
        return op == "<<" ? 3 : op == "&" ? 2 : op == "|" ? 1 : 0;
    }

    static std::optional<std::int64_t> apply(std::string_view op, std::int64_t a, std::int64_t b) {
        constexpr std::int64_t kBound = std::int64_t{1} << 31;
        if (a > kBound || a < -kBound || b > kBound || b < -kBound || ((op == "/" || op == "%") && b == 0))
            return {};
        switch (op.front()) {
        case '*':
            return a * b;
        case '/':
            return a / b;
        case '%':
            return a % b;
        case '+':
            return a + b;
        case '-':
            return a - b;
        case '&':
            return a & b;
        case '|':
            return a | b;
        default:
            return a >= 0 && b >= 0 && b < 32 ? std::optional(a << b) : std::nullopt;
        }
    }

    void advance(std::size_t from) { at_ = tokens_.next(from); }
    std::string_view here() const { return at_ == kNoPartner ? std::string_view{} : tokens_[at_].text; }

    std::optional<std::int64_t> binary(int lowest) {
        auto left = primary();
        while (left && precedence(here()) > lowest) {
            const std::string_view op = here();
            advance(at_ + 1);
            const auto right = binary(precedence(op));
            left = right ? apply(op, *left, *right) : std::nullopt;
        }
        return left;
    }

    std::optional<std::int64_t> primary() {
        const std::string_view text = here();
        if (text == "(") {
            advance(at_ + 1);
            const auto value = binary(0);
            if (here() != ")")
                return {};
            advance(at_ + 1);
            return value;
        }
        if (text.empty() || tokens_[at_].kind != TokenKind::number)
            return {};
        advance(at_ + 1);
        return number(text);
    }

    static std::optional<std::int64_t> number(std::string_view text) {
        while (!text.empty() && is_one_of(text.substr(text.size() - 1), {"u", "U", "l", "L"}))
            text.remove_suffix(1);
        int base = 10;
        if (text.size() > 2 && (text.substr(0, 2) == "0x" || text.substr(0, 2) == "0X"))
            base = 16;
        else if (text.size() > 1 && text.front() == '0')
            base = 8;
        text.remove_prefix(base == 16 ? 2 : 0);
        std::uint32_t value = 0;
        const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value, base);
        if (code != std::errc() || end != text.data() + text.size())
            return {};
        return value;
    }

    TokenList tokens_;
    std::size_t at_ = kNoPartner;
};

bool is_decimal(std::string_view number) {
    return number.size() < 2 || number.front() != '0' || (number[1] != 'x' && number[1] != 'X');
}

/// A floating-point number without a suffix, which C++ takes for a double and Metal for a float.
bool is_floating(std::string_view number) {
    const std::string_view marks = is_decimal(number) ? ".eE" : ".pP";
    const char last = number.back();
    return number.find_first_of(marks) != std::string_view::npos &&
           ((last >= '0' && last <= '9') || last == '.');
}

} // namespace

std::string rewrite_number(std::string_view number) {
    const auto cast = [&](std::string_view type, std::size_t suffix) {
        std::string value(number.substr(0, number.size() - suffix));
        if (value.find_first_of(".eE") != std::string::npos)
            value += 'f';
        return "((" + std::string(type) + ")" + value + ")";
    };
    if (is_decimal(number) && number.size() > 1) {
        if (number.back() == 'h' || number.back() == 'H')
            return cast("half", 1);
        const std::string_view tail = number.substr(number.size() - 2);
        if (number.size() > 2 && is_one_of(tail, {"bf", "BF"}))
            return cast("bfloat", 2);
    }
    return std::string(number) + (is_floating(number) ? "f" : "");
}

std::string_view rewrite_pragma(std::string_view directive) {
    const TokenList tokens(directive.substr(std::min<std::size_t>(1, directive.size())));
    const std::size_t pragma = tokens.next(0);
    const std::size_t name = pragma == kNoPartner ? kNoPartner : tokens.next(pragma + 1);
    if (name == kNoPartner || !tokens.is(pragma, "pragma") ||
        !is_one_of(tokens[name].text, {"unroll", "nounroll", "clang"}))
        return directive;
    if (tokens.is(name, "clang") && !tokens.is(tokens.next(name + 1), "loop"))
        return directive;
    static constexpr auto kKnown = {
        "loop",       "unroll",           "unroll_count", "vectorize", "vectorize_width",
        "interleave", "interleave_count", "distribute",   "full",      "enable",
        "disable",    "assume_safety"};
    for (std::size_t k = name + 1; k < tokens.size(); ++k)
        if (tokens.is_word(k) && std::find(kKnown.begin(), kKnown.end(), tokens[k].text) == kKnown.end())
            return "";
    return directive;
}

std::string unquote(std::string_view literals) {
    std::string out;
    for (const Token& token : tokenize(literals)) {
        if (token.kind != TokenKind::string)
            continue;
        std::string_view inner = token.text.substr(1);
        if (!inner.empty() && inner.back() == token.text.front())
            inner.remove_suffix(1);
        for (std::size_t k = 0; k < inner.size(); ++k) {
            if (inner[k] == '\\' && k + 1 < inner.size())
                ++k;
            out += inner[k];
        }
    }
    return out;
}

std::optional<std::uint32_t> evaluate_integer(std::string_view expression) {
    if (expression.size() > kMaxExpression)
        return {};
    const auto value = Evaluator(expression).run();
    if (!value || *value < 0 || *value > 0xffffffffLL)
        return {};
    return static_cast<std::uint32_t>(*value);
}

} // namespace assay::msl
