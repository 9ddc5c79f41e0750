// Faults of a device file: conditions and chance.
#include "metal/software/faults.h"
#include "metal/gpu_family.h"
#include "metal/software/failure.h"
#include "metal/software/queries.h"

#include <algorithm>
#include <mutex>
#include <random>
#include <unistd.h>

namespace assay::software {

namespace {

constexpr EffectRow kEffects[] = {
    {"wrong-result", Effect::wrong_result, "what the kernel wrote is altered"},
    {"zeros", Effect::zeros, "what the kernel wrote becomes zero"},
    {"command-error", Effect::command_error, "the command buffer ends with an error"},
    {"pipeline-error", Effect::pipeline_error, "no pipeline, with an NSError"},
    {"empty-library", Effect::empty_library, "the library has no functions"},
    {"nil-without-error", Effect::nil_without_error, "nil, and the NSError is left alone"},
    {"raise", Effect::raise, "an Objective-C exception"},
    {"abort", Effect::abort, "the process aborts"},
    {"hang", Effect::hang, "the call never returns; a kernel blocks its queue for ever"},
    {"never-completes", Effect::never_completes, "this command buffer never completes, later ones do"},
    {"slow", Effect::slow, "the dispatch takes much longer"},
    {"intermittent", Effect::intermittent, "wrong-result, at the given rate"},
    {"stale-no-copy", Effect::stale_no_copy, "a no-copy buffer is a copy of the caller's memory"},
    {"zero-timestamps", Effect::zero_timestamps, "GPU start and end times are zero"},
    {"end-before-start", Effect::end_before_start, "the GPU end time lies before the start time"},
    {"compiler-dies", Effect::compiler_dies, "the compiler's process dies"},
    {"wedge", Effect::wedge, "all command buffers of all processes fail until the file is removed"},
    {"hang-at-exit", Effect::hang_at_exit, "the process does not get past exit()"},
    {"no-device", Effect::no_device, "there is no Metal device"},
};

bool by_chance(double rate) {
    if (rate >= 1)
        return true;
    static std::mutex mutex;
    static std::mt19937_64 random{std::random_device{}()};
    const std::lock_guard lock(mutex);
    return std::uniform_real_distribution<double>(0, 1)(random) < rate;
}

bool holds(const Condition& when, const Occasion& now) {
    if (when.query && *when.query != now.query && *when.query != now.selector)
        return false;
    // A fault that names neither is one of kernels, not of calls to the device.
    if (!now.query.empty() && !when.query && !when.feature)
        return false;
    if (when.kernel && *when.kernel != now.kernel)
        return false;
    if (when.feature && !(now.features && now.features->contains(*when.feature)))
        return false;
    if (now.threads < when.minimum_threads)
        return false;
    if (!when.reports)
        return true;
    // Asking the device may bring us back here: a fault does not wait for its own answer.
    static thread_local bool asking = false;
    if (asking)
        return false;
    asking = true;
    const bool yes = answers_yes(now.device, *when.reports, when.reports_stock);
    asking = false;
    return yes;
}

} // namespace

std::span<const EffectRow> effect_rows() { return kEffects; }

bool answers_yes(id device, std::string_view key, std::uint64_t stock) {
    const auto parts = split_key(key);
    if (parts && parts->name == "supportsFamily") {
        const auto family = metal::gpu_family_value(parts->argument);
        return family && metal::send<BOOL>(device, "supportsFamily:", *family);
    }
    if (parts) {
        const auto* row = find_argument_query(parts->name);
        const auto argument = row ? argument_value(*row, parts->argument) : std::nullopt;
        if (!argument || !metal::responds_to(device, row->selector))
            return false;
        if (row->type == AnswerType::boolean)
            return metal::send<BOOL>(device, row->selector, metal::UInteger(*argument));
        return metal::send<metal::UInteger>(device, row->selector, metal::UInteger(*argument)) != stock;
    }
    const auto* row = find_query(key);
    if (!row || !metal::responds_to(device, row->selector))
        return false;
    if (row->type == AnswerType::boolean)
        return metal::send<BOOL>(device, row->selector);
    if (row->type == AnswerType::integer)
        return metal::send<metal::UInteger>(device, row->selector) != stock;
    return false;
}

const Fault* Faults::strikes(Effect effect, const Occasion& occasion) const {
    for (const auto& fault : faults_)
        if (fault.effect == effect && holds(fault.when, occasion) && by_chance(fault.rate))
            return &fault;
    return nullptr;
}

bool Faults::has(Effect effect) const {
    return std::ranges::any_of(faults_, [&](const Fault& fault) { return fault.effect == effect; });
}

bool Faults::names_query(std::string_view key, std::string_view selector) const {
    return std::ranges::any_of(faults_, [&](const Fault& fault) {
        return fault.when.query && (*fault.when.query == key || *fault.when.query == selector);
    });
}

std::vector<std::string> Faults::selectors() const {
    std::vector<std::string> out;
    for (const auto& fault : faults_)
        if (fault.when.query && !find_query(*fault.when.query) && !split_key(*fault.when.query))
            out.push_back(*fault.when.query);
    return out;
}

std::string Faults::wedged() const {
    for (const auto& fault : faults_)
        if (fault.effect == Effect::wedge && ::access(fault.file.c_str(), F_OK) == 0)
            return fault.file;
    return {};
}

void stop_here(const Faults& faults, const Occasion& occasion) {
    const std::string what(!occasion.kernel.empty()     ? occasion.kernel
                           : !occasion.selector.empty() ? occasion.selector
                                                        : occasion.query);
    if (faults.strikes(Effect::raise, occasion))
        raise("NSInvalidArgumentException", "unrecognized selector or argument: " + what);
    if (faults.strikes(Effect::abort, occasion))
        fail_assertion(what, "unexpected state of the device");
    if (faults.strikes(Effect::hang, occasion))
        hang();
}

} // namespace assay::software
