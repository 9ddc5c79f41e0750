// The difference between two capability tables.
#pragma once
#include "probe/table.h"
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// How one answer changed from table A to table B.
enum class Change {
    same,
    gained,   ///< no to yes, or more members
    lost,     ///< yes to no, or fewer members
    raised,   ///< a larger number
    lowered,  ///< a smaller number
    changed,  ///< different, with no order: names, places, other failures
    appeared, ///< no answer (absent, raised, aborted, timeout) to an answer
    vanished, ///< an answer to no answer
    known,    ///< unrecorded in A. Not recorded is not "no", so this is not a difference
    unknown,  ///< unrecorded in B
};

/// What a change means by the catalogue's direction of comparison.
enum class Effect { better, worse, neutral };

std::string_view change_name(Change change);
std::string_view effect_name(Effect effect);

/// One query key in both tables.
struct DiffRow {
    std::string key;
    std::string group; ///< of the catalogue; empty for a key that this version does not know
    Change change = Change::same;
    Effect effect = Effect::neutral;
    bool is_volatile = false;       ///< differs between runs of one system, so it is never a difference
    const Answer* before = nullptr; ///< null when unrecorded
    const Answer* after = nullptr;
};

/// One fact of the systems' identities that is not the same.
struct IdentityRow {
    std::string fact;
    std::string before; ///< empty when unrecorded
    std::string after;
};

struct DeviceDiff {
    std::string before; ///< name of the device
    std::string after;
    bool in_before = true; ///< whether table A has such a device
    bool in_after = true;
    std::vector<DiffRow> rows; ///< every key of either table, in the catalogue's order
};

/// Points into the two tables it was made of.
struct Diff {
    std::vector<IdentityRow> identity;
    std::vector<DeviceDiff> devices; ///< first with first, second with second
    bool simulated = false;          ///< one of them is of the software device

    /// Whether any answer differs or a device is missing. Identities alone do not count: two releases of one
    /// system are meant to be compared.
    bool differs() const;
};

/// Compares number with number within the sum of their precisions, sets without order.
Diff diff_tables(const Table& before, const Table& after);

/// How the tables are called in the output.
struct DiffNames {
    std::string before;
    std::string after;
};

/// Columns for eyes, at most 100 wide. Without `all` only what differs.
std::string diff_text(const Diff& diff, const DiffNames& names, bool all);
/// "assay.diff/1".
json::object diff_json(const Diff& diff, const DiffNames& names, bool all);

} // namespace assay
