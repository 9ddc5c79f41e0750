// The catalogue of queries: probe/queries.json, a row per query, and the questions it expands to.
#include "probe/catalogue.h"
#include "base/json_reader.h"
#include "embedded/probe.h"
#include "metal/gpu_family.h"

#include <algorithm>
#include <charconv>
#include <map>

namespace assay {

namespace {

Compare compare_named(const std::string& name) {
    static const std::map<std::string, Compare> kNames{{"higher", Compare::higher},
                                                       {"lower", Compare::lower},
                                                       {"exact", Compare::exact},
                                                       {"set", Compare::set}};
    return kNames.at(name);
}

QueryArgument read_argument(const json::value& value, const std::string& pointer, Problems& problems) {
    QueryArgument argument;
    ObjectReader reader(value, pointer, problems);
    argument.name = reader.string("name");
    argument.encoding = reader.one_of("encoding", {"q", "Q"});
    if (const auto enumeration = reader.optional_string("enumeration")) {
        if (*enumeration == "MTLGPUFamily")
            for (const auto& family : metal::gpu_families())
                argument.values.push_back({std::string(family.name), family.value});
        else
            problems.add(reader.pointer("enumeration"), "expected \"MTLGPUFamily\"");
    }
    for (const auto& number : reader.array("values")) {
        if (const auto* integer = number.if_int64())
            argument.values.push_back({std::to_string(*integer), static_cast<long>(*integer)});
        else
            problems.add(reader.pointer("values"), "expected whole numbers");
    }
    if (argument.values.empty())
        problems.add(pointer, "has no values");
    return argument;
}

std::vector<std::pair<std::uint64_t, std::string>> read_names(ObjectReader& reader) {
    std::vector<std::pair<std::uint64_t, std::string>> names;
    for (const auto& member : reader.object("names")) {
        const std::string_view digits = member.key();
        std::uint64_t value = 0;
        const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        const auto* text = member.value().if_string();
        if (code != std::errc{} || end != digits.data() + digits.size() || !text)
            reader.problems().add(reader.pointer("names"), "expected numbers as keys and names as values");
        else
            names.emplace_back(value, std::string(*text));
    }
    return names;
}

Query read_query(const json::value& value, const std::string& pointer, Problems& problems) {
    Query query;
    ObjectReader reader(value, pointer, problems);
    query.key = reader.string("key");
    query.path = reader.strings("path");
    if (query.path.empty())
        query.path = {query.key};
    query.group = reader.string("group");
    query.kind = reader.one_of("kind", {"bool", "uint", "enum", "string", "size3", "strings"});
    query.encoding = reader.one_of("encoding", {"B", "Q", "I", "@", "{?=QQQ}"});
    query.macos = reader.string("macos");
    query.deprecated = reader.optional_string("deprecated").value_or("");
    query.meaning = reader.string("meaning");
    query.unit = reader.optional_string("unit").value_or("");
    query.compare = compare_named(reader.one_of("compare", {"higher", "lower", "exact", "set"}));
    query.is_volatile = reader.optional_bool("volatile").value_or(false);
    query.names = read_names(reader);
    query.hazards = reader.strings("hazards");
    query.source = reader.strings("source");
    std::size_t index = 0;
    for (const auto& argument : reader.array("arguments"))
        query.arguments.push_back(
            read_argument(argument, reader.pointer("arguments") + "/" + std::to_string(index++), problems));
    return query;
}

std::string_view base_of(std::string_view key) { return key.substr(0, key.find('(')); }

/// "supportsFamily({family})" with {family} replaced, once per value, for every argument in turn.
void expand(const Query& query, std::size_t next, Question question, std::vector<Question>& out) {
    if (next == query.arguments.size()) {
        out.push_back(std::move(question));
        return;
    }
    const auto& argument = query.arguments[next];
    const std::string placeholder = "{" + argument.name + "}";
    for (const auto& value : argument.values) {
        Question filled = question;
        if (const auto at = filled.key.find(placeholder); at != std::string::npos)
            filled.key.replace(at, placeholder.size(), value.name);
        filled.arguments.push_back(value.value);
        expand(query, next + 1, std::move(filled), out);
    }
}

} // namespace

Result<Catalogue> Catalogue::parse(std::string_view text, const std::string& name) {
    const auto document = parse_json(text, name);
    if (!document)
        return document.error();
    Problems problems(name);
    Catalogue catalogue;
    {
        ObjectReader reader(*document, "", problems);
        reader.schema("assay.queries/1");
        for (const auto& member : reader.object("sources"))
            if (const auto* description = member.value().if_string())
                catalogue.sources_.emplace_back(std::string(member.key()), std::string(*description));
        std::size_t index = 0;
        for (const auto& row : reader.array("queries"))
            catalogue.queries_.push_back(read_query(row, "/queries/" + std::to_string(index++), problems));
    }
    if (!problems.empty())
        return problems.error();
    return catalogue;
}

const Catalogue& Catalogue::get() {
    static const Catalogue catalogue = parse(embedded::probe::queries_json, "queries.json").value();
    return catalogue;
}

std::vector<Question> Catalogue::questions() const {
    std::vector<Question> out;
    for (const auto& query : queries_)
        expand(query, 0, {&query, query.key, {}}, out);
    return out;
}

const Query* Catalogue::find(std::string_view key) const {
    for (const auto& query : queries_)
        if (query.key == key || (!query.arguments.empty() && base_of(query.key) == base_of(key)))
            return &query;
    return nullptr;
}

std::vector<std::string> Catalogue::groups() const {
    std::vector<std::string> out;
    for (const auto& query : queries_)
        if (std::find(out.begin(), out.end(), query.group) == out.end())
            out.push_back(query.group);
    return out;
}

} // namespace assay
