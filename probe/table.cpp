// The capability table: every answer of the devices of one system, with that system's identity.
#include "probe/table.h"
#include "base/file.h"
#include "base/json_reader.h"
#include "base/text.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace assay {

namespace {

constexpr std::array<std::pair<AnswerStatus, std::string_view>, 6> kStatuses{{
    {AnswerStatus::answered, "answered"},
    {AnswerStatus::absent, "absent"},
    {AnswerStatus::raised, "raised"},
    {AnswerStatus::aborted, "aborted"},
    {AnswerStatus::timeout, "timeout"},
    {AnswerStatus::not_asked, "not_asked"},
}};

constexpr std::array<std::pair<AnswerOrigin, std::string_view>, 4> kOrigins{{
    {AnswerOrigin::asked, "asked"},
    {AnswerOrigin::logged, "logged"},
    {AnswerOrigin::implied, "implied"},
    {AnswerOrigin::assumed, "assumed"},
}};

constexpr std::array<std::pair<ActiveShim::Kind, std::string_view>, 3> kShims{{
    {ActiveShim::Kind::none, "none"},
    {ActiveShim::Kind::ours, "ours"},
    {ActiveShim::Kind::other, "other"},
}};

template <class Pairs, class T>
std::string_view name_in(const Pairs& pairs, T value) {
    for (const auto& [candidate, name] : pairs)
        if (candidate == value)
            return name;
    return {};
}

bool is_scalar(const json::value& value) { return !value.is_null() && !value.is_structured(); }

bool is_answer_value(const json::value& value) {
    if (const auto* array = value.if_array())
        return std::all_of(array->begin(), array->end(), is_scalar);
    return is_scalar(value);
}

void add_text(json::object& object, std::string_view key, const std::string& text) {
    if (!text.empty())
        object[key] = text;
}

void add_group(json::object& object, std::string_view key, json::object group) {
    if (!group.empty())
        object[key] = std::move(group);
}

/// Members of an identity that are objects; a missing one reads as empty.
const json::value& group(ObjectReader& reader, std::string_view key) {
    static const json::value kEmpty = json::object{};
    const auto* value = reader.find(key);
    return value && !value->is_null() ? *value : kEmpty;
}

std::string text(ObjectReader& reader, std::string_view key) {
    return reader.optional_string(key).value_or("");
}

Device device_from_json(const json::value& value, const std::string& pointer, Problems& problems) {
    Device device;
    ObjectReader reader(value, pointer, problems);
    device.name = reader.string("name");
    device.class_name = text(reader, "class");
    device.architecture = text(reader, "architecture");
    reader.require("answers");
    for (const auto& member : reader.object("answers")) {
        const std::string key(member.key());
        const auto at = pointer + "/answers/" + pointer_escape(key);
        if (key.empty())
            problems.add(at, "a query key must not be empty");
        device.set(key, answer_from_json(member.value(), at, problems));
    }
    return device;
}

} // namespace

std::string_view status_name(AnswerStatus status) { return name_in(kStatuses, status); }
std::string_view origin_name(AnswerOrigin origin) { return name_in(kOrigins, origin); }

Answer Answer::of(json::value value, AnswerOrigin origin) {
    Answer answer;
    answer.value = std::move(value);
    answer.origin = origin;
    return answer;
}

Answer Answer::none(AnswerStatus status, std::string detail) {
    Answer answer;
    answer.status = status;
    answer.detail = std::move(detail);
    return answer;
}

void Device::set(const std::string& key, Answer answer) {
    const auto [found, fresh] = index_.try_emplace(key, answers_.size());
    if (fresh)
        answers_.push_back({key, std::move(answer)});
    else
        answers_[found->second].answer = std::move(answer);
}

const Answer* Device::find(std::string_view key) const {
    const auto found = index_.find(std::string(key));
    return found == index_.end() ? nullptr : &answers_[found->second].answer;
}

std::optional<json::value> Device::answer_value(std::string_view key) const {
    const auto* answer = find(key);
    if (!answer || !answer->answered())
        return {};
    return answer->value;
}

json::object to_json(const Identity& identity) {
    json::object out;
    add_text(out, "tool", identity.tool);
    json::object os;
    add_text(os, "name", identity.os_name);
    add_text(os, "version", identity.os_version);
    add_text(os, "build", identity.os_build);
    add_text(os, "rapid_response", identity.os_rapid_response);
    add_group(out, "os", std::move(os));
    add_text(out, "model", identity.model);
    add_text(out, "chip", identity.chip);
    if (identity.memory_bytes)
        out["memory_bytes"] = *identity.memory_bytes;
    json::object machine;
    if (identity.virtual_machine)
        machine["present"] = *identity.virtual_machine;
    add_text(machine, "kind", identity.virtual_machine_kind);
    add_group(out, "virtual_machine", std::move(machine));
    json::object process;
    add_text(process, "architecture", identity.process_architecture);
    if (identity.translated)
        process["translated"] = *identity.translated;
    add_text(process, "sdk", identity.sdk);
    add_group(out, "process", std::move(process));
    json::object metal;
    add_text(metal, "uuid", identity.metal_uuid);
    add_group(out, "metal", std::move(metal));
    json::object driver;
    add_text(driver, "bundle", identity.driver_bundle);
    add_text(driver, "version", identity.driver_version);
    add_text(driver, "uuid", identity.driver_uuid);
    add_group(out, "driver", std::move(driver));
    json::object shim;
    if (identity.shim.kind != ActiveShim::Kind::unrecorded)
        shim["active"] = name_in(kShims, identity.shim.kind);
    add_text(shim, "name", identity.shim.name);
    add_group(out, "shim", std::move(shim));
    return out;
}

json::value to_json(const Answer& answer) {
    json::object out;
    if (!answer.answered()) {
        out["status"] = status_name(answer.status);
        if (answer.origin != AnswerOrigin::asked)
            out["origin"] = origin_name(answer.origin);
    } else {
        if (answer.origin == AnswerOrigin::asked && !answer.precision && answer.detail.empty())
            return answer.value;
        out["value"] = answer.value;
        out["origin"] = origin_name(answer.origin);
        if (answer.precision)
            out["precision"] = *answer.precision;
    }
    add_text(out, "detail", answer.detail);
    return out;
}

json::object to_json(const Table& table) {
    json::object out;
    out["schema"] = kTableSchema;
    out["backend"] = table.backend;
    out["source"] = table.source;
    out["identity"] = to_json(table.identity);
    json::array devices;
    for (const auto& device : table.devices) {
        json::object entry;
        entry["name"] = device.name;
        add_text(entry, "class", device.class_name);
        add_text(entry, "architecture", device.architecture);
        json::object answers;
        for (const auto& [key, answer] : device.answers())
            answers[key] = to_json(answer);
        entry["answers"] = std::move(answers);
        devices.push_back(std::move(entry));
    }
    out["devices"] = std::move(devices);
    return out;
}

Identity identity_from_json(const json::value& value, const std::string& pointer, Problems& problems) {
    Identity out;
    ObjectReader reader(value, pointer, problems);
    out.tool = text(reader, "tool");
    {
        ObjectReader os(group(reader, "os"), reader.pointer("os"), problems);
        out.os_name = text(os, "name");
        out.os_version = text(os, "version");
        out.os_build = text(os, "build");
        out.os_rapid_response = text(os, "rapid_response");
    }
    out.model = text(reader, "model");
    out.chip = text(reader, "chip");
    out.memory_bytes = reader.optional_uint("memory_bytes");
    {
        ObjectReader machine(group(reader, "virtual_machine"), reader.pointer("virtual_machine"), problems);
        out.virtual_machine = machine.optional_bool("present");
        out.virtual_machine_kind = text(machine, "kind");
    }
    {
        ObjectReader process(group(reader, "process"), reader.pointer("process"), problems);
        out.process_architecture = text(process, "architecture");
        out.translated = process.optional_bool("translated");
        out.sdk = text(process, "sdk");
    }
    {
        ObjectReader metal(group(reader, "metal"), reader.pointer("metal"), problems);
        out.metal_uuid = text(metal, "uuid");
    }
    {
        ObjectReader driver(group(reader, "driver"), reader.pointer("driver"), problems);
        out.driver_bundle = text(driver, "bundle");
        out.driver_version = text(driver, "version");
        out.driver_uuid = text(driver, "uuid");
    }
    ObjectReader shim(group(reader, "shim"), reader.pointer("shim"), problems);
    if (shim.find("active")) {
        const auto active = shim.one_of("active", {"none", "ours", "other"});
        for (const auto& [kind, name] : kShims)
            if (name == active)
                out.shim.kind = kind;
    }
    out.shim.name = text(shim, "name");
    return out;
}

Answer answer_from_json(const json::value& value, const std::string& pointer, Problems& problems) {
    constexpr std::string_view kExpected =
        "a boolean, a number, a string, an array of these, or an object with \"value\" or \"status\"";
    if (!value.is_object()) {
        if (!is_answer_value(value))
            problems.add(pointer, "expected " + std::string(kExpected));
        return Answer::of(value);
    }
    Answer answer;
    ObjectReader reader(value, pointer, problems);
    const auto* given = reader.find("value");
    const auto* status = reader.find("status");
    answer.detail = text(reader, "detail");
    answer.precision = reader.optional_number("precision");
    if (answer.precision && !(*answer.precision >= 0 && std::isfinite(*answer.precision)))
        problems.add(reader.pointer("precision"), "expected a number that is not negative");
    if (reader.find("origin")) {
        const auto origin = reader.one_of("origin", {"asked", "logged", "implied", "assumed"});
        for (const auto& [candidate, name] : kOrigins)
            if (name == origin)
                answer.origin = candidate;
    }
    if (!given == !status) {
        problems.add(pointer, "expected either \"value\" or \"status\"");
    } else if (status) {
        const auto name = reader.one_of("status", {"absent", "raised", "aborted", "timeout", "not_asked"});
        for (const auto& [candidate, text] : kStatuses)
            if (text == name)
                answer.status = candidate;
        if (answer.precision)
            problems.add(reader.pointer("precision"), "belongs to a value, and there is none");
    } else {
        if (!is_answer_value(*given))
            problems.add(reader.pointer("value"),
                         "expected a boolean, a number, a string or an array of these");
        if (answer.precision && !given->is_number())
            problems.add(reader.pointer("precision"), "belongs to a number");
        answer.value = *given;
    }
    return answer;
}

Result<Table> table_from_json(const json::value& value, const std::string& name) {
    Problems problems(name);
    Table table;
    {
        ObjectReader reader(value, "", problems);
        reader.schema(kTableSchema);
        table.backend = reader.one_of("backend", {"metal", "software"});
        table.source = reader.optional_string("source").value_or(std::string(kProbeSource));
        if (const auto* identity = reader.require("identity"))
            table.identity = identity_from_json(*identity, "/identity", problems);
        reader.require("devices");
        std::size_t index = 0;
        for (const auto& device : reader.array("devices"))
            table.devices.push_back(
                device_from_json(device, "/devices/" + std::to_string(index++), problems));
    }
    if (!problems.empty())
        return problems.error();
    return table;
}

Result<Table> read_table(const std::string& path) {
    const auto value = read_json(path);
    if (!value)
        return value.error();
    return table_from_json(*value, path == "-" ? "standard input" : path);
}

Result<void> write_table(const Table& table, const std::string& path) {
    return write_file(path, write_json(to_json(table)));
}

} // namespace assay
