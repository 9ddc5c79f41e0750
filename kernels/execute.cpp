// Climbing the claim ladder: one variant's plan on the GPU of this process.
#include "kernels/execute.h"
#include "base/text.h"
#include "kernels/feature.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <map>

namespace assay {

namespace {

/// Two runs with different poison: what was not written cannot equal the reference in both.
constexpr std::byte kPoisons[] = {std::byte{0xFF}, std::byte{0xA5}};
/// Bytes after each output that nothing may write to.
constexpr std::size_t kGuardBytes = 256;
constexpr std::size_t kPairs = 9;
constexpr std::size_t kQuickPairs = 6;

/// A case with its buffers and pipeline.
struct Prepared {
    const Case* source = nullptr;
    const Pipeline* pipeline = nullptr;
    std::vector<metal::Object> buffers; ///< by argument index; empty for inlined ones
    std::vector<std::byte*> contents;
    metal::Object residency_set;

    Gpu::Dispatch dispatch() const {
        Gpu::Dispatch out;
        out.pipeline = pipeline->state.get();
        for (std::size_t i = 0; i < buffers.size(); ++i)
            out.arguments.emplace_back(buffers[i].get(), &source->arguments[i].bytes);
        out.threadgroup_bytes = source->threadgroup_bytes;
        out.grid = source->grid;
        out.residency_set = residency_set.get();
        return out;
    }

    /// Puts inputs and in-outs in place and poisons outputs and guards.
    void reset(std::byte poison) const {
        for (std::size_t i = 0; i < buffers.size(); ++i) {
            if (!buffers[i])
                continue;
            const auto& argument = source->arguments[i];
            const auto size = argument.bytes.size();
            std::memset(contents[i], std::to_integer<int>(poison), size + kGuardBytes);
            if (argument.kind != Argument::Kind::output)
                std::memcpy(contents[i], argument.bytes.data(), size);
        }
    }

    bool guards_hold(std::byte poison) const {
        for (std::size_t i = 0; i < buffers.size(); ++i)
            if (buffers[i]) {
                const auto* guard = contents[i] + source->arguments[i].bytes.size();
                if (!std::all_of(guard, guard + kGuardBytes, [&](std::byte b) { return b == poison; }))
                    return false;
            }
        return true;
    }
};

/// One variant's library, its pipelines by function and constants, and its plan.
class Program {
  public:
    static GpuResult<Program> make(const Gpu& gpu, const Variant& variant, Plan plan) {
        auto library =
            gpu.compile(plan.source, {{"ASSAY_VARIANT_" + std::string(variant.name), std::string("1")}});
        if (!library)
            return library.error();
        Program program;
        program.plan_ = std::move(plan);
        for (const auto& one : program.plan_.cases) {
            auto& slot = program.pipelines_[key(one)];
            if (slot.state)
                continue;
            auto pipeline = gpu.pipeline(library->get(), one.function, one.constants);
            if (!pipeline)
                return pipeline.error();
            if (pipeline->max_threads < one.grid.group_threads())
                return GpuFailure{Rung::compiles,
                                  fmt::format("pipeline {} allows {} threads per threadgroup, it needs {}",
                                              one.function, pipeline->max_threads, one.grid.group_threads())};
            slot = std::move(*pipeline);
        }
        return program;
    }

    const Plan& plan() const { return plan_; }

    /// The SIMD width of a pipeline, when it is not the one that the reference assumes; else 0.
    std::size_t unexpected_width() const {
        if (plan_.simd_width != 0)
            for (const auto& [name, pipeline] : pipelines_)
                if (pipeline.simd_width != plan_.simd_width)
                    return pipeline.simd_width;
        return 0;
    }

    GpuResult<Prepared> prepare(const Gpu& gpu, const Case& one) const {
        Prepared prepared;
        prepared.source = &one;
        prepared.pipeline = &pipelines_.at(key(one));
        std::vector<id> resident;
        for (const auto& argument : one.arguments) {
            if (argument.kind == Argument::Kind::inlined) {
                prepared.buffers.emplace_back();
                prepared.contents.push_back(nullptr);
                continue;
            }
            auto buffer = gpu.buffer(argument.bytes.size() + kGuardBytes);
            if (!buffer)
                return buffer.error();
            const auto contents = Gpu::contents(buffer->get());
            if (!contents)
                return contents.error();
            resident.push_back(buffer->get());
            prepared.buffers.push_back(std::move(*buffer));
            prepared.contents.push_back(*contents);
        }
        if (one.residency_set) {
            auto set = gpu.residency_set(resident);
            if (!set)
                return set.error();
            prepared.residency_set = std::move(*set);
        }
        return prepared;
    }

  private:
    using Key = std::pair<std::string, std::string>;
    static Key key(const Case& one) {
        std::string constants;
        for (const auto& constant : one.constants)
            constants += fmt::format(
                "{}={};", constant.index,
                std::visit([](auto value) { return static_cast<double>(value); }, constant.value));
        return {one.function, constants};
    }

    Plan plan_;
    std::map<Key, Pipeline> pipelines_;
};

/// Runs a prepared case once and checks everything it wrote. The failure's text does not name the case.
GpuResult<Comparison> verify(const Gpu& gpu, const Prepared& prepared, std::byte poison) {
    prepared.reset(poison);
    const auto time = gpu.run(prepared.dispatch());
    if (!time)
        return time.error();
    Comparison all;
    for (const auto& expectation : prepared.source->expectations) {
        const auto size = prepared.source->arguments[expectation.argument].bytes.size();
        all.add(compare(expectation, {prepared.contents[expectation.argument], size}));
    }
    if (all.wrong != 0)
        return GpuFailure{Rung::correct,
                          fmt::format("{} of {} elements wrong; {}", all.wrong, all.elements, all.first)};
    if (!prepared.guards_hold(poison))
        return GpuFailure{Rung::correct, "wrote beyond the end of a buffer"};
    return all;
}

const Case* timed_case(const Plan& plan) {
    for (const auto& one : plan.cases)
        if (one.timed)
            return &one;
    return nullptr;
}

std::vector<double> seconds(const std::vector<RunTime>& runs, bool by_gpu) {
    std::vector<double> out;
    out.reserve(runs.size());
    for (const auto& run : runs)
        out.push_back(by_gpu ? run.gpu() : run.wall);
    return out;
}

/// Times a variant against its fallback in interleaved pairs, and verifies both once more afterwards.
GpuResult<Payoff> time_against(const Gpu& gpu, const Prepared& own, const Prepared& other, bool quick) {
    std::vector<RunTime> own_runs;
    std::vector<RunTime> other_runs;
    for (std::size_t pair = 0; pair < (quick ? kQuickPairs : kPairs); ++pair)
        for (const bool own_turn : {pair % 2 == 0, pair % 2 != 0}) {
            const auto time = gpu.run((own_turn ? own : other).dispatch());
            if (!time)
                return time.error();
            (own_turn ? own_runs : other_runs).push_back(*time);
        }
    for (const auto* side : {&own, &other})
        if (const auto again = verify(gpu, *side, kPoisons[1]); !again)
            return GpuFailure{again.error().rung, "after timing: " + again.error().detail};
    const bool by_gpu = gpu_times_plausible(own_runs) && gpu_times_plausible(other_runs);
    Payoff pays;
    pays.clock = by_gpu ? "gpu" : "wall";
    pays.variant_seconds = seconds(own_runs, by_gpu);
    pays.fallback_seconds = seconds(other_runs, by_gpu);
    std::vector<double> ratios;
    for (std::size_t i = 0; i < own_runs.size(); ++i)
        ratios.push_back(pays.fallback_seconds[i] / std::max(pays.variant_seconds[i], 1e-12));
    const auto interval = median_interval(std::move(ratios));
    pays.ratio = interval.median;
    pays.low = interval.low;
    pays.high = interval.high;
    pays.confidence = interval.confidence;
    return pays;
}

/// Fills in how the variant pays; says why not when it cannot be told.
void climb_to_pays(const Gpu& gpu, const KernelVariant& what, const Program& program,
                   const ExecuteOptions& options, const Answers& answers, KernelResult& result) {
    const auto* timed = timed_case(program.plan());
    const auto* fallback = what.kernel->find_variant(what.variant->fallback);
    if (!timed || !fallback)
        return;
    options.progress(Rung::pays, timed->label);
    auto plan = what.kernel->plan(*fallback, {options.seed, options.quick, answers});
    if (!plan) {
        result.pays_detail = plan.error().text();
        return;
    }
    auto other = Program::make(gpu, *fallback, std::move(*plan));
    if (!other) {
        result.pays_detail = fmt::format("the fallback {} failed: {}", fallback->name, other.error().detail);
        return;
    }
    const auto* other_timed = timed_case(other->plan());
    const auto own_side = program.prepare(gpu, *timed);
    const auto other_side = other_timed
                                ? other->prepare(gpu, *other_timed)
                                : GpuResult<Prepared>(GpuFailure{Rung::runs, "it has no case to time"});
    if (!own_side || !other_side) {
        result.pays_detail = (own_side ? other_side : own_side).error().detail;
        return;
    }
    for (const auto* side : {&*own_side, &*other_side})
        if (const auto first = verify(gpu, *side, kPoisons[0]); !first) {
            result.pays_detail = first.error().detail;
            return;
        }
    auto pays = time_against(gpu, *own_side, *other_side, options.quick);
    if (!pays) {
        result.pays_detail = pays.error().detail;
        return;
    }
    pays->fallback = fallback->name;
    result.pays = std::move(*pays);
}

} // namespace

Truth reported(const Variant& variant, const Answers& answers) {
    Truth all = Truth::yes;
    for (const auto id : variant.features) {
        const auto* feature = find_feature(id);
        all = std::min(all, feature ? promise(*feature, answers) : Truth::unknown);
    }
    for (const auto key : variant.reads) {
        const auto answer = answers.find(key);
        all = std::min(all, answer && answer->is_number() ? Truth::yes : Truth::unknown);
    }
    return all;
}

std::string promise_text(const Variant& variant, const Answers& answers) {
    std::vector<std::string> parts;
    for (const auto id : variant.features) {
        const auto* feature = find_feature(id);
        if (!feature)
            continue;
        std::vector<std::string> families;
        for (const auto& family : {feature->min_apple_family, feature->min_metal_family})
            if (!family.empty())
                families.push_back(family);
        auto text = join(families, " or ");
        if (!feature->min_macos.empty())
            text += " on macOS " + feature->min_macos;
        parts.push_back(text + " (" + feature->id + ")");
    }
    for (const auto key : variant.reads) {
        const auto answer = answers.find(key);
        parts.push_back(std::string(key) + " = " + (answer ? write_json_line(*answer) : "unanswered"));
    }
    return parts.empty() ? "any Metal device" : join(parts, ", ");
}

KernelResult execute(const Gpu& gpu, const KernelVariant& what, const ExecuteOptions& options) {
    const metal::Pool pool;
    const auto answers = gpu.answers();
    KernelResult result;
    result.kernel = what.kernel->name;
    result.variant = what.variant->name;
    result.features.assign(what.variant->features.begin(), what.variant->features.end());
    result.seed = options.seed;
    result.quick = options.quick;
    result.reported = reported(*what.variant, answers);
    result.promise = promise_text(*what.variant, answers);
    options.promised(result.reported, result.promise);
    if (result.reported != Truth::yes && !options.force) {
        result.status = KernelStatus::skipped;
        result.detail =
            (result.reported == Truth::no ? "not reported: needs " : "not known to be reported: needs ") +
            result.promise;
        return result;
    }
    auto plan = what.kernel->plan(*what.variant, {options.seed, options.quick, answers});
    if (!plan) {
        result.detail = plan.error().text();
        return result;
    }
    options.progress(Rung::compiles, "");
    const auto program = Program::make(gpu, *what.variant, std::move(*plan));
    if (!program) {
        result.fail(program.error().rung, program.error().detail);
        return result;
    }
    result.rung = Rung::compiles;
    if (const auto width = program->unexpected_width()) {
        result.detail = fmt::format("SIMD-groups are {} wide, the reference assumes {}", width,
                                    program->plan().simd_width);
        return result;
    }
    Comparison all;
    for (const auto& one : program->plan().cases) {
        const metal::Pool case_pool;
        options.progress(Rung::runs, one.label);
        const auto prepared = program->prepare(gpu, one);
        if (!prepared) {
            result.fail(prepared.error().rung, fmt::format("{}: {}", one.label, prepared.error().detail));
            return result;
        }
        for (const auto poison : kPoisons) {
            const auto compared = verify(gpu, *prepared, poison);
            if (!compared) {
                result.fail(compared.error().rung, fmt::format("{}: {}", one.label, compared.error().detail));
                return result;
            }
            all.add(*compared);
            if (poison != kPoisons[0])
                all.elements -= compared->elements; // the same elements a second time
        }
    }
    result.status = KernelStatus::passed;
    result.rung = Rung::correct;
    result.inputs = all.elements;
    result.worst = all.worst;
    if (options.time)
        climb_to_pays(gpu, what, *program, options, answers, result);
    return result;
}

} // namespace assay
