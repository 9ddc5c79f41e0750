// The catalogue of queries: probe/queries.json, a row per query, and the questions it expands to.
#pragma once
#include "base/json.h"
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// What a larger or a new value means when two tables are compared.
enum class Compare {
    higher, ///< more is better: limits, and yes over no
    lower,  ///< less is better: alignments
    exact,  ///< neither is better: names, places
    set,    ///< a set of names: more members are better
};

/// One integer argument of a query and every value it is asked with.
struct QueryArgument {
    struct Value {
        std::string name; ///< as it appears in the key
        long value;
    };
    std::string name;
    std::string encoding; ///< "q" or "Q"
    std::vector<Value> values;
};

/// One row of the catalogue.
struct Query {
    std::string key;               ///< pattern, as "supportsFamily({family})"
    std::vector<std::string> path; ///< selectors from the device to the value
    std::string group;             ///< heading under which answers are shown
    std::string kind;              ///< bool | uint | enum | string | size3 | strings
    std::string encoding;          ///< return type of the last selector as on arm64
    std::string macos;             ///< version that introduced it
    std::string deprecated;        ///< version that deprecated it, or empty
    std::string meaning;
    std::string unit; ///< or empty
    Compare compare = Compare::exact;
    bool is_volatile = false; ///< differs between runs or boots of one system
    std::vector<QueryArgument> arguments;
    std::vector<std::pair<std::uint64_t, std::string>> names; ///< of enumeration values
    std::vector<std::string> hazards;
    std::vector<std::string> source; ///< keys of Catalogue::sources()
};

/// One concrete question: a query with its arguments filled in.
struct Question {
    const Query* query;
    std::string key; ///< as "supportsFamily(Apple7)"
    std::vector<long> arguments;
};

class Catalogue {
  public:
    /// The embedded catalogue; one that does not parse ends the program, for a test has read it.
    static const Catalogue& get();
    static Result<Catalogue> parse(std::string_view text, const std::string& name);

    std::span<const Query> queries() const { return queries_; }
    /// Every question, in the order of the rows.
    std::vector<Question> questions() const;
    /// The row a key belongs to, whatever its arguments; null for a key of nobody's.
    const Query* find(std::string_view key) const;
    /// Group names in the order in which they are shown.
    std::vector<std::string> groups() const;
    const std::vector<std::pair<std::string, std::string>>& sources() const { return sources_; }

  private:
    std::vector<Query> queries_;
    std::vector<std::pair<std::string, std::string>> sources_;
};

} // namespace assay
