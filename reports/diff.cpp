// The difference between two capability tables.
#include "reports/diff.h"
#include "probe/catalogue.h"
#include "probe/render.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace assay {

namespace {

bool recorded(const Answer* answer) { return answer && answer->status != AnswerStatus::not_asked; }

/// -1, 0 or 1 for a smaller, equal or larger second number.
int compare_numbers(const json::value& before, const json::value& after, double tolerance) {
    if (tolerance == 0 && !before.is_double() && !after.is_double()) {
        const bool negative_before = before.is_int64() && before.get_int64() < 0;
        const bool negative_after = after.is_int64() && after.get_int64() < 0;
        if (negative_before != negative_after)
            return negative_before ? 1 : -1;
        if (negative_before)
            return (before.get_int64() < after.get_int64()) - (before.get_int64() > after.get_int64());
        const auto a = before.to_number<std::uint64_t>();
        const auto b = after.to_number<std::uint64_t>();
        return (a < b) - (a > b);
    }
    const auto difference = after.to_number<double>() - before.to_number<double>();
    return std::abs(difference) <= tolerance ? 0 : difference > 0 ? 1 : -1;
}

std::multiset<std::string> members(const json::array& array) {
    std::multiset<std::string> out;
    for (const auto& element : array)
        out.insert(write_json_line(element));
    return out;
}

Change compare_sets(const json::array& before, const json::array& after) {
    const auto a = members(before);
    const auto b = members(after);
    if (a == b)
        return Change::same;
    if (std::includes(b.begin(), b.end(), a.begin(), a.end()))
        return Change::gained;
    return std::includes(a.begin(), a.end(), b.begin(), b.end()) ? Change::lost : Change::changed;
}

/// Sizes: raised when no component shrinks.
Change compare_sizes(const json::array& before, const json::array& after) {
    bool grows = false;
    bool shrinks = false;
    for (std::size_t i = 0; i < before.size(); ++i) {
        const int order = compare_numbers(before[i], after[i], 0);
        grows = grows || order > 0;
        shrinks = shrinks || order < 0;
    }
    return grows && shrinks ? Change::changed
           : grows          ? Change::raised
           : shrinks        ? Change::lowered
                            : Change::same;
}

bool all_numbers(const json::array& array) {
    return !array.empty() &&
           std::all_of(array.begin(), array.end(), [](const auto& v) { return v.is_number(); });
}

/// The change of an answered query, with the order that the kind of its values has.
Change compare_values(const Answer& before, const Answer& after) {
    const auto& a = before.value;
    const auto& b = after.value;
    if (a.is_bool() && b.is_bool())
        return a == b ? Change::same : b.get_bool() ? Change::gained : Change::lost;
    if (a.is_number() && b.is_number()) {
        const int order = compare_numbers(a, b, before.precision.value_or(0) + after.precision.value_or(0));
        return order == 0 ? Change::same : order > 0 ? Change::raised : Change::lowered;
    }
    if (a.is_array() && b.is_array()) {
        const auto& first = a.get_array();
        const auto& second = b.get_array();
        if (first.size() == second.size() && all_numbers(first) && all_numbers(second))
            return compare_sizes(first, second);
        return compare_sets(first, second);
    }
    return a == b ? Change::same : Change::changed;
}

Change compare_answers(const Answer* before, const Answer* after) {
    if (!recorded(before) || !recorded(after))
        return recorded(before) ? Change::unknown : recorded(after) ? Change::known : Change::same;
    if (before->answered() && after->answered())
        return compare_values(*before, *after);
    if (before->answered() != after->answered())
        return after->answered() ? Change::appeared : Change::vanished;
    return before->status == after->status ? Change::same : Change::changed;
}

Effect effect_of(Change change, const Query* query) {
    const bool upwards = change == Change::gained || change == Change::raised;
    const bool downwards = change == Change::lost || change == Change::lowered;
    if (change == Change::appeared)
        return Effect::better;
    if (change == Change::vanished)
        return Effect::worse;
    if (!query || query->compare == Compare::exact || !(upwards || downwards))
        return Effect::neutral;
    return upwards == (query->compare != Compare::lower) ? Effect::better : Effect::worse;
}

/// A query without an order shows as changed, whatever its values are.
Change named_change(Change change, const Query* query) {
    const bool ordered = change == Change::gained || change == Change::lost || change == Change::raised ||
                         change == Change::lowered;
    return ordered && query && query->compare == Compare::exact ? Change::changed : change;
}

DiffRow diff_row(const std::string& key, const Answer* before, const Answer* after) {
    const auto* query = Catalogue::get().find(key);
    DiffRow row;
    row.key = key;
    row.group = query ? query->group : std::string{};
    row.is_volatile = query && query->is_volatile;
    const auto change = compare_answers(before, after);
    row.change = named_change(change, query);
    row.effect = effect_of(change, query);
    row.before = before;
    row.after = after;
    return row;
}

/// Every key of either device: those of the catalogue in its order, then the others as they come.
std::vector<std::string> keys_of(const Device& before, const Device& after) {
    std::vector<std::string> keys;
    std::set<std::string> taken;
    const auto take = [&](const std::string& key) {
        if ((before.find(key) || after.find(key)) && taken.insert(key).second)
            keys.push_back(key);
    };
    for (const auto& question : Catalogue::get().questions())
        take(question.key);
    for (const auto* device : {&before, &after})
        for (const auto& entry : device->answers())
            take(entry.key);
    return keys;
}

DeviceDiff diff_devices(const Device& before, const Device& after) {
    DeviceDiff out;
    out.before = before.name;
    out.after = after.name;
    for (const auto& key : keys_of(before, after))
        out.rows.push_back(diff_row(key, before.find(key), after.find(key)));
    return out;
}

using Facts = std::vector<std::pair<std::string, std::string>>;

Facts facts_of(const Table& table) {
    Facts facts{{"backend", table.backend}, {"source", table.source}};
    for (auto& line : identity_facts(table.identity))
        facts.push_back(std::move(line));
    facts.emplace_back("Metal UUID", table.identity.metal_uuid);
    facts.emplace_back("driver UUID", table.identity.driver_uuid);
    const auto* device = table.devices.empty() ? nullptr : &table.devices.front();
    facts.emplace_back("device class", device ? device->class_name : std::string{});
    return facts;
}

std::vector<IdentityRow> diff_identities(const Table& before, const Table& after) {
    const auto first = facts_of(before);
    const auto second = facts_of(after); // the same facts in the same order
    std::vector<IdentityRow> rows;
    for (std::size_t i = 0; i < first.size(); ++i)
        if (first[i].second != second[i].second)
            rows.push_back({first[i].first, first[i].second, second[i].second});
    return rows;
}

} // namespace

std::string_view change_name(Change change) {
    switch (change) {
    case Change::same:
        return "same";
    case Change::gained:
        return "gained";
    case Change::lost:
        return "lost";
    case Change::raised:
        return "raised";
    case Change::lowered:
        return "lowered";
    case Change::changed:
        return "changed";
    case Change::appeared:
        return "appeared";
    case Change::vanished:
        return "vanished";
    case Change::known:
        return "unknown-to-known";
    case Change::unknown:
        return "known-to-unknown";
    }
    return {};
}

std::string_view effect_name(Effect effect) {
    return effect == Effect::better ? "better" : effect == Effect::worse ? "worse" : "neutral";
}

bool Diff::differs() const {
    return std::any_of(devices.begin(), devices.end(), [](const DeviceDiff& device) {
        return device.in_before != device.in_after ||
               std::any_of(device.rows.begin(), device.rows.end(), [](const DiffRow& row) {
                   return !row.is_volatile && row.change != Change::same && row.change != Change::known &&
                          row.change != Change::unknown;
               });
    });
}

Diff diff_tables(const Table& before, const Table& after) {
    Diff diff;
    diff.simulated = before.simulated() || after.simulated();
    diff.identity = diff_identities(before, after);
    static const Device kNone;
    for (std::size_t i = 0; i < std::max(before.devices.size(), after.devices.size()); ++i) {
        const bool in_before = i < before.devices.size();
        const bool in_after = i < after.devices.size();
        auto device =
            diff_devices(in_before ? before.devices[i] : kNone, in_after ? after.devices[i] : kNone);
        device.in_before = in_before;
        device.in_after = in_after;
        diff.devices.push_back(std::move(device));
    }
    return diff;
}

} // namespace assay
