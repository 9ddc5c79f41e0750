// The encodings that the code relies on, in the three worlds it meets: macOS arm64, macOS x86_64 and GCC's
// runtime.
//
// tests/data/metal-methods.json has the methods of Metal that are called, with their published encodings on
// arm64. Each compiler is shown a class with exactly these methods; what it emits must normalise to the same
// texts.
#include "base/json.h"
#include "base/process.h"
#include "metal/encoding.h"
#include "tests/end_to_end.h"

#include <set>

using namespace assay;
using namespace assay::metal;

namespace {

struct Method {
    std::string selector;
    std::vector<std::string> types;     ///< of the result, then of the arguments
    std::vector<std::string> encodings; ///< in the same order
};

std::vector<Method> methods() {
    const auto file = read_json(testing::test_file("data/metal-methods.json"));
    REQUIRE(file.has_value());
    std::vector<Method> out;
    for (const auto& row : file->at("methods").as_array()) {
        Method method{std::string(row.at("selector").as_string()), {}, {}};
        const auto add = [&](const json::value& pair) {
            method.types.emplace_back(pair.at(0).as_string());
            method.encodings.emplace_back(pair.at(1).as_string());
        };
        add(row.at("returns"));
        for (const auto& argument : row.at("arguments").as_array())
            add(argument);
        out.push_back(std::move(method));
    }
    return out;
}

/// "B@:q": the whole method, as the table's encodings make it.
std::string published_encoding(const Method& method) {
    std::string text = method.encodings.front() + "@:";
    for (std::size_t i = 1; i < method.encodings.size(); ++i)
        text += method.encodings[i];
    return text;
}

/// An Objective-C class with the methods. Each has a name of its own, because several protocols share
/// selectors.
std::string class_source(const std::vector<Method>& all) {
    std::string source = R"(
#if defined(__APPLE__)
#if __OBJC_BOOL_IS_BOOL
typedef _Bool BOOL;
#else
typedef signed char BOOL;
#endif
typedef unsigned long long uint64_t;
#else
#include <objc/objc.h>
typedef unsigned long uint64_t;
#endif
typedef unsigned int uint32_t;
typedef unsigned long NSUInteger;
typedef long NSInteger;
typedef struct { NSUInteger width, height, depth; } MTLSize;
typedef struct { NSUInteger x, y, z; } MTLOrigin;
typedef struct { MTLOrigin origin; MTLSize size; } MTLRegion;
typedef struct { NSUInteger size, align; } MTLSizeAndAlign;
typedef struct { NSUInteger a, b, c; } MTLAccelerationStructureSizes;
typedef struct { float x, y; } MTLSamplePosition;
typedef struct MTLResourceID { uint64_t impl; } MTLResourceID;
typedef struct __IOSurface* IOSurfaceRef;
__attribute__((objc_root_class)) @interface Methods
@end
@implementation Methods
)";
    std::size_t number = 0;
    for (const auto& method : all) {
        source += "- (" + method.types.front() + ")m" + std::to_string(number++);
        for (std::size_t i = 1; i < method.types.size(); ++i)
            source += std::string(i == 1 ? "" : " p") + ":(" + method.types[i] + ")a" + std::to_string(i);
        source +=
            method.types.front() == "void" ? " {}\n" : " { return (" + method.types.front() + "){0}; }\n";
    }
    return source + "@end\n";
}

/// The method encodings in a compiler's assembly output: strings such as "B24@0:8q16".
std::set<std::string> emitted_encodings(const std::vector<std::string>& compiler, const std::string& source) {
    const auto folder = TemporaryFolder::make("encodings");
    REQUIRE(folder.has_value());
    const auto input = folder->path() + "/methods.m";
    const auto output = folder->path() + "/methods.s";
    REQUIRE(write_file(input, source).has_value());
    auto argv = compiler;
    argv.insert(argv.end(), {"-w", "-S", input, "-o", output});
    const auto done = run_program({argv, {}}, std::chrono::seconds(60));
    REQUIRE(done.has_value());
    REQUIRE_MESSAGE(done->status.clean(), done->output);
    const auto assembly = read_file(output);
    REQUIRE(assembly.has_value());
    std::set<std::string> found;
    for (std::size_t at = 0; (at = assembly->find('"', at)) != std::string::npos; ++at) {
        const auto end = assembly->find('"', at + 1);
        const auto text = assembly->substr(at + 1, end - at - 1);
        if (text.find("@0:8") != std::string::npos)
            found.insert(text);
        at = end;
    }
    return found;
}

/// Normalised, in order, one a line: a failed comparison shows which differ.
std::string listed(const std::set<std::string>& encodings) {
    std::set<std::string> sorted;
    for (const auto& encoding : encodings)
        sorted.insert(normalised_encoding(encoding));
    std::string out;
    for (const auto& encoding : sorted)
        out += encoding + '\n';
    return out;
}

void check_compiler(const std::vector<std::string>& compiler, const std::string& supports_family) {
    const auto all = methods();
    std::set<std::string> published;
    for (const auto& method : all)
        published.insert(published_encoding(method));
    const auto emitted = emitted_encodings(compiler, class_source(all));
    CHECK(listed(emitted) == listed(published));
    // The one letter in which the worlds differ.
    CHECK(emitted.contains(supports_family));
}

} // namespace

TEST_CASE("clang for macOS arm64 emits the published encodings") {
    check_compiler({"clang-19", "-target", "arm64-apple-macos13.0"}, "B24@0:8q16");
}

TEST_CASE("clang for macOS x86_64 emits them with BOOL as a character") {
    check_compiler({"clang-19", "-target", "x86_64-apple-macos13.0"}, "c24@0:8q16");
}

TEST_CASE("GCC emits them with BOOL as an unsigned character") {
    check_compiler({"gcc-12", "-fgnu-runtime"}, "C24@0:8q16");
}

TEST_CASE("each C++ type that stands for a type of Metal has that type's encoding") {
    const std::vector<std::pair<std::string, std::string>> stand_ins{
        {"BOOL", encoding_of<BOOL>()},         {"NSUInteger", encoding_of<UInteger>()},
        {"NSInteger", encoding_of<Integer>()}, {"uint64_t", encoding_of<std::uint64_t>()},
        {"float", encoding_of<float>()},       {"uint32_t", encoding_of<std::uint32_t>()},
        {"MTLSize", encoding_of<Size>()},      {"id", encoding_of<id>()},
        {"id*", encoding_of<id*>()},           {"void", encoding_of<void>()},
    };
    std::set<std::string> seen;
    for (const auto& method : methods())
        for (std::size_t i = 0; i < method.types.size(); ++i)
            for (const auto& [type, encoding] : stand_ins)
                if (method.types[i] == type) {
                    CHECK(normalised_encoding(encoding) == normalised_encoding(method.encodings[i]));
                    seen.insert(type);
                }
    CHECK(seen.size() == stand_ins.size());
}

TEST_CASE("the catalogue's queries have the published encodings") {
    const auto catalogue = read_json(ASSAY_SOURCE_DIR "/probe/queries.json");
    REQUIRE(catalogue.has_value());
    const auto all = methods();
    int compared = 0;
    for (const auto& query : catalogue->at("queries").as_array()) {
        const auto* path = query.as_object().if_contains("path");
        const auto& selector = path ? path->as_array().front().as_string() : query.at("key").as_string();
        if (path && path->as_array().size() > 1)
            continue; // the encoding is that of the last step, on an object that the table does not cover
        for (const auto& method : all)
            if (method.selector == std::string_view(selector)) {
                const std::string encoding(query.at("encoding").as_string());
                CHECK_MESSAGE(normalised_encoding(encoding) == normalised_encoding(method.encodings.front()),
                              selector);
                ++compared;
                break;
            }
    }
    CHECK(compared > 40);
}
