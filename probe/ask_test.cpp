#include "metal/encoding.h"
#include "metal/foundation.h"
#include "probe/ask.h"

#include <doctest/doctest.h>
#include <map>

using namespace assay;
using metal::Integer;
using metal::Size;
using metal::UInteger;

namespace {

template <class F>
void add_method(Class type, const char* selector, F function) {
    class_addMethod(type, sel_registerName(selector),
                    reinterpret_cast<IMP>(reinterpret_cast<void (*)()>(function)),
                    metal::method_encoding(function).c_str());
}

Class new_class(const char* name) {
    const Class type = objc_allocateClassPair(objc_getClass("NSObject"), name, 0);
    REQUIRE(type);
    return type;
}

id new_object(const char* class_name) { return metal::send<id>(metal::class_named(class_name), "new"); }

BOOL yes(id, SEL) { return 1; }
BOOL family(id, SEL, Integer number) { return number <= 1005; }
UInteger memory(id, SEL) { return 32768; }
UInteger most(id, SEL) { return ~UInteger{0}; }
std::uint32_t peers(id, SEL) { return 4000000000u; }
Size threads(id, SEL) { return {1024, 512, 64}; }
id name(id, SEL) { return metal::ns_string("Some GPU"); }
id nothing(id, SEL) { return nullptr; }
UInteger raises(id, SEL) {
    metal::send<id>(metal::ns_string("x"), "substringFromIndex:", UInteger{9});
    return 0;
}
id itself(id self, SEL) { return self; }
id pair(id self, SEL) {
    return metal::send<id>(metal::send<id>(metal::class_named("NSArray"), "arrayWithObject:", self),
                           "arrayByAddingObject:", self);
}

/// A device-like object whose class is made once.
id device() {
    static const id object = [] {
        const Class type = new_class("AskTestDevice");
        add_method(type, "hasUnifiedMemory", yes);
        add_method(type, "supportsFamily:", family);
        add_method(type, "maxThreadgroupMemoryLength", memory);
        add_method(type, "location", most);
        add_method(type, "peerCount", peers);
        add_method(type, "maxThreadsPerThreadgroup", threads);
        add_method(type, "name", name);
        add_method(type, "architecture", itself);
        add_method(type, "counterSets", pair);
        add_method(type, "counters", nothing);
        add_method(type, "maxBufferLength", raises);
        add_method(type, "isLowPower", memory); // typed differently on purpose
        objc_registerClassPair(type);
        return new_object("AskTestDevice");
    }();
    return object;
}

Answer answer_to(const std::string& key, id receiver = device()) {
    for (const auto& question : Catalogue::get().questions())
        if (question.key == key)
            return ask(receiver, question);
    FAIL("no question ", key);
    return {};
}

} // namespace

TEST_CASE("each encoding is asked with its own return type") {
    const metal::Pool pool;
    CHECK(answer_to("hasUnifiedMemory").value == json::value(true));
    CHECK(answer_to("maxThreadgroupMemoryLength").value == json::value(32768));
    CHECK(answer_to("location").value == json::value(18446744073709551615u));
    CHECK(answer_to("peerCount").value == json::value(4000000000u));
    CHECK(answer_to("maxThreadsPerThreadgroup").value == json::value(json::array{1024, 512, 64}));
    CHECK(answer_to("name").value == json::value("Some GPU"));
    CHECK(answer_to("hasUnifiedMemory").origin == AnswerOrigin::asked);
}

TEST_CASE("an argument reaches the method") {
    const metal::Pool pool;
    CHECK(answer_to("supportsFamily(Apple5)").value == json::value(true));
    CHECK(answer_to("supportsFamily(Apple6)").value == json::value(false));
}

TEST_CASE("a nested answer is asked of the object in between") {
    const metal::Pool pool;
    CHECK(answer_to("architecture.name").value == json::value("Some GPU"));
    CHECK(answer_to("counterSets").value == json::value(json::array{"Some GPU"}));
}

TEST_CASE("nil in between is absent and says where") {
    const metal::Pool pool;
    const auto answer = answer_to("counterSets.counters");
    CHECK(answer.status == AnswerStatus::absent);
    CHECK(answer.detail == "counters answered nil");
}

TEST_CASE("a selector that the class lacks is absent") {
    const metal::Pool pool;
    CHECK(answer_to("supportsRaytracing").status == AnswerStatus::absent);
    CHECK(answer_to("name", nullptr).status == AnswerStatus::absent);
}

TEST_CASE("an exception is recorded with its reason") {
    const metal::Pool pool;
    const auto answer = answer_to("maxBufferLength");
    CHECK(answer.status == AnswerStatus::raised);
    CHECK(answer.detail.rfind("NSRangeException: ", 0) == 0);
}

TEST_CASE("a method of another type is not called") {
    const metal::Pool pool;
    const auto answer = answer_to("isLowPower");
    CHECK(answer.status == AnswerStatus::not_asked);
    CHECK(answer.detail == "isLowPower has the type Q@:, expected B@:");
}
