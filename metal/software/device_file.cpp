// Device files (assay.device/1): reading and checking.
#include "metal/software/device_file.h"
#include "base/json_reader.h"
#include "base/text.h"
#include "metal/gpu_family.h"
#include "metal/software/feature_ids.h"
#include "metal/software/queries.h"

#include <algorithm>

namespace assay::software {

namespace {

constexpr std::uint64_t kMostThreadgroupMemory = 1u << 20;
constexpr std::uint64_t kMostThreadsPerThreadgroup = 1024;

struct StatusName {
    std::string_view name;
    AnswerStatus status;
};
constexpr StatusName kStatusNames[] = {
    {"absent", AnswerStatus::absent},       {"raised", AnswerStatus::raised},
    {"aborted", AnswerStatus::aborted},     {"timeout", AnswerStatus::timeout},
    {"not_asked", AnswerStatus::not_asked},
};

bool read_whole_number(const json::value& value, std::uint64_t& out) {
    if (value.is_uint64())
        out = value.get_uint64();
    else if (value.is_int64() && value.get_int64() >= 0)
        out = static_cast<std::uint64_t>(value.get_int64());
    else
        return false;
    return true;
}

/// A boolean, a whole number, text, three whole numbers, or names, which become text separated by commas.
bool read_value(const json::value& value, Answer& answer) {
    std::uint64_t number = 0;
    if (const auto* flag = value.if_bool())
        answer.value = *flag;
    else if (read_whole_number(value, number))
        answer.value = number;
    else if (const auto* text = value.if_string())
        answer.value = std::string(*text);
    else if (const auto* names = value.if_array();
             names && std::ranges::all_of(*names, [](const json::value& name) { return name.is_string(); })) {
        std::string joined;
        for (const auto& name : *names)
            joined += (joined.empty() ? "" : ",") + std::string(name.get_string());
        answer.value = std::move(joined);
    } else if (const auto* parts = value.if_array(); parts && parts->size() == 3) {
        metal::Size size;
        std::uint64_t* const out[] = {&size.width, &size.height, &size.depth};
        for (std::size_t i = 0; i < 3; ++i)
            if (!read_whole_number((*parts)[i], *out[i]))
                return false;
        answer.value = size;
    } else
        return false;
    return true;
}

constexpr const char* kExpectedValue =
    "expected a boolean, a whole number, a string or [width, height, depth]";

void read_origin(ObjectReader& reader) {
    if (reader.find("origin"))
        reader.one_of("origin", {"asked", "logged", "implied", "assumed"});
}

Answer read_answer(const json::value& value, const std::string& pointer, Problems& problems) {
    Answer answer;
    if (!value.is_object()) {
        if (!read_value(value, answer))
            problems.add(pointer, std::string(kExpectedValue) + ", found " + std::string(kind_name(value)));
        return answer;
    }
    ObjectReader reader(value, pointer, problems);
    if (value.get_object().contains("status")) {
        const auto name = reader.one_of("status", {"absent", "raised", "aborted", "timeout", "not_asked"});
        answer.status = std::ranges::find(kStatusNames, name, &StatusName::name)->status;
        answer.detail = reader.optional_string("detail").value_or("");
        read_origin(reader);
        return answer;
    }
    const auto* inner = reader.require("value");
    if (inner && !read_value(*inner, answer))
        problems.add(reader.pointer("value"),
                     std::string(kExpectedValue) + ", found " + std::string(kind_name(*inner)));
    read_origin(reader);
    reader.optional_number("precision");
    reader.optional_string("detail");
    return answer;
}

/// What the JSON value of an answer must be for its method to return it.
std::string_view expected_value(AnswerType type) {
    switch (type) {
    case AnswerType::boolean:
        return "a boolean";
    case AnswerType::integer:
    case AnswerType::allocated:
    case AnswerType::integer32:
        return "a whole number";
    case AnswerType::size:
        return "[width, height, depth]";
    case AnswerType::string:
    case AnswerType::architecture:
    case AnswerType::counter_sets:
        break;
    }
    return type == AnswerType::counter_sets ? "an array of names" : "a string";
}

bool fits(AnswerType type, const Answer& answer) {
    switch (type) {
    case AnswerType::boolean:
        return std::holds_alternative<bool>(answer.value);
    case AnswerType::integer32:
        return std::holds_alternative<std::uint64_t>(answer.value) && answer.number() <= UINT32_MAX;
    case AnswerType::integer:
    case AnswerType::allocated:
        return std::holds_alternative<std::uint64_t>(answer.value);
    case AnswerType::size:
        return std::holds_alternative<metal::Size>(answer.value);
    case AnswerType::string:
    case AnswerType::architecture:
    case AnswerType::counter_sets:
        break;
    }
    return std::holds_alternative<std::string>(answer.value);
}

void check_answer(const std::string& key, const Answer& answer, const std::string& pointer,
                  Problems& problems) {
    if (!is_known_key(key)) {
        const auto parts = split_key(key);
        problems.add(pointer,
                     "unknown query key" + did_you_mean(parts ? parts->name : key, known_key_names()));
        return;
    }
    std::optional<AnswerType> type;
    if (const auto* query = find_query(key))
        type = query->type;
    else if (key == kCounterNamesKey)
        type = AnswerType::counter_sets;
    else if (const auto parts = split_key(key)) {
        if (parts->name == "supportsFamily") {
            type = AnswerType::boolean;
            if (answer.status == AnswerStatus::absent)
                problems.add(pointer, "supportsFamily: belongs to _MTLDevice and cannot be absent");
        } else if (const auto* row = find_argument_query(parts->name))
            type = row->type;
    }
    if (type && answer.answered() && !fits(*type, answer))
        problems.add(pointer, "expected " + std::string(expected_value(*type)));
}

void read_reports(ObjectReader& file, DeviceFile& out) {
    if (!file.require("reports"))
        return;
    auto& problems = file.problems();
    for (const auto& member : file.object("reports")) {
        const std::string key(member.key());
        const auto pointer = file.pointer("reports") + "/" + pointer_escape(key);
        Answer answer = read_answer(member.value(), pointer, problems);
        check_answer(key, answer, pointer, problems);
        out.reports.emplace(key, std::move(answer));
    }
    for (const auto* key : {"name", "maxThreadsPerThreadgroup", "maxThreadgroupMemoryLength"})
        if (const auto* answer = out.report(key); !answer || !answer->answered())
            problems.add(file.pointer("reports"),
                         "needs an answer for \"" + std::string(key) +
                             "\"; if it is not known, give one with \"origin\": \"assumed\"");
}

void read_limit(ObjectReader& reader, std::string_view key, std::uint64_t most, std::uint64_t& out) {
    const auto value = reader.optional_uint(key);
    if (!value)
        return;
    if (*value == 0 || *value > most)
        reader.problems().add(reader.pointer(key), "expected 1 to " + std::to_string(most));
    else
        out = *value;
}

void read_executes(ObjectReader& file, DeviceFile& out) {
    const auto* value = file.require("executes");
    if (!value)
        return;
    ObjectReader reader(*value, file.pointer("executes"), file.problems());
    reader.require("features");
    const auto features = reader.strings("features");
    const std::vector<std::string_view> known(std::begin(kFeatureIds), std::end(kFeatureIds));
    for (std::size_t i = 0; i < features.size(); ++i) {
        if (std::ranges::find(known, features[i]) == known.end())
            file.problems().add(reader.pointer("features") + "/" + std::to_string(i),
                                "unknown feature \"" + features[i] + "\"" + did_you_mean(features[i], known));
        out.features.insert(features[i]);
    }
    if (const auto* limits = reader.find("limits")) {
        ObjectReader limit(*limits, reader.pointer("limits"), file.problems());
        read_limit(limit, "max_threadgroup_memory", kMostThreadgroupMemory,
                   out.limits.max_threadgroup_memory);
        read_limit(limit, "max_threads_per_threadgroup", kMostThreadsPerThreadgroup,
                   out.limits.max_threads_per_threadgroup);
    }
}

Condition read_condition(const json::value& value, const std::string& pointer, const DeviceFile& file,
                         Problems& problems) {
    Condition when;
    ObjectReader reader(value, pointer, problems);
    when.feature = reader.optional_string("feature");
    when.kernel = reader.optional_string("kernel");
    when.query = reader.optional_string("query");
    when.reports = reader.optional_string("reports");
    when.minimum_threads = reader.optional_uint("minimum_threads").value_or(0);
    if (when.feature && std::ranges::find(kFeatureIds, *when.feature) == std::end(kFeatureIds))
        problems.add(reader.pointer("feature"),
                     "unknown feature" +
                         did_you_mean(*when.feature, std::vector<std::string_view>(std::begin(kFeatureIds),
                                                                                   std::end(kFeatureIds))));
    if (when.reports) {
        if (!is_known_key(*when.reports))
            problems.add(reader.pointer("reports"),
                         "unknown query key" + did_you_mean(*when.reports, known_key_names()));
        else if (const auto* stock = file.report(*when.reports))
            when.reports_stock = stock->number();
    }
    return when;
}

void read_faults(ObjectReader& file, DeviceFile& out) {
    std::size_t index = 0;
    std::vector<std::string_view> names;
    for (const auto& row : effect_rows())
        names.push_back(row.name);
    for (const auto& element : file.array("faults")) {
        const auto pointer = file.pointer("faults") + "/" + std::to_string(index++);
        ObjectReader reader(element, pointer, file.problems());
        Fault fault;
        const auto name = reader.string("effect");
        const auto row = std::ranges::find(effect_rows(), name, &EffectRow::name);
        if (row != effect_rows().end())
            fault.effect = row->effect;
        else if (!name.empty())
            file.problems().add(reader.pointer("effect"), "unknown effect" + did_you_mean(name, names));
        if (const auto* when = reader.find("when"))
            fault.when = read_condition(*when, reader.pointer("when"), out, file.problems());
        if (const auto rate = reader.optional_number("rate")) {
            if (!(*rate > 0 && *rate <= 1))
                file.problems().add(reader.pointer("rate"), "expected a number above 0 and up to 1");
            fault.rate = *rate;
        } else if (fault.effect == Effect::intermittent)
            file.problems().add(pointer, "\"intermittent\" needs a \"rate\"");
        fault.file = reader.optional_string("file").value_or("");
        if (fault.effect == Effect::wedge && fault.file.empty())
            file.problems().add(pointer, "\"wedge\" needs a \"file\", whose removal heals the device");
        out.faults.push_back(std::move(fault));
    }
}

bool is_class_name(std::string_view name) {
    return !name.empty() && !(name.front() >= '0' && name.front() <= '9') &&
           std::ranges::all_of(name, [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
           });
}

void read_class(ObjectReader& file, std::string_view key, std::string& out) {
    const auto name = file.optional_string(key);
    if (!name)
        return;
    if (!is_class_name(*name))
        file.problems().add(file.pointer(key), "expected the name of an Objective-C class");
    else
        out = *name;
}

} // namespace

const Answer* DeviceFile::report(std::string_view key) const {
    const auto found = reports.find(key);
    return found == reports.end() ? nullptr : &found->second;
}

std::vector<metal::Integer> DeviceFile::families() const {
    std::vector<metal::Integer> out;
    for (const auto& [key, answer] : reports) {
        const auto parts = split_key(key);
        if (!parts || parts->name != "supportsFamily" || !answer.answered() || answer.number() == 0)
            continue;
        if (const auto family = metal::gpu_family_value(parts->argument))
            out.push_back(*family);
    }
    std::ranges::sort(out);
    return out;
}

Result<DeviceFile> read_device_file(std::string_view text, const std::string& file) {
    const auto parsed = parse_json(text, file);
    if (!parsed)
        return parsed.error();
    Problems problems(file);
    DeviceFile out;
    out.text = text;
    {
        ObjectReader reader(*parsed, "", problems);
        reader.schema("assay.device/1");
        out.name = reader.string("name");
        reader.optional_string("description");
        out.class_name = "AppleParavirtDevice";
        read_class(reader, "class", out.class_name);
        out.superclass_name = "_MTLDevice";
        read_class(reader, "superclass", out.superclass_name);
        reader.object("identity");
        read_reports(reader, out);
        read_executes(reader, out);
        read_faults(reader, out);
    }
    if (!problems.empty())
        return problems.error();
    return out;
}

} // namespace assay::software
