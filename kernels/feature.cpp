// The features of Apple's tables, and which of them the reported answers promise.
#include "kernels/feature.h"
#include "base/json_reader.h"
#include "embedded/kernels.h"
#include "metal/gpu_family.h"

#include <algorithm>

namespace assay {

namespace {

/// The families of the ladder that `least` belongs to ("Apple" or "Metal"), from `least` on.
std::vector<std::string> families_from(std::string_view least) {
    std::vector<std::string> names;
    const auto first = metal::gpu_family_value(least);
    const auto ladder = least.substr(0, 5);
    for (const auto& family : metal::gpu_families())
        if (first && family.value >= *first && family.name.substr(0, 5) == ladder)
            names.emplace_back(family.name);
    return names;
}

std::string read_family(ObjectReader& reader, std::string_view key, std::string_view ladder) {
    const auto name = reader.optional_string(key).value_or("");
    if (!name.empty() && (name.substr(0, 5) != ladder || !metal::gpu_family_value(name)))
        reader.problems().add(reader.pointer(key), "expected the name of an " + std::string(ladder) +
                                                       " family, found \"" + name + "\"");
    return name;
}

} // namespace

Result<std::vector<Feature>> features_from_json(const json::value& value, const std::string& name) {
    Problems problems(name);
    std::vector<Feature> features;
    {
        ObjectReader document(value, "", problems);
        document.schema("assay.features/1");
        document.string("rule");
        document.object("sources");
        std::size_t index = 0;
        for (const auto& row : document.array("features")) {
            ObjectReader reader(row, "/features/" + std::to_string(index++), problems);
            Feature feature;
            feature.id = reader.string("id");
            feature.min_apple_family = read_family(reader, "min_apple_family", "Apple");
            feature.min_metal_family = read_family(reader, "min_metal_family", "Metal");
            feature.min_macos = reader.optional_string("min_macos").value_or("");
            feature.sources = reader.strings("source");
            feature.note = reader.optional_string("note").value_or("");
            feature.unsure = reader.optional_bool("unsure").value_or(false);
            features.push_back(std::move(feature));
        }
    }
    if (!problems.empty())
        return problems.error();
    return features;
}

const std::vector<Feature>& features() {
    static const std::vector<Feature> rows =
        features_from_json(parse_json(embedded::kernels::features_json, "features.json").value(),
                           "features.json")
            .value();
    return rows;
}

const Feature* find_feature(std::string_view id) {
    const auto& rows = features();
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const Feature& f) { return f.id == id; });
    return row == rows.end() ? nullptr : &*row;
}

std::vector<std::string> promising_queries(const Feature& feature) {
    std::vector<std::string> keys;
    for (const auto& least : {feature.min_apple_family, feature.min_metal_family})
        if (!least.empty())
            for (const auto& family : families_from(least))
                keys.push_back("supportsFamily(" + family + ")");
    return keys;
}

Truth promise(const Feature& feature, const Answers& answers) {
    Truth any = Truth::no;
    for (const auto& key : promising_queries(feature))
        any = std::max(any, answers.boolean(key));
    if (feature.min_macos.empty())
        return any;
    return std::min(any, answers.os.name == "macOS" ? version_at_least(answers.os.version, feature.min_macos)
                                                    : Truth::unknown);
}

} // namespace assay
