// The values of MTLGPUFamily by name.
#include "metal/gpu_family.h"

#include <charconv>

namespace assay::metal {

static constexpr GpuFamily kFamilies[] = {
    {"Apple1", 1001},  {"Apple2", 1002},       {"Apple3", 1003},       {"Apple4", 1004},  {"Apple5", 1005},
    {"Apple6", 1006},  {"Apple7", 1007},       {"Apple8", 1008},       {"Apple9", 1009},  {"Apple10", 1010},
    {"Apple11", 1011}, {"Mac1", 2001},         {"Mac2", 2002},         {"Common1", 3001}, {"Common2", 3002},
    {"Common3", 3003}, {"MacCatalyst1", 4001}, {"MacCatalyst2", 4002}, {"Metal3", 5001},  {"Metal4", 5002},
};

std::span<const GpuFamily> gpu_families() { return kFamilies; }

std::string gpu_family_name(Integer value) {
    for (const auto& family : kFamilies)
        if (family.value == value)
            return std::string(family.name);
    return std::to_string(value);
}

std::optional<Integer> gpu_family_value(std::string_view name) {
    for (const auto& family : kFamilies)
        if (family.name == name)
            return family.value;
    Integer value = 0;
    const auto [end, code] = std::from_chars(name.data(), name.data() + name.size(), value);
    if (code != std::errc{} || end != name.data() + name.size() || name.empty())
        return {};
    return value;
}

} // namespace assay::metal
