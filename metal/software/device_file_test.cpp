// Device files: what the reader accepts, what it refuses, and that it survives damage.
#include "metal/software/device_file.h"

#include <algorithm>
#include <doctest/doctest.h>

using namespace assay;
using namespace assay::software;

namespace {

std::string minimal(const std::string& reports = "", const std::string& rest = "") {
    return R"({"schema":"assay.device/1","name":"t","reports":{"name":"x","maxThreadgroupMemoryLength":32768,)"
           R"("maxThreadsPerThreadgroup":[1024,1024,1024])" +
           (reports.empty() ? "" : "," + reports) + R"(},"executes":{"features":[]})" +
           (rest.empty() ? "" : "," + rest) + "}";
}

std::string problem(const std::string& text) {
    const auto file = read_device_file(text, "f.json");
    return file ? "" : file.error().text();
}

bool mentions(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("every shipped device file reads, under its own name") {
    for (const auto name : shipped_device_names()) {
        CAPTURE(name);
        const auto file = read_device_file(shipped_device(name), std::string(name));
        REQUIRE_MESSAGE(file.has_value(), (file ? "" : file.error().text()));
        CHECK(file->name == name);
        CHECK(file->superclass_name == "_MTLDevice");
    }
}

TEST_CASE("the default device reports Apple5 and Common3 as its highest families and no Metal3") {
    const auto file = read_device_file(shipped_device(shipped_device_names().front()), "default");
    REQUIRE(file.has_value());
    const auto families = file->families();
    const auto has = [&](metal::Integer f) { return std::ranges::binary_search(families, f); };
    CHECK(has(1005));
    CHECK_FALSE(has(1006));
    CHECK(has(3003));
    CHECK_FALSE(has(5001));
    CHECK(file->report("name")->text() == "Apple Paravirtual device");
    CHECK(file->report("recommendedMaxWorkingSetSize")->number() / 10000 == 1145325);
}

TEST_CASE("the default device executes SIMD-group matrices and refuses residency sets") {
    const auto file = read_device_file(shipped_device(shipped_device_names().front()), "default");
    REQUIRE(file.has_value());
    CHECK(file->features.contains("simdgroup_matrix"));
    CHECK_FALSE(file->features.contains("residency_sets"));
    CHECK_FALSE(file->features.contains("simd_shift_and_fill"));
    CHECK_FALSE(file->features.contains("atomics_64bit"));
    CHECK(file->limits.max_threadgroup_memory == 32768);
}

TEST_CASE("answers may be plain, carry an origin, or say how the query fails") {
    const auto file = read_device_file(
        minimal(
            R"("isHeadless":true,"registryID":{"value":7,"origin":"logged","precision":1},)"
            R"("location":{"status":"raised","detail":"NSGenericException: no"},"counterSets":["a","b"])"),
        "f");
    REQUIRE(file.has_value());
    CHECK(file->report("isHeadless")->number() == 1);
    CHECK(file->report("registryID")->number() == 7);
    CHECK(file->report("location")->status == AnswerStatus::raised);
    CHECK(file->report("counterSets")->text() == "a,b");
    CHECK(file->report("maxThreadsPerThreadgroup")->size() == metal::Size{1024, 1024, 1024});
    CHECK(file->report("peerCount") == nullptr);
}

TEST_CASE("all problems of a device file are reported together, each at its place") {
    const auto text = problem(
        R"({"schema":"assay.device/2","name":1,"reports":{"maxThredgroupMemoryLength":1,"isHeadless":3},)"
        R"("executes":{"features":["simdgroup_matrx"],"limits":{"max_threadgroup_memory":0}},)"
        R"("faults":[{"effect":"explode"},{"effect":"wedge"}],"clas":"X"})");
    CHECK(mentions(text, "/schema: expected \"assay.device/1\""));
    CHECK(mentions(text, "/name: expected a string"));
    CHECK(mentions(text, "did you mean \"maxThreadgroupMemoryLength\""));
    CHECK(mentions(text, "/reports/isHeadless: expected a boolean"));
    CHECK(mentions(text, "needs an answer for \"name\""));
    CHECK(mentions(text, "/executes/features/0: unknown feature \"simdgroup_matrx\" (did you mean "
                         "\"simdgroup_matrix\"?)"));
    CHECK(mentions(text, "/executes/limits/max_threadgroup_memory: expected 1 to"));
    CHECK(mentions(text, "/faults/0/effect: unknown effect"));
    CHECK(mentions(text, "/faults/1: \"wedge\" needs a \"file\""));
    CHECK(mentions(text, "/clas: unknown key (did you mean \"class\"?)"));
}

TEST_CASE("a class name must be one") {
    CHECK(mentions(problem(minimal("", R"("class":"No Class")")), "/class: expected the name"));
    CHECK(mentions(problem(minimal("", R"("superclass":"9x")")), "/superclass: expected the name"));
}

TEST_CASE("a fault's conditions are checked") {
    CHECK(
        mentions(problem(minimal("", R"("faults":[{"effect":"zeros","when":{"feature":"simd_reductoin"}}])")),
                 "/faults/0/when/feature: unknown feature (did you mean \"simd_reduction\"?)"));
    CHECK(mentions(problem(minimal("", R"("faults":[{"effect":"zeros","rate":0}])")), "/faults/0/rate"));
    CHECK(mentions(problem(minimal("", R"("faults":[{"effect":"intermittent"}])")), "needs a \"rate\""));
    CHECK(problem(minimal("", R"("faults":[{"effect":"intermittent","rate":0.25}])")).empty());
}

TEST_CASE("a device file cut short at any byte is refused and never crashes") {
    const std::string whole(shipped_device("hangs"));
    const auto end = whole.find_last_of('}');
    for (std::size_t length = 0; length <= end; ++length)
        if (read_device_file(std::string_view(whole).substr(0, length), "cut")) {
            CAPTURE(length);
            FAIL("accepted");
        }
}

TEST_CASE("a device file with any byte damaged never crashes the reader") {
    const std::string whole(shipped_device("hangs"));
    for (std::size_t i = 0; i < whole.size(); i += 3)
        for (const char c : {'\0', '"', '{', '9', '\xff'}) {
            auto damaged = whole;
            damaged[i] = c;
            (void)read_device_file(damaged, "damaged").has_value();
        }
}
