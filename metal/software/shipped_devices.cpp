// The device files that are compiled in, and the choice of one.
#include "base/file.h"
#include "base/text.h"
#include "embedded/devices.h"
#include "metal/software/device_file.h"

#include <algorithm>
#include <cstdlib>

namespace assay::software {

namespace {

struct ShippedDevice {
    std::string_view name;
    const std::string_view& text;
};

const ShippedDevice kShipped[] = {
    {"tahoe-guest-m1-ultra", embedded::devices::tahoe_guest_m1_ultra_json},
    {"m1-ultra-bare-metal", embedded::devices::m1_ultra_bare_metal_json},
    {"sonoma-guest-raising", embedded::devices::sonoma_guest_raising_json},
    {"overclaims-metal3", embedded::devices::overclaims_metal3_json},
    {"zeros", embedded::devices::zeros_json},
    {"hangs", embedded::devices::hangs_json},
};

bool is_path(std::string_view choice) {
    return choice.find('/') != std::string_view::npos || choice.ends_with(".json");
}

} // namespace

std::vector<std::string_view> shipped_device_names() {
    std::vector<std::string_view> names;
    for (const auto& device : kShipped)
        names.push_back(device.name);
    return names;
}

std::string_view shipped_device(std::string_view name) {
    const auto* found = std::ranges::find(kShipped, name, &ShippedDevice::name);
    return found == std::end(kShipped) ? std::string_view() : found->text;
}

Result<DeviceFile> load_device_file() {
    const char* variable = std::getenv("ASSAY_DEVICE");
    const std::string choice = variable && *variable ? variable : std::string(kShipped[0].name);
    if (is_path(choice)) {
        const auto text = read_file(choice);
        if (!text)
            return text.error();
        return read_device_file(*text, choice);
    }
    const auto text = shipped_device(choice);
    if (!text.empty())
        return read_device_file(text, choice + ".json");
    const auto names = shipped_device_names();
    std::vector<std::string> listed(names.begin(), names.end());
    return bad_input("ASSAY_DEVICE",
                     "no shipped device is called \"" + choice + "\"" + did_you_mean(choice, names),
                     "name a file, or one of " + join(listed, ", "));
}

} // namespace assay::software
