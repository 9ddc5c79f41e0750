// What the injected library did in a process: reading and writing it.
#include "shim/status.h"
#include "base/file.h"
#include "base/json_reader.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace assay {

namespace {

json::array to_json(const std::vector<std::string>& texts) {
    json::array out;
    for (const auto& text : texts)
        out.emplace_back(text);
    return out;
}

StatusDevice read_device(const json::value& value, const std::string& pointer, Problems& problems) {
    ObjectReader reader(value, pointer, problems);
    return {reader.string("class"), reader.strings("applied")};
}

} // namespace

Result<Status> parse_status(const std::string& text, const std::string& file) {
    const auto document = parse_json(text, file);
    if (!document)
        return document.error();
    Problems problems(file);
    Status status;
    {
        ObjectReader reader(*document, "", problems);
        reader.schema("assay.status/1");
        status.active = reader.one_of("state", {"stock", "active"}) == "active";
        status.reason = reader.optional_string("reason").value_or("");
        status.detail = reader.optional_string("detail").value_or("");
        status.pid = static_cast<long>(reader.optional_uint("pid").value_or(0));
        status.profile = reader.optional_string("profile").value_or("");
        status.install_point = reader.optional_string("install_point").value_or("");
        std::size_t index = 0;
        for (const auto& device : reader.array("devices"))
            status.devices.push_back(read_device(device, "/devices/" + std::to_string(index++), problems));
        status.consulted = reader.strings("consulted");
    }
    if (!problems.empty())
        return problems.error();
    return status;
}

Result<Status> read_status(const std::string& path) {
    const auto text = read_file(path);
    if (!text)
        return text.error();
    return parse_status(*text, path);
}

std::string status_text(const Status& status) {
    json::object out;
    out["schema"] = "assay.status/1";
    out["state"] = status.active ? "active" : "stock";
    if (!status.reason.empty())
        out["reason"] = status.reason;
    if (!status.detail.empty())
        out["detail"] = status.detail;
    out["pid"] = status.pid;
    out["profile"] = status.profile;
    if (!status.install_point.empty())
        out["install_point"] = status.install_point;
    json::array devices;
    for (const auto& device : status.devices)
        devices.push_back(json::object{{"class", device.device_class}, {"applied", to_json(device.applied)}});
    out["devices"] = std::move(devices);
    out["consulted"] = to_json(status.consulted);
    return write_json(out);
}

Result<void> write_status(const Status& status, const std::string& path) {
    const auto text = status_text(status);
    std::string temporary = path + ".XXXXXX";
    const int fd = ::mkostemp(temporary.data(), O_CLOEXEC);
    if (fd < 0)
        return environment_error(path,
                                 std::string("cannot create a file beside it: ") + std::strerror(errno));
    const bool written = ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    const bool closed = ::close(fd) == 0;
    if (written && closed && ::rename(temporary.c_str(), path.c_str()) == 0)
        return {};
    auto error = environment_error(path, std::string("cannot write: ") + std::strerror(errno));
    ::unlink(temporary.c_str());
    return error;
}

} // namespace assay
