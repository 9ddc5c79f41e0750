// All the threadgroup memory that the device reports, written and read back.
#include "embedded/kernels.h"
#include "kernels/catalogue.h"
#include "kernels/random.h"

#include <fmt/format.h>

namespace assay {

namespace {

constexpr std::string_view kLimit = "maxThreadgroupMemoryLength";
/// Lengths must be multiples of 16 bytes (setThreadgroupMemoryLength:atIndex:).
constexpr std::uint64_t kAlignment = 16;
/// Far above what any GPU has: a figure beyond it is not worth trying.
constexpr std::uint64_t kLargest = 16u << 20;

Case fill(std::uint32_t bytes, std::uint32_t groups, std::uint32_t salt) {
    const auto words = static_cast<std::uint32_t>(bytes / sizeof(std::uint32_t));
    auto expected = Expectation::exact(0, Element::u32);
    for (std::uint32_t group = 0; group < groups; ++group)
        for (std::uint32_t i = 0; i < words; ++i)
            expected.bits.push_back(((words - 1 - i + group * words) * 2654435761u) ^ salt);
    Case result;
    result.label = fmt::format("{} bytes in {} threadgroups", bytes, groups);
    result.function = "threadgroup_memory";
    result.arguments = {Argument::output(expected.size(), Element::u32),
                        Argument::inlined(std::vector{words, salt})};
    result.threadgroup_bytes = bytes;
    result.grid = Grid::groups({groups, 1, 1}, {256, 1, 1});
    result.expectations = {std::move(expected)};
    return result;
}

Result<Plan> plan(const Variant&, const PlanRequest& request) {
    const auto answer = request.reported.find(kLimit);
    if (!answer || !answer->is_number())
        return environment_error(std::string(kLimit), "the device gives no answer");
    const auto reported = answer->to_number<double>();
    if (!(reported >= kAlignment && reported <= static_cast<double>(kLargest)))
        return environment_error(std::string(kLimit),
                                 fmt::format("{} bytes is nothing that could be tried", reported));
    const auto bytes =
        static_cast<std::uint32_t>(static_cast<std::uint64_t>(reported) / kAlignment * kAlignment);
    const auto salt = static_cast<std::uint32_t>(Random(request.seed).next());
    Plan result;
    result.source = embedded::kernels::threadgroup_memory_metal;
    result.cases.push_back(fill(kAlignment, 3, salt));
    result.cases.push_back(fill(bytes, request.quick ? 4 : 33, salt));
    return result;
}

} // namespace

const Kernel threadgroup_memory_kernel{"threadgroup_memory",
                                       "uses all the threadgroup memory that the device reports",
                                       "exact",
                                       {{"reported", {}, "", {kLimit}}},
                                       plan};

} // namespace assay
