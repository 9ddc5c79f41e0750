// Rewrites preprocessed Metal source into C++ and says which kernels and function constants it holds.
#include "metal/software/msl/rewriter.h"

#include "metal/software/msl/attribute.h"
#include "metal/software/msl/declaration.h"
#include "metal/software/msl/literal.h"
#include "metal/software/msl/token_list.h"
#include <algorithm>
#include <set>

namespace assay::msl {

namespace {

constexpr std::size_t kNone = kNoPartner;

/// No person nests namespaces deeper; without a bound the names of a hostile file would take quadratic space.
constexpr std::size_t kMaxScopePath = 64;

enum class ScopeKind { namespace_, class_, block };

struct Scope {
    ScopeKind kind;
    std::string name;
    std::set<std::string> signatures; ///< functions seen so far, address spaces dropped
};

/// What the attributes and keywords of the statement at hand have said so far.
struct Pending {
    bool kernel = false;
    bool parenthesis = false;
    bool function_constant = false;
    bool stage = false; ///< vertex, fragment, …: not compute
    std::optional<std::size_t> parsed_kernel;
    std::string host_name;
    std::optional<std::uint32_t> max_total_threads;
};

class Rewriter {
  public:
    explicit Rewriter(std::string_view text) : source_(text) {
        scopes_.push_back({ScopeKind::namespace_, "", {}});
    }

    Rewritten run() {
        std::size_t i = 0;
        while (i < source_.size())
            i = step(i);
        return std::move(result_);
    }

  private:
    using Handler = std::size_t (Rewriter::*)(std::size_t);

    /// Handles the token at `i`, returns the index to go on with. Each handler returns kNone when the token
    /// is not its business, and an index beyond `i` otherwise.
    std::size_t step(std::size_t i) {
        const Token& token = source_[i];
        if (!token.significant()) {
            result_.body += token.kind == TokenKind::directive ? rewrite_pragma(token.text) : token.text;
            return i + 1;
        }
        if (statement_ == kNone)
            begin_statement(i);
        static constexpr Handler kHandlers[] = {
            &Rewriter::attribute,         &Rewriter::instantiation, &Rewriter::stage_keyword,
            &Rewriter::threadgroup_local, &Rewriter::defined_query, &Rewriter::literal,
            &Rewriter::open_parenthesis,  &Rewriter::open_brace,    &Rewriter::close_brace,
            &Rewriter::semicolon,         &Rewriter::access_label,
        };
        for (const Handler handler : kHandlers)
            if (const std::size_t next = (this->*handler)(i); next != kNone)
                return next;
        result_.body += token.text;
        return i + 1;
    }

    Scope& scope() { return scopes_.back(); }
    bool in_namespace() const { return scopes_.back().kind == ScopeKind::namespace_; }
    bool in_block() const { return scopes_.back().kind == ScopeKind::block; }

    void begin_statement(std::size_t i) {
        statement_ = i;
        statement_output_ = result_.body.size();
        pending_ = {};
    }
    void end_statement() { statement_ = kNone; }

    /// Copies only the line structure of [begin, end), so that later lines keep their numbers.
    void keep_lines(std::size_t begin, std::size_t end) {
        result_.body += source_.line_structure(begin, end);
    }

    /// Takes back what was written of the statement at hand and leaves out everything before `end`.
    std::size_t drop_statement(std::size_t end) {
        result_.body.resize(statement_output_);
        keep_lines(statement_, end);
        end_statement();
        return end;
    }

    std::string scope_path() const {
        std::string path;
        for (std::size_t k = 0; k < std::min(scopes_.size(), kMaxScopePath); ++k)
            if (!scopes_[k].name.empty())
                path += (path.empty() ? "" : "::") + scopes_[k].name;
        return path;
    }

    // --- attributes ----------------------------------------------------------------------------------------

    std::size_t attribute(std::size_t i) {
        const std::size_t end = source_.attribute_end(i);
        if (end == kNone)
            return kNone;
        bool keep = false;
        for (const Attribute& a : parse_attributes(source_, i, end))
            keep |= apply(a);
        if (keep)
            result_.body += source_.text(i, end);
        else
            keep_lines(i, end);
        return end;
    }

    /// Takes note of one attribute. True when the compiler should see it.
    bool apply(const Attribute& a) {
        if (a.name == "kernel" || a.name == "vertex" || a.name == "fragment") {
            if (in_namespace() && !pending_.kernel && a.name == "kernel")
                result_.body += "kernel ";
            pending_.kernel |= a.name == "kernel";
            pending_.stage |= a.name != "kernel";
        } else if (a.name == "host_name") {
            pending_.host_name = unquote(a.arguments);
        } else if (a.name == "max_total_threads_per_threadgroup") {
            pending_.max_total_threads = evaluate_integer(a.arguments);
            if (pending_.parsed_kernel)
                result_.kernels[*pending_.parsed_kernel].max_total_threads = pending_.max_total_threads;
        } else if (a.name == "function_constant" && in_namespace()) {
            function_constant(a);
        }
        return is_standard_attribute(a.name);
    }

    /// At the attribute of `constant T name [[function_constant(n)]];`. As a parameter's attribute it only
    /// says when the argument is bound.
    void function_constant(const Attribute& a) {
        FunctionConstant constant;
        const std::size_t name = source_.previous(a.begin);
        if (name == kNone || name <= statement_ || !source_.is_word(name) || pending_.parenthesis ||
            pending_.function_constant)
            return;
        pending_.function_constant = true;
        for (std::size_t k = statement_; k < name; ++k)
            if (source_[k].significant() &&
                !is_one_of(source_[k].text, {"constant", "const", "constexpr", "static"}))
                constant.type += (constant.type.empty() ? "" : " ") + std::string(source_[k].text);
        constant.name = source_[name].text;
        constant.scope = scope_path();
        constant.index = evaluate_integer(a.arguments);
        result_.body.resize(statement_output_);
        result_.body += "extern const bool " + constant.name + "__defined; extern const " + constant.type +
                        " " + constant.name;
        keep_lines(statement_, a.begin);
        result_.constants.push_back(std::move(constant));
    }

    // --- kernels -------------------------------------------------------------------------------------------

    std::size_t stage_keyword(std::size_t i) {
        if (!in_namespace() || source_[i].kind != TokenKind::word)
            return kNone;
        pending_.kernel |= source_[i].is("kernel");
        pending_.stage |= is_one_of(source_[i].text, {"vertex", "fragment"});
        return kNone;
    }

    std::size_t open_parenthesis(std::size_t i) {
        pending_.parenthesis |= source_[i].is("(");
        if (!source_[i].is("(") || !in_namespace() || !pending_.kernel || pending_.parsed_kernel ||
            source_.partner(i) == kNone)
            return kNone;
        const std::size_t name = source_.previous(i);
        if (name == kNone || name <= statement_ || source_[name].kind != TokenKind::word ||
            is_one_of(source_[name].text, {"__attribute__", "alignas", "decltype", "requires"}))
            return kNone;
        Kernel kernel;
        kernel.name = source_[name].text;
        kernel.arguments = parse_arguments(source_, i + 1, source_.partner(i));
        kernel.max_total_threads = pending_.max_total_threads;
        kernel.line = source_.line(name);
        pending_.parsed_kernel = result_.kernels.size();
        result_.kernels.push_back(std::move(kernel));
        return kNone;
    }

    /// The body of a kernel begins: it is an entry point unless it is a template.
    void define_kernel() {
        if (!pending_.parsed_kernel || source_[statement_].is("template"))
            return;
        const Kernel& kernel = result_.kernels[*pending_.parsed_kernel];
        EntryPoint entry;
        entry.scope = scope_path();
        entry.expression = kernel.name;
        entry.name = !pending_.host_name.empty() ? pending_.host_name
                     : entry.scope.empty()       ? kernel.name
                                                 : entry.scope + "::" + kernel.name;
        entry.kernel = *pending_.parsed_kernel;
        result_.entries.push_back(std::move(entry));
    }

    /// `template [[host_name("x")]] kernel void f<float>(…);` The compiler need not see it: the entry's own
    /// code instantiates the kernel.
    std::size_t instantiation(std::size_t i) {
        if (!source_[i].is("template") || statement_ != i || !in_namespace())
            return kNone;
        const std::size_t next = source_.next(i + 1);
        if (next == kNone || source_[next].is("<"))
            return kNone;
        const std::size_t end = source_.statement_end(i);
        bool kernel = false;
        std::string host_name;
        std::size_t at = next;
        while (at < end) {
            if (const std::size_t after = source_.attribute_end(at); after != kNone) {
                for (const Attribute& a : parse_attributes(source_, at, after)) {
                    kernel |= a.name == "kernel";
                    if (a.name == "host_name")
                        host_name = unquote(a.arguments);
                }
                at = after;
            } else if (source_[at].is("kernel")) {
                kernel = true;
                ++at;
            } else if (source_[at].significant()) {
                break;
            } else {
                ++at;
            }
        }
        if (!kernel)
            return kNone;
        if (!host_name.empty())
            add_instantiation(host_name, at, end);
        return drop_statement(std::min(end + 1, source_.size()));
    }

    /// [begin, end): return type, name, template arguments, parameter types.
    void add_instantiation(const std::string& host_name, std::size_t begin, std::size_t end) {
        EntryPoint entry;
        std::size_t last = source_.previous(end);
        if (last != kNone && last > begin && source_[last].is(")") && source_.partner(last) != kNone) {
            const std::size_t open = source_.partner(last);
            entry.parameter_types = source_.joined(open + 1, last);
            last = source_.previous(open);
        }
        std::size_t name = last;
        if (last != kNone && last > begin && source_[last].is(">")) {
            entry.parameter_types.clear();
            const std::size_t open = source_.angle_begin(last, begin);
            name = open == kNone ? kNone : source_.previous(open);
        }
        if (name == kNone || name < begin || source_[name].kind != TokenKind::word)
            return;
        const auto kernel = find_kernel(source_[name].text);
        if (!kernel)
            return;
        entry.name = host_name;
        entry.scope = scope_path();
        entry.expression = source_.joined(source_.qualified_begin(name, begin), last + 1);
        entry.kernel = *kernel;
        result_.entries.push_back(std::move(entry));
    }

    std::optional<std::size_t> find_kernel(std::string_view name) const {
        for (std::size_t k = result_.kernels.size(); k-- > 0;)
            if (result_.kernels[k].name == name)
                return k;
        return {};
    }

    // --- statements inside functions -----------------------------------------------------------------------

    /// `threadgroup T a[n], b;` becomes references into the threadgroup's memory.
    std::size_t threadgroup_local(std::size_t i) {
        if (!source_[i].is("threadgroup") || statement_ != i || !in_block())
            return kNone;
        const std::size_t end = source_.statement_end(i);
        const auto variables = parse_threadgroup_variables(source_, i + 1, end);
        if (variables.empty())
            return kNone;
        for (const auto& v : variables) {
            const std::string type = v.name + "__threadgroup_type";
            result_.body += "typedef " + v.type + " " + type + v.dimensions + "; " + type + "& " + v.name +
                            " = MSL_THREADGROUP(" + type + ", " + std::to_string(++threadgroup_variables_) +
                            "); ";
        }
        keep_lines(i, end);
        end_statement();
        return std::min(end + 1, source_.size());
    }

    std::size_t defined_query(std::size_t i) {
        if (!source_[i].is("is_function_constant_defined"))
            return kNone;
        const std::size_t open = source_.next(i + 1);
        if (open == kNone || !source_[open].is("(") || source_.partner(open) == kNone)
            return kNone;
        const std::size_t close = source_.partner(open);
        result_.body += "(" + source_.joined(open + 1, close) + "__defined)";
        keep_lines(i, close);
        return close + 1;
    }

    /// 1.0h and 1.0bf.
    std::size_t literal(std::size_t i) {
        if (source_[i].kind != TokenKind::number)
            return kNone;
        const std::string rewritten = rewrite_number(source_[i].text);
        result_.body += rewritten;
        return i + 1;
    }

    // --- scopes --------------------------------------------------------------------------------------------

    std::size_t open_brace(std::size_t i) {
        if (!source_[i].is("{"))
            return kNone;
        if (in_namespace() && pending_.stage && !pending_.kernel)
            return drop_statement(source_.after_partner(i));
        if (!in_block() && repeats_signature(i))
            return drop_statement(source_.after_partner(body_begin(source_, statement_, i)));
        define_kernel();
        scopes_.push_back(opened_scope(i));
        result_.body += "{";
        end_statement();
        return i + 1;
    }

    Scope opened_scope(std::size_t brace) const {
        if (in_block())
            return {ScopeKind::block, "", {}};
        const ScopeHead head = read_scope_head(source_, statement_, brace);
        if (head.kind == ScopeHead::Kind::namespace_)
            return {ScopeKind::namespace_, head.name, {}};
        return {head.kind == ScopeHead::Kind::class_ ? ScopeKind::class_ : ScopeKind::block, head.name, {}};
    }

    std::size_t close_brace(std::size_t i) {
        if (!source_[i].is("}"))
            return kNone;
        if (scopes_.size() > 1)
            scopes_.pop_back();
        result_.body += "}";
        end_statement();
        return i + 1;
    }

    std::size_t semicolon(std::size_t i) {
        if (!source_[i].is(";"))
            return kNone;
        if (in_namespace() && pending_.stage && !pending_.kernel)
            return drop_statement(i + 1);
        if (scope().kind == ScopeKind::class_ && repeats_signature(i))
            return drop_statement(i + 1);
        result_.body += ";";
        end_statement();
        return i + 1;
    }

    std::size_t access_label(std::size_t i) {
        if (!source_[i].is(":") || scope().kind != ScopeKind::class_ || source_.previous(i) != statement_ ||
            !is_one_of(source_[statement_].text, {"public", "private", "protected"}))
            return kNone;
        result_.body += ":";
        end_statement();
        return i + 1;
    }

    /// True when the function that ends before `end` differs from an earlier one of this scope in address
    /// spaces only: C++ has one address space, so the first stands for all.
    bool repeats_signature(std::size_t end) {
        if (pending_.kernel || statement_ == kNone)
            return false;
        const Signature signature = read_signature(source_, statement_, end);
        if (signature.text.empty())
            return false;
        const bool is_new = scope().signatures.insert(signature.text).second;
        return !is_new && signature.has_address_space;
    }

    TokenList source_;
    Rewritten result_;
    std::vector<Scope> scopes_;
    Pending pending_;
    std::size_t statement_ = kNone; ///< first token of the statement at hand
    std::size_t statement_output_ = 0;
    std::size_t threadgroup_variables_ = 0;
};

} // namespace

Rewritten rewrite(std::string_view preprocessed) { return Rewriter(preprocessed).run(); }

} // namespace assay::msl
