// The ablation search: the smallest safe set of changed answers, as a pure function of an oracle.
//
// Proof obligations. Let S be a set of candidates, A(S) the answers a trial of S saw, B = A(∅) at stock.
//  1. Coherent: S never leaves a hole in a ladder (Apple7 "yes" above Apple6 "no") that B did not
//     have, and never answers one key twice.
//  2. Safe: a chosen S had a valid trial in which (a) every gate of the goal's clients that is open
//     under A(S) and not under B has all its needed features correct, and (b) no variant that
//     passed at stock failed. Whatever is inconclusive, skipped, void or flaky never counts as
//     correct.
//  3. Best: no coherent set with a better rank that was tried is safe. Rank: more admission gates
//     open, then more fast paths, then fewer overrides, then lower ladder steps, then candidate
//     order. `proven_smallest` says that every better-ranked set was tried or cannot be safe
//     whatever the device does.
//  4. 1-minimal: taking any single override (and what the ladder then forbids) out of S loses a
//     wanted gate or was tried and is unsafe. This holds even when the budget is spent.
//  5. Bounded: at most `budget` trials, plus those that obligation 4 still needs; confirmations are
//     counted apart. When every gate reads one answer and overrides do not interact, trial_budget()
//     is enough for `proven_smallest` of every goal that is within reach.
//  6. Nothing is assumed monotone: adding an override may break a safe set or mend an unsafe one.
//     What earlier trials suggest only changes the order in which sets are tried.
//  7. Confirmed: a chosen S passed `repeats` more trials; one failure among them rejects S and is
//     labelled with its rate.
#pragma once
#include "base/json.h"
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace assay::ablate {

using AnswerSet = std::map<std::string, json::value>;   ///< query key → answer
using OverrideSet = std::map<std::string, json::value>; ///< query key → the answer to give instead

/// The client whose gates are the features of Apple's tables rather than lines of a program.
inline constexpr std::string_view kDocumentedClient = "documented";

/// More candidates than this are refused: their subsets are ranked one by one.
inline constexpr std::size_t kMaxCandidates = 16;

/// One changed answer that may help.
struct Candidate {
    std::string key;
    json::value value;
    std::string why; ///< where it comes from, for the reader
};

enum class Role {
    fast_path,   ///< the goal wants it open
    admission,   ///< the client refuses to run without it
    side_effect, ///< nobody wants it, but what it opens must work
};

/// What a client reads, and what the path behind it needs.
struct Gate {
    std::string id;
    std::string client;
    Role role = Role::fast_path;
    std::vector<std::string> needs; ///< feature ids
    std::function<bool(const AnswerSet&)> open;
};

/// One variant of one kernel, and the features it exercises.
struct Variant {
    std::string kernel;
    std::string name;
    std::vector<std::string> features;
    std::string id() const { return kernel + "/" + name; }
};

/// How one variant ended in one trial.
struct Outcome {
    enum class Status { passed, failed, not_reported, skipped, inconclusive };
    Status status = Status::inconclusive;
    std::string rung;       ///< of a failure: the rung of the claim ladder it failed at
    std::string detail;     ///< why it failed, was skipped or says nothing
    std::size_t inputs = 0; ///< elements compared with a reference
};

/// Why a trial is made; goes into the journal.
enum class Purpose { stock, forced, single, set, minimise, isolate, confirm };
std::string_view purpose_name(Purpose purpose);

/// What one trial saw.
struct Trial {
    enum class Status {
        done,
        invalid, ///< says nothing, e.g. the overrides were not in effect
        stopped, ///< no further trial is possible, e.g. the device is wedged
    };
    Status status = Status::done;
    std::string reason;                      ///< of an invalid or stopped trial
    AnswerSet answers;                       ///< every answer as seen under the overrides
    std::map<std::string, Outcome> outcomes; ///< by Variant::id()
};

/// One trial to make.
struct TrialRequest {
    Purpose purpose = Purpose::stock;
    OverrideSet overrides;
    std::vector<std::string> variants; ///< ids to run, whatever is reported; in the catalogue's order
    unsigned repeat = 0;               ///< 0, or the number of the confirmation
};

/// Makes trials. Every call is one fresh trial.
class Oracle {
  public:
    virtual ~Oracle() = default;
    virtual Trial run(const TrialRequest& request) = 0;
};

/// Everything the search is given.
struct Problem {
    std::vector<Candidate> candidates; ///< at most kMaxCandidates
    std::vector<Gate> gates;           ///< of all clients
    std::set<std::string> goals;       ///< clients whose gates bind
    std::vector<Variant> variants;
    std::vector<std::vector<std::string>> ladders; ///< keys from low to high: a "yes" implies every lower one
    AnswerSet stock;        ///< decides what the first trial runs; what that trial sees is stock from then on
    std::size_t budget = 0; ///< trials, confirmations apart; 0: trial_budget()
    unsigned repeats = 0;   ///< confirmations in fresh processes
};

/// 2 × candidates + 12.
std::size_t trial_budget(std::size_t candidates);

/// One reason why a set is not safe.
struct Failure {
    enum class Cause {
        feature,      ///< a newly open gate needs `feature`, and `kernel` shows that it fails
        regression,   ///< `kernel` passed at stock and fails now
        unexercised,  ///< a newly open gate needs `feature`, which no kernel exercises
        inconclusive, ///< nothing shows that `feature` or `kernel` is right
        invalid,      ///< the whole trial says nothing
        flaky,        ///< a confirmation failed
    };
    Cause cause = Cause::feature;
    std::string kernel;
    std::string variant;
    std::string rung;
    std::string feature;
    std::string gate;
    std::string detail;
    /// One sentence: "residency_sets: residency_set/set fails at runs (…)".
    std::string text() const;
    /// The same without the detail in parentheses, unless that is all there is.
    std::string brief() const;
};

/// What changed answers promise to clients that are not the goal, and do not keep.
struct Hazard {
    std::vector<std::string> overrides; ///< the keys that open the gates
    std::string feature;
    std::string kernel;
    std::string variant;
    std::string rung;
    std::vector<std::string> clients;
    std::vector<std::string> gates;
    std::string detail;
};

/// A promise that nothing here can check.
struct Unchecked {
    std::string client;
    std::string gate;
    std::string feature;
    std::string why;
};

struct CandidateVerdict {
    enum class Kind {
        needed,
        not_needed,
        unsafe,
        inconclusive,
        at_stock, ///< the device gives this answer already
    };
    Candidate candidate;
    Kind kind = Kind::not_needed;
    std::vector<std::string> with;     ///< lower ladder steps that its own trial included
    std::optional<Failure> decided;    ///< what makes it unsafe for the goal or for everyone, or inconclusive
    std::vector<std::string> opens;    ///< wanted gates that need it (chosen), or that it alone opens
    std::vector<std::string> shown_by; ///< ids of passing variants that exercise what those gates need
    std::vector<Hazard> hazards;       ///< that this candidate adds to those of the lower steps
    std::vector<Unchecked> unchecked;  ///< likewise
};
std::string_view verdict_name(CandidateVerdict::Kind kind);

struct GateVerdict {
    enum class State { open_at_stock, opened, closed, broken_at_stock };
    std::string gate;
    std::string client;
    Role role = Role::fast_path;
    State state = State::closed;
    std::string why; ///< of a closed or broken one: which kernel and rung, or what nothing exercises
};

/// Overrides that are unsafe together while every smaller coherent part of them that was tried is safe.
struct Conflict {
    std::vector<std::string> overrides;
    Failure failure;
};

struct SearchResult {
    enum class Reach {
        no_shim_needed, ///< everything wanted is open and right at stock
        reached,
        partly,      ///< some wanted gates could be opened
        unreachable, ///< none could
        stopped,     ///< trials became impossible; `stopped` says why
    };
    Reach reach = Reach::unreachable;
    std::string stopped;
    OverrideSet chosen;
    bool proven_smallest = false;
    std::size_t untried = 0; ///< better-ranked sets that the budget did not reach
    std::vector<CandidateVerdict> candidates;
    std::vector<GateVerdict> gates; ///< the wanted ones
    std::vector<Conflict> conflicts;
    std::vector<Failure> rejected_in_confirmation;
    std::vector<Hazard> hazards; ///< of the chosen set
    std::vector<Unchecked> unchecked;
    Trial stock;
    Trial forced;
    Trial best; ///< the chosen set's own trial
    std::size_t trials = 0;
    std::size_t confirmations = 0; ///< made for the chosen set, all clean
};
std::string_view reach_name(SearchResult::Reach reach);

/// Runs the search. An error only for a malformed problem (too many candidates, no gate of the goal).
Result<SearchResult> search(const Problem& problem, Oracle& oracle);

} // namespace assay::ablate
