// The capability table: every answer of the devices of one system, with that system's identity.
#pragma once
#include "base/json.h"
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace assay {

inline constexpr std::string_view kTableSchema = "assay.table/1";

/// What became of one question.
enum class AnswerStatus {
    answered,
    absent,    ///< the selector does not exist, or its object is nil
    raised,    ///< it raised an Objective-C exception
    aborted,   ///< it ended the process
    timeout,   ///< it did not return before its deadline
    not_asked, ///< left out on purpose; the detail says why
};

/// How an answer is known.
enum class AnswerOrigin {
    asked,   ///< the device was asked
    logged,  ///< a client's log states it
    implied, ///< a client's own rule implies it
    assumed, ///< a device file filled it in: never a fact about hardware
};

std::string_view status_name(AnswerStatus status);
std::string_view origin_name(AnswerOrigin origin);

/// One answer: a boolean, a number, a string, or an array of scalars (a size as [width, height, depth], a set
/// of names).
struct Answer {
    AnswerStatus status = AnswerStatus::answered;
    json::value value; ///< null unless answered
    AnswerOrigin origin = AnswerOrigin::asked;
    /// A rounded figure: the true value differs from `value` by at most this much.
    std::optional<double> precision;
    std::string detail;

    static Answer of(json::value value, AnswerOrigin origin = AnswerOrigin::asked);
    static Answer none(AnswerStatus status, std::string detail = {});
    bool answered() const { return status == AnswerStatus::answered; }
};

/// One device and its answers by query key, in the order in which they were recorded.
class Device {
  public:
    struct Entry {
        std::string key;
        Answer answer;
    };

    std::string name;
    std::string class_name;   ///< empty when unrecorded
    std::string architecture; ///< empty when unrecorded

    /// Records an answer; a second answer to the same key replaces the first in its place.
    void set(const std::string& key, Answer answer);
    /// The answer, or null: a missing key means unrecorded, which is not "no".
    const Answer* find(std::string_view key) const;
    /// The value of an answered query; nothing when unrecorded or without an answer.
    std::optional<json::value> answer_value(std::string_view key) const;
    const std::vector<Entry>& answers() const { return answers_; }

  private:
    std::vector<Entry> answers_;
    std::unordered_map<std::string, std::size_t> index_;
};

/// Whether a library that changes Metal's answers was in the probing process.
struct ActiveShim {
    enum class Kind {
        unrecorded,
        none,
        ours,
        other, ///< `name` says which
    };
    Kind kind = Kind::unrecorded;
    std::string name;
};

/// The system that was asked. Empty text and nullopt mean unrecorded.
struct Identity {
    std::string tool; ///< version of the assay that wrote the table
    std::string os_name;
    std::string os_version;
    std::string os_build;
    std::string os_rapid_response; ///< suffix of a rapid security response, as "(a)"
    std::string model;             ///< hardware model, as "Mac13,2" or "VirtualMac2,1"
    std::string chip;              ///< as this system sees it
    std::optional<std::uint64_t> memory_bytes;
    std::optional<bool> virtual_machine;
    std::string virtual_machine_kind;
    std::string process_architecture;
    std::optional<bool> translated; ///< runs under Rosetta
    std::string sdk;                ///< the SDK the process was linked against
    std::string metal_uuid;         ///< LC_UUID of the Metal library
    std::string driver_bundle;
    std::string driver_version;
    std::string driver_uuid;
    ActiveShim shim;
};

/// Where a table comes from: "probe", or the format of the log it was read from, as "ggml".
inline constexpr std::string_view kProbeSource = "probe";

struct Table {
    std::string backend = "metal"; ///< "metal" or "software"
    std::string source = std::string(kProbeSource);
    Identity identity;
    std::vector<Device> devices; ///< empty: the system has no Metal device

    bool simulated() const { return backend == "software"; }
};

json::object to_json(const Identity& identity);
json::value to_json(const Answer& answer);
json::object to_json(const Table& table);

class Problems;
/// Reads an identity; problems are added at JSON pointers below `pointer`. `tool` may be missing.
Identity identity_from_json(const json::value& value, const std::string& pointer, Problems& problems);
/// Reads an answer of a table or of a device file's reports.
Answer answer_from_json(const json::value& value, const std::string& pointer, Problems& problems);
/// Reads a table; every problem of it is in the one error. `name` is the file's name for messages.
Result<Table> table_from_json(const json::value& value, const std::string& name);

/// Reads a table from a file ("-" is standard input).
Result<Table> read_table(const std::string& path);
/// Writes it pretty-printed ("-" is standard output).
Result<void> write_table(const Table& table, const std::string& path);

} // namespace assay
