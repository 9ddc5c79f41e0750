// The compiler's messages as the user should see them: about their file, with their lines.
#include "metal/software/msl/diagnostics.h"

#include "base/text.h"
#include "metal/software/msl/token_list.h"
#include <charconv>
#include <map>
#include <optional>

namespace assay::msl {

namespace {

constexpr std::size_t kMaxSnippet = 400;

struct Position {
    std::size_t line = 0;
    std::size_t column = 0;
    std::string_view rest; ///< " error: …"
};

/// Takes "program_source:12:3: error: …" apart.
std::optional<Position> parse_position(std::string_view message) {
    if (message.substr(0, kSourceName.size()) != kSourceName)
        return {};
    message.remove_prefix(kSourceName.size());
    Position out;
    for (std::size_t* number : {&out.line, &out.column}) {
        if (message.empty() || message.front() != ':')
            return {};
        const auto [end, code] =
            std::from_chars(message.data() + 1, message.data() + message.size(), *number);
        if (code != std::errc())
            return {};
        message.remove_prefix(static_cast<std::size_t>(end - message.data()));
    }
    if (message.empty() || message.front() != ':')
        return {};
    out.rest = message.substr(1);
    return out;
}

/// Messages about precompiled source name it below the folder it was compiled in.
std::string_view without_folder(std::string_view message) {
    for (const std::string_view name : {kSourceName, kEntryFile}) {
        const auto at = message.find("/" + std::string(name) + ":");
        if (!message.empty() && message.front() == '/' && at < message.find(": "))
            return message.substr(at + 1);
    }
    return message;
}

/// "In instantiation of …" at a call that the user did not write.
bool is_entry_note(std::string_view message) {
    return message.substr(0, kEntryFile.size()) == kEntryFile &&
           message.find(": note: ") != std::string_view::npos;
}

std::string replace_all(std::string text, std::string_view from, std::string_view to) {
    for (std::size_t at = 0; !from.empty() && (at = text.find(from, at)) != std::string::npos;
         at += to.size())
        text.replace(at, from.size(), to);
    return text;
}

/// A token and which of its equals on the line it is.
struct Place {
    std::string text;
    std::size_t ordinal = 0;
};

/// Finds tokens by line and column in the text the compiler saw.
class CompiledText {
  public:
    explicit CompiledText(std::string_view text) : tokens_(text) {
        for (std::size_t i = 0; i < tokens_.size(); ++i)
            if (tokens_[i].significant())
                by_line_[tokens_.line(i)].push_back(i);
    }

    std::optional<Place> token_at(std::size_t line, std::size_t column) const {
        const auto found = by_line_.find(line);
        if (found == by_line_.end())
            return {};
        std::map<std::string_view, std::size_t> seen;
        for (const std::size_t i : found->second) {
            const std::size_t ordinal = seen[tokens_[i].text]++;
            const std::size_t begin = column_of(i);
            if (begin <= column && column < begin + tokens_[i].text.size())
                return Place{std::string(tokens_[i].text), ordinal};
        }
        return {};
    }

  private:
    /// From 1, counted on the physical line.
    std::size_t column_of(std::size_t i) const {
        std::size_t column = 1;
        while (i-- > 0) {
            const auto newline = tokens_[i].text.rfind('\n');
            if (newline != std::string_view::npos)
                return column + tokens_[i].text.size() - newline - 1;
            column += tokens_[i].text.size();
        }
        return column;
    }

    TokenList tokens_;
    std::map<std::size_t, std::vector<std::size_t>> by_line_;
};

/// The column of a place in the user's line; 0 when the token is not there (it came out of a macro).
std::size_t find_place(std::string_view line, const Place& place) {
    std::size_t column = 1;
    std::size_t ordinal = 0;
    for (const Token& token : tokenize(line)) {
        if (token.is(place.text) && ordinal++ == place.ordinal)
            return column;
        column += token.text.size();
    }
    return 0;
}

std::size_t first_column(std::string_view line) {
    const auto at = line.find_first_not_of(" \t");
    return at == std::string_view::npos ? 1 : at + 1;
}

/// The line and a caret below the column; tabs stay tabs so that the caret lines up. Nothing for lines that
/// no person wrote.
std::string snippet(std::string_view line, std::size_t column) {
    if (line.size() > kMaxSnippet)
        return "";
    std::string caret;
    for (std::size_t k = 0; k + 1 < column && k < line.size(); ++k)
        caret += line[k] == '\t' ? '\t' : ' ';
    return std::string(line) + "\n" + caret + "^\n";
}

/// "1 warning and 2 errors generated."
class Counter {
  public:
    void see(std::string_view message) {
        warnings_ += contains(message, ": warning: ");
        errors_ += contains(message, ": error: ") || contains(message, ": fatal error: ");
    }
    std::string line() const {
        std::string out = counted(warnings_, "warning");
        if (errors_ > 0)
            out += (out.empty() ? "" : " and ") + counted(errors_, "error");
        return out.empty() ? "" : out + " generated.\n";
    }

  private:
    static bool contains(std::string_view text, std::string_view part) {
        return text.find(part) != std::string_view::npos;
    }
    static std::string counted(std::size_t n, std::string_view noun) {
        return n == 0 ? "" : std::to_string(n) + " " + std::string(noun) + (n == 1 ? "" : "s");
    }
    std::size_t warnings_ = 0;
    std::size_t errors_ = 0;
};

} // namespace

std::string diagnostic(std::size_t line, std::size_t column, std::string_view kind, std::string_view text) {
    return std::string(kSourceName) + ":" + std::to_string(line) + ":" + std::to_string(column) + ": " +
           std::string(kind) + ": " + std::string(text) + "\n";
}

std::string explain(std::string_view messages, std::string_view compiled, std::string_view source,
                    std::string_view headers) {
    const CompiledText text(compiled);
    const auto lines = split(source, '\n');
    std::string out;
    Counter counter;
    for (auto message : split(messages, '\n')) {
        message = without_folder(message);
        if (message.empty() || message.substr(0, 21) == "In file included from" || is_entry_note(message))
            continue;
        counter.see(message);
        const auto position = parse_position(message);
        if (!position || position->line == 0 || position->line > lines.size()) {
            out += std::string(message) + "\n";
            continue;
        }
        const std::string_view line = lines[position->line - 1];
        std::size_t column = position->column;
        if (const auto place = text.token_at(position->line, column))
            column = find_place(line, *place);
        if (column == 0 || column > line.size() + 1)
            column = first_column(line);
        out += std::string(kSourceName) + ":" + std::to_string(position->line) + ":" +
               std::to_string(column) + ":" + std::string(position->rest) + "\n" + snippet(line, column);
    }
    out += counter.line();
    return headers.empty() ? out : replace_all(std::move(out), std::string(headers) + "/", "");
}

} // namespace assay::msl
