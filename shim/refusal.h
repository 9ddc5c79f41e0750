// Why the shim leaves a process with its stock answers.
#pragma once
#include <boost/system/result.hpp>
#include <string>
#include <utility>

namespace assay {

/// One refusal. `reason` is a stable identifier (the constants below) for programs, `detail` a sentence.
struct Refusal {
    Refusal() = default;
    // Not an aggregate: those can be made from one string, and a result of a string could be either.
    Refusal(std::string reason_id, std::string sentence)
        : reason(std::move(reason_id)), detail(std::move(sentence)) {}
    std::string reason;
    std::string detail;
};

/// The identifiers that a status file's `reason` may have.
namespace refusal {
inline constexpr const char* kNoProfile = "no-profile";
inline constexpr const char* kUnreadable = "unreadable";
inline constexpr const char* kMalformed = "malformed";
inline constexpr const char* kWrongDigest = "wrong-digest";
inline constexpr const char* kNotTrusted = "writable-by-others";
inline constexpr const char* kDraft = "draft";
inline constexpr const char* kSimulated = "simulated-on-metal";
inline constexpr const char* kBackend = "other-backend";
inline constexpr const char* kBadOption = "bad-option";
inline constexpr const char* kOtherSystem = "other-os-build";
inline constexpr const char* kOtherChip = "other-chip";
inline constexpr const char* kOtherClass = "other-device-class";
inline constexpr const char* kOtherName = "other-device-name";
inline constexpr const char* kOtherDriver = "other-driver";
inline constexpr const char* kOtherMetal = "other-metal";
inline constexpr const char* kMissingMethod = "missing-method";
inline constexpr const char* kOtherType = "other-method-type";
inline constexpr const char* kOtherAnswer = "stock-answer-differs";
inline constexpr const char* kNoRuntime = "no-objective-c-runtime";
inline constexpr const char* kRolledBack = "rolled-back";
inline constexpr const char* kTooManyClasses = "too-many-device-classes";
} // namespace refusal

template <class T>
using Accepted = boost::system::result<T, Refusal>;

/// Called by Accepted::value() on a refusal; throws std::runtime_error with the detail.
[[noreturn]] void throw_exception_from_error(const Refusal& refusal, const boost::source_location& location);

} // namespace assay
