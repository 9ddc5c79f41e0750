// The difference between two capability tables, for programs.
#include "reports/diff.h"

namespace assay {

static json::object row_json(const DiffRow& row) {
    json::object out;
    out["key"] = row.key;
    if (!row.group.empty())
        out["group"] = row.group;
    out["change"] = change_name(row.change);
    out["effect"] = effect_name(row.effect);
    if (row.is_volatile)
        out["volatile"] = true;
    if (row.before)
        out["before"] = to_json(*row.before);
    if (row.after)
        out["after"] = to_json(*row.after);
    return out;
}

static json::object device_json(const DeviceDiff& device, bool all) {
    json::object out;
    if (device.in_before)
        out["before"] = device.before;
    if (device.in_after)
        out["after"] = device.after;
    json::array rows;
    for (const auto& row : device.rows)
        if (all || (row.change != Change::same && !row.is_volatile))
            rows.push_back(row_json(row));
    out["changes"] = std::move(rows);
    return out;
}

json::object diff_json(const Diff& diff, const DiffNames& names, bool all) {
    json::object out;
    out["schema"] = "assay.diff/1";
    out["backend"] = diff.simulated ? "software" : "metal";
    out["before"] = names.before;
    out["after"] = names.after;
    out["differs"] = diff.differs();
    json::array identity;
    for (const auto& row : diff.identity) {
        json::object fact{{"fact", row.fact}};
        if (!row.before.empty())
            fact["before"] = row.before;
        if (!row.after.empty())
            fact["after"] = row.after;
        identity.push_back(std::move(fact));
    }
    out["identity"] = std::move(identity);
    json::array devices;
    for (const auto& device : diff.devices)
        devices.push_back(device_json(device, all));
    out["devices"] = std::move(devices);
    return out;
}

} // namespace assay
