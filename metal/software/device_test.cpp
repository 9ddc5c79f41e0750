// The device's answers, asked by real messages in child processes.
#include "base/file.h"
#include "metal/encoding.h"
#include "metal/foundation.h"
#include "metal/software/device_file.h"
#include "metal/software/in_child.h"
#include "metal/software/queries.h"

#include <csignal>
#include <doctest/doctest.h>

using namespace assay;
using namespace assay::metal;
using namespace assay::software;

namespace {

constexpr const char* kDefault = "tahoe-guest-m1-ultra";

std::string number(std::uint64_t value) { return std::to_string(value); }

bool family(id device, Integer value) { return send<BOOL>(device, "supportsFamily:", value) != 0; }

/// A device file with these reports and this rest, written where a child can read it.
class TestDevice {
  public:
    explicit TestDevice(const std::string& reports, const std::string& rest = "")
        : folder_(*TemporaryFolder::make("device")), path_(folder_.path() + "/device.json") {
        const auto text =
            R"({"schema":"assay.device/1","name":"test","reports":{"name":"x",)"
            R"("maxThreadgroupMemoryLength":32768,"maxThreadsPerThreadgroup":[1024,1024,1024])" +
            (reports.empty() ? "" : "," + reports) + R"(},"executes":{"features":[]})" +
            (rest.empty() ? "" : "," + rest) + "}";
        REQUIRE(write_file(path_, text).has_value());
    }
    const std::string& path() const { return path_; }

  private:
    TemporaryFolder folder_;
    std::string path_;
};

/// Replaces a method of a class by one that adds a family to those that the original answers.
template <Integer F>
void override_family(Class target) {
    static BOOL (*original)(id, SEL, Integer) = nullptr;
    BOOL(*replacement)
    (id, SEL, Integer) = [](id self, SEL selector, Integer asked) -> BOOL {
        return asked == F ? BOOL(1) : original(self, selector, asked);
    };
    const Method method = class_getInstanceMethod(target, sel_registerName("supportsFamily:"));
    original = reinterpret_cast<BOOL (*)(id, SEL, Integer)>(
        reinterpret_cast<void (*)()>(method_getImplementation(method)));
    const auto added = reinterpret_cast<IMP>(reinterpret_cast<void (*)()>(replacement));
    // GCC's runtime does not pass a replaced method on to subclasses that are in use: give `target` its own.
    if (!class_addMethod(target, method_getName(method), added, method_getTypeEncoding(method)))
        method_setImplementation(method, added);
}

} // namespace

TEST_CASE("the default device answers as llama.cpp saw the stock guest answer") {
    const auto child = in_child(kDefault, [] {
        const id device = child_device();
        std::string apple = "none";
        for (Integer f = 1021; f >= 1001; --f)
            if (family(device, f)) {
                apple = number(std::uint64_t(f));
                break;
            }
        const bool metal3 = family(device, 5001);
        return to_string(send<id>(device, "name")) + " apple=" + apple +
               " common3=" + number(family(device, 3003)) + " metal3=" + number(metal3) +
               " metal4=" + number(family(device, 5002)) +
               " reduction=" + number(family(device, 1007) || metal3) +
               " mm=" + number(family(device, 1007)) + " bfloat=" + number(metal3 || family(device, 1006)) +
               " unified=" + number(send<BOOL>(device, "hasUnifiedMemory"));
    });
    CHECK(child.said == "Apple Paravirtual device apple=1005 common3=1 metal3=0 metal4=0 reduction=0 mm=0 "
                        "bfloat=0 unified=1");
}

TEST_CASE("the bare-metal device answers Apple7 and Metal4, as its log says") {
    const auto child = in_child("m1-ultra-bare-metal", [] {
        const id device = child_device();
        return number(family(device, 1007)) + number(family(device, 1008)) + number(family(device, 5002)) +
               number(family(device, 5003)) + " " + object_getClassName(device);
    });
    CHECK(child.said == "1010 AGXG13XDevice");
}

TEST_CASE("every reported query is a method with the right encoding, and returns what the file says") {
    const auto child = in_child(kDefault, [] {
        const id device = child_device();
        const auto file = load_device_file();
        const std::string boolean = "B@:", integer = "Q@:", object = "@@:";
        std::string wrong;
        for (const auto& query : kQueries) {
            const auto* answer = file->report(query.key);
            const Method method =
                class_getInstanceMethod(object_getClass(device), sel_registerName(query.selector));
            if (!answer || !method) {
                wrong += std::string(query.key) + " missing; ";
                continue;
            }
            const auto encoding = normalised_encoding(method_getTypeEncoding(method));
            const char* expected = "@@:";
            bool same = true;
            switch (query.type) {
            case AnswerType::boolean:
                expected = "B@:";
                same = send<BOOL>(device, query.selector) == answer->number();
                break;
            case AnswerType::integer:
            case AnswerType::allocated:
                expected = "Q@:";
                same = send<UInteger>(device, query.selector) == answer->number();
                break;
            case AnswerType::integer32:
                expected = "I@:";
                same = send<std::uint32_t>(device, query.selector) == answer->number();
                break;
            case AnswerType::size:
                expected = "{=QQQ}@:";
                same = send<Size>(device, query.selector) == answer->size();
                break;
            case AnswerType::string:
                same = to_string(send<id>(device, query.selector)) == answer->text();
                break;
            case AnswerType::architecture:
                same = to_string(send<id>(send<id>(device, query.selector), "name")) == answer->text();
                break;
            case AnswerType::counter_sets:
                same =
                    elements(send<id>(device, query.selector)).size() == (answer->text().empty() ? 0u : 1u);
                break;
            }
            if (encoding != normalised_encoding(expected) || !same)
                wrong += std::string(query.key) + " " + encoding + (same ? "" : " differs") + "; ";
        }
        return wrong.empty() ? "ok" : wrong;
    });
    CHECK(child.said == "ok");
}

TEST_CASE(
    "the class hierarchy is NSObject, _MTLDevice, the named class, with a superclass in between if named") {
    const TestDevice named("", R"("class":"TestDevice","superclass":"TestFamilyDevice")");
    const auto chain = [] {
        std::string out;
        for (Class c = object_getClass(child_device()); c; c = class_getSuperclass(c))
            out += std::string(class_getName(c)) + " ";
        return out;
    };
    CHECK(in_child(named.path(), chain).said == "TestDevice TestFamilyDevice _MTLDevice NSObject ");
    CHECK(in_child(kDefault, chain).said == "AppleParavirtDevice _MTLDevice NSObject ");
    const TestDevice bare(R"_("supportsFamily(Apple3)":true)_",
                          R"("class":"LoneDevice","superclass":"NSObject")");
    CHECK(in_child(bare.path(), [&] {
              return chain() + number(family(child_device(), 1003)) +
                     number(responds_to(child_device(), "initGPUFamilySupport"));
          }).said == "LoneDevice NSObject 10");
}

TEST_CASE("initGPUFamilySupport belongs to _MTLDevice, is of type v@:, and exists before any device does") {
    const auto child = in_child(kDefault, [] {
        const Method method = class_getInstanceMethod(reinterpret_cast<Class>(class_named("_MTLDevice")),
                                                      sel_registerName("initGPUFamilySupport"));
        return std::string(method ? normalised_encoding(method_getTypeEncoding(method)) : "absent");
    });
    CHECK(child.said == "v@:");
}

TEST_CASE("an override at initGPUFamilySupport moves more answers than one applied after creation") {
    const auto answers = [](id device) {
        return number(family(device, 1006)) + " " +
               number(send<UInteger>(device, "readWriteTextureSupport")) + " " +
               number(send<UInteger>(device, "argumentBuffersSupport")) + " " +
               number(send<BOOL>(device, "supportsRaytracing")) + " " +
               number(send<BOOL>(device, "supportsShaderBarycentricCoordinates"));
    };
    CHECK(in_child(kDefault, [&] { return answers(child_device()); }).said == "0 1 0 0 0");
    CHECK(in_child(kDefault, [&] {
              override_family<1006>(reinterpret_cast<Class>(class_named("_MTLDevice")));
              return answers(child_device());
          }).said == "1 2 1 1 0");
    CHECK(in_child(kDefault, [&] {
              const id device = child_device();
              override_family<1006>(object_getClass(device));
              return answers(device);
          }).said == "1 1 0 0 0");
}

TEST_CASE("an answer that the rule does not explain keeps the reported value under an override") {
    const TestDevice device(R"_("supportsFamily(Apple4)":true,"readWriteTextureSupport":0)_");
    CHECK(in_child(device.path(), [] {
              override_family<1006>(reinterpret_cast<Class>(class_named("_MTLDevice")));
              return number(send<UInteger>(child_device(), "readWriteTextureSupport"));
          }).said == "0");
}

TEST_CASE("a query that is absent or unrecorded has no method") {
    const TestDevice device(R"("isHeadless":{"status":"absent"},"isRemovable":false)");
    CHECK(in_child(device.path(), [] {
              const id d = child_device();
              return number(responds_to(d, "isHeadless")) + number(responds_to(d, "isLowPower")) +
                     number(responds_to(d, "isRemovable"));
          }).said == "001");
}

TEST_CASE("a query that is recorded as raising raises, with the recorded reason") {
    const TestDevice device(R"("location":{"status":"raised","detail":"NSRangeException: out of it"})");
    CHECK(in_child(device.path(), [] {
              const auto answer = try_send<UInteger>(child_device(), "location");
              return answer ? "answered" : answer.error().detail;
          }).said == "NSRangeException: out of it");
}

TEST_CASE("the argument encoder of the macOS 14 guest exists and raises") {
    const auto child = in_child("sonoma-guest-raising", [] {
        const id device = child_device();
        const auto answer = try_send<id>(device, "newArgumentEncoderWithLayout:", id(nullptr));
        return number(responds_to(device, "newArgumentEncoderWithLayout:")) + " " +
               (answer ? "answered" : answer.error().detail.substr(0, 26)) + " " +
               number(responds_to(device, "queryTimestampFrequency"));
    });
    CHECK(child.said == "1 NSInvalidArgumentException 0");
}

TEST_CASE("a query that is recorded as aborting takes the process with it") {
    const TestDevice device(R"("location":{"status":"aborted","detail":"bad place"})");
    const auto child =
        in_child(device.path(), [] { return number(send<UInteger>(child_device(), "location")); });
    CHECK(child.signal == SIGABRT);
    CHECK(child.errors == "location: failed assertion `bad place'\n");
}

TEST_CASE("a query that is recorded as timing out never answers, and others do") {
    const TestDevice device(R"("location":{"status":"timeout"},"peerCount":3)");
    const auto peers =
        in_child(device.path(), [] { return number(send<std::uint32_t>(child_device(), "peerCount")); });
    CHECK(peers.said == "3");
    const auto child = in_child(
        device.path(), [] { return number(send<UInteger>(child_device(), "location")); }, 1);
    CHECK(child.timed_out);
    CHECK(child.signal == SIGKILL);
}

TEST_CASE("one family may raise while its neighbours answer") {
    const TestDevice device(R"_("supportsFamily(Apple3)":true,"supportsFamily(1012)":{"status":"raised"})_");
    CHECK(in_child(device.path(), [] {
              const id d = child_device();
              const auto odd = try_send<BOOL>(d, "supportsFamily:", Integer(1012));
              return number(family(d, 1003)) + number(family(d, 1011)) + (odd ? "answered" : "raised");
          }).said == "10raised");
}

TEST_CASE(
    "queries with an argument answer by name and by number, and abort on a pixel format nobody recorded") {
    const TestDevice device(
        R"_("supportsTextureSampleCount(4)":true,"supportsCounterSampling(AtStageBoundary)":true,)_"
        R"_("minimumLinearTextureAlignmentForPixelFormat(RGBA8Unorm)":16)_");
    CHECK(in_child(device.path(), [] {
              const id d = child_device();
              return number(send<BOOL>(d, "supportsTextureSampleCount:", UInteger(4))) +
                     number(send<BOOL>(d, "supportsTextureSampleCount:", UInteger(8))) +
                     number(send<BOOL>(d, "supportsCounterSampling:", UInteger(0))) +
                     number(send<UInteger>(d, "minimumLinearTextureAlignmentForPixelFormat:", UInteger(70))) +
                     number(responds_to(d, "supportsVertexAmplificationCount:"));
          }).said == "101160");
    const auto child = in_child(device.path(), [] {
        return number(
            send<UInteger>(child_device(), "minimumLinearTextureAlignmentForPixelFormat:", UInteger(0)));
    });
    CHECK(child.signal == SIGABRT);
    CHECK(child.errors.find("not a valid pixel format") != std::string::npos);
}

TEST_CASE("faults on queries strike by key or selector, and on what the device reports now") {
    const TestDevice device(
        R"_("peerCount":3,"isRemovable":true,"architecture.name":"a","supportsFamily(Apple5)":true)_",
        R"_("faults":[{"when":{"query":"peerCount"},"effect":"raise"},)_"
        R"_({"when":{"query":"architecture"},"effect":"nil-without-error"},)_"
        R"_({"when":{"query":"isRemovable","reports":"supportsFamily(Apple8)"},"effect":"abort"},)_"
        R"_({"when":{"query":"newArgumentEncoderWithLayout:"},"effect":"raise"}])_");
    CHECK(in_child(device.path(), [] {
              const id d = child_device();
              return number(try_send<std::uint32_t>(d, "peerCount").has_value()) +
                     number(send<id>(d, "architecture") != nullptr) + number(send<BOOL>(d, "isRemovable")) +
                     number(try_send<id>(d, "newArgumentEncoderWithLayout:", id(nullptr)).has_value());
          }).said == "0010");
    const auto child = in_child(device.path(), [] {
        const id d = child_device();
        override_family<1008>(object_getClass(d));
        return number(send<BOOL>(d, "isRemovable"));
    });
    CHECK(child.signal == SIGABRT);
}

TEST_CASE("the same device comes from both entry points") {
    CHECK(in_child(kDefault, [] {
              const id device = child_device();
              const id all = reinterpret_cast<id (*)()>(child_symbol("MTLCopyAllDevices"))();
              const auto devices = elements(all);
              return number(devices.size() == 1 && devices[0] == device);
          }).said == "1");
}

TEST_CASE("a device file with no-device gives no device and an empty list") {
    const TestDevice device("", R"("faults":[{"effect":"no-device"}])");
    const auto child = in_child(device.path(), [] {
        const id all = reinterpret_cast<id (*)()>(child_symbol("MTLCopyAllDevices"))();
        return number(child_device() == nullptr) + number(send<UInteger>(all, "count"));
    });
    CHECK(child.said == "10");
    CHECK(child.errors.empty());
}

TEST_CASE("a bad or unknown device file gives no device and says why in one line") {
    const auto none = [] { return number(child_device() == nullptr) + number(child_device() == nullptr); };
    const auto unknown = in_child("tahoe-guest", none);
    CHECK(unknown.said == "11");
    CHECK(unknown.errors.starts_with(
        "metal-assay: no Metal device: ASSAY_DEVICE: no shipped device is called \"tahoe-guest\""));
    const auto missing = in_child("/nonexistent/device.json", none);
    CHECK(missing.said == "11");
    CHECK(missing.errors.find("/nonexistent/device.json") != std::string::npos);
    const TestDevice taken("", R"("class":"NSString")");
    CHECK(in_child(taken.path(), none).errors.find("there already is a class called NSString") !=
          std::string::npos);
}

TEST_CASE("the library hands out the text of the device file in use") {
    const auto child = in_child("zeros", [] {
        return std::string(reinterpret_cast<const char* (*)()>(child_symbol("assay_software_device"))());
    });
    CHECK(child.said == shipped_device("zeros"));
}
