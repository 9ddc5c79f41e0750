// Client gates: what known programs read from a device, and which of their paths that opens.
#pragma once
#include "kernels/answers.h"
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

class Problems;

/// A condition over answers: any, all and not over comparisons of one answer, the system's version, and
/// environment variables of the client.
class Expression {
  public:
    /// Reads the JSON form; problems are added at JSON pointers below `pointer`.
    static Expression from_json(const json::value& value, const std::string& pointer, Problems& problems);
    json::value to_json() const;

    /// Yes, no, or unknown when it depends on an answer that is unrecorded or of the wrong type.
    Truth evaluate(const Answers& answers) const;
    /// Every query key it mentions, each once, in order.
    std::vector<std::string> queries() const;

    static Expression is(std::string query, bool wanted);
    static Expression os_at_least(std::string os, std::string version);
    static Expression any(std::vector<Expression> parts);
    static Expression all(std::vector<Expression> parts);

  private:
    enum class Kind { any, all, negation, is, equals, contains, at_least, generation_at_least, os, env };
    struct Comparison {
        std::string_view key;
        Kind kind;
    };
    static const std::vector<Comparison>& comparisons();
    Truth compare(const json::value& answer) const;
    void collect(std::vector<std::string>& keys) const;

    Kind kind_ = Kind::all;
    std::vector<Expression> parts_;
    std::string subject_; ///< query key, system or variable
    json::value wanted_;
};

/// One row of client_gates.json.
struct Gate {
    std::string id;
    std::string client;
    std::string version;                  ///< the source it was read from
    std::string goal;                     ///< name a user gives to --goal; empty: an explanation only
    std::string role;                     ///< fast_path, admission, side_effect, limit, tuning or info
    std::optional<Expression> expression; ///< empty: not expressible, `condition` says it in words
    std::vector<std::string> needs;       ///< features the opened path relies on
    std::string query;
    std::string condition;
    std::string path;                              ///< what opens
    std::string if_broken;                         ///< what was seen when it opened without its needs
    std::vector<std::string> environment_override; ///< the client's own switches
    std::string where;
    std::vector<std::string> references;

    /// Whether it is open under these answers; unknown without an expression.
    Truth open(const Answers& answers) const {
        return expression ? expression->evaluate(answers) : Truth::unknown;
    }
};

/// Name of the pseudo-client that has one gate per feature of Apple's tables.
inline constexpr std::string_view kDocumented = "documented";

/// Every gate: the known clients', then the documented ones (id "documented-" + feature).
const std::vector<Gate>& client_gates();

/// The goals that have gates, each once, in the order of client_gates().
std::vector<std::string> goals();

/// The gates of a goal, or an error that lists the goals.
Result<std::vector<const Gate*>> gates_of(std::string_view goal);

/// Reads gates; every problem of the document is in the one error.
Result<std::vector<Gate>> gates_from_json(const json::value& value, const std::string& name);

} // namespace assay
