#include "core/planner/user_hardware.h"

#include "core/base/file.h"
#include "core/base/json_fields.h"
#include "core/spec/run_config.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace slipway {
namespace {

constexpr const char* kUsersSource = "set by the user";

void require(Issues& issues, bool holds, const std::string& path, const Message& message) {
    if (!holds) issues.push_back(issueOf(Severity::Error, "bad_hardware", path, message));
}

ListedPrice priceFromJson(const Json& json, const std::string& at, Issues& issues) {
    ListedPrice price;
    if (!json.is_object()) {
        require(issues, false, at, "%1 must be an object { ... }."_text(at));
        return price;
    }
    const auto text = [&](const char* key, std::string& to, bool isNeeded) {
        const bool isThere = json.contains(key);
        if (isThere && json[key].is_string()) to = json[key].get<std::string>();
        require(issues, (!isThere && !isNeeded) || !to.empty(), at + "." + key,
                "%1 must be text in quotes."_text(at + "." + key));
    };
    text("device", price.device, true);
    text("offer", price.offer, true);
    text("currency", price.currency, true);
    text("source", price.source, true);
    text("date", price.date, true);
    const bool isPrice = json.contains("price_per_hour") && json["price_per_hour"].is_number();
    if (isPrice) price.pricePerHour = json["price_per_hour"].get<double>();
    require(issues, isPrice && std::isfinite(price.pricePerHour) && price.pricePerHour >= 0, at + ".price_per_hour",
            "%1 must be a number of at least 0."_text(at + ".price_per_hour"));
    const std::vector<std::string> known{"device", "offer", "price_per_hour", "currency", "source", "date"};
    for (const auto& item : json.items())
        require(issues, std::find(known.begin(), known.end(), item.key()) != known.end(), at + "." + item.key(),
                "Unknown key %1%2"_text(at + "." + item.key(), didYouMean(nearestKey(item.key(), known))));
    return price;
}

Issues problemsOf(const ClusterSpec& device, const std::string& at) {
    Issues issues;
    require(issues, !device.device.name.empty(), at + ".device.name", "The device needs a name."_text);
    require(issues, device.device.memoryBytes > 0, at + ".device.memory_bytes", "The memory must be above 0."_text);
    require(issues, device.intraNode.bytesPerSecond > 0, at + ".intra_node.bytes_per_second",
            "The bandwidth inside a node must be above 0."_text);
    return issues;
}

}  // namespace

Result<UserHardware> parseUserHardware(std::string_view text, const std::string& name) {
    const auto json = parseJson(text, name);
    if (!json) return fail(json.error());
    Issues issues;
    UserHardware own;
    if (!json->is_object())
        return fail("bad_hardware", "The file must be an object with the lists devices and prices."_text, name);
    for (const auto& item : json->items()) {
        if (item.key() != "devices" && item.key() != "prices") {
            require(issues, false, item.key(),
                    "Unknown key %1%2"_text(item.key(), didYouMean(nearestKey(item.key(), {"devices", "prices"}))));
            continue;
        }
        if (!item.value().is_array()) {
            require(issues, false, item.key(), "%1 must be a list [ ... ]."_text(item.key()));
            continue;
        }
        for (std::size_t i = 0; i < item.value().size(); ++i) {
            const std::string at = item.key() + "." + std::to_string(i);
            if (item.key() == "prices") {
                own.prices.push_back(priceFromJson(item.value()[i], at, issues));
                continue;
            }
            Issues found;
            ClusterSpec device = clusterFromJson(item.value()[i], found, at);
            if (found.empty()) found = problemsOf(device, at);
            for (const ClusterSpec& other : own.devices)
                require(found, other.device.name != device.device.name, at + ".device.name",
                        "The device %1 is listed twice."_text(device.device.name));
            issues.insert(issues.end(), found.begin(), found.end());
            own.devices.push_back(std::move(device));
        }
    }
    if (!issues.empty()) return fail("bad_hardware", issues, name);
    return own;
}

Result<UserHardware> readUserHardware(const std::filesystem::path& file) {
    const auto text = readFile(file);
    if (!text) return text.error().code == "file_missing" ? Result<UserHardware>(UserHardware{}) : fail(text.error());
    return parseUserHardware(*text, file.string());
}

Result<void> writeUserHardware(const std::filesystem::path& file, const UserHardware& hardware) {
    Json json{{"devices", Json::array()}, {"prices", Json::array()}};
    for (const ClusterSpec& device : hardware.devices) json["devices"].push_back(toJson(device));
    for (const ListedPrice& p : hardware.prices)
        json["prices"].push_back({{"device", p.device},
                                  {"offer", p.offer},
                                  {"price_per_hour", p.pricePerHour},
                                  {"currency", p.currency},
                                  {"source", p.source},
                                  {"date", p.date}});
    // The written text must be readable again.
    if (const auto back = parseUserHardware(dumpJson(json, true), file.string()); !back) return fail(back.error());
    if (const auto made = makeFolders(file.parent_path()); !made) return made;
    return writeJsonFile(file, json);
}

std::set<std::string> usersFields(const ClusterSpec& device) {
    std::set<std::string> changed;
    const ClusterSpec* shipped = shippedDevice(device.device.name);
    std::map<std::string, std::string> before;
    if (shipped != nullptr)
        for (const FieldInfo& info : fields::collect(*shipped)) before[info.path] = info.defaultJson;
    for (const FieldInfo& info : fields::collect(device))
        if (shipped == nullptr ? info.defaultJson != "null" : before[info.path] != info.defaultJson)
            changed.insert(info.path);
    return changed;
}

Result<ClusterSpec> changedDevice(const std::string& name, const std::string& path, const std::string& text) {
    const ClusterSpec* known = findDevicePreset(name);
    if (known == nullptr) return fail("unknown_device", "Unknown device %1."_text(name), name);
    Json json = toJson(*known);
    Json* at = &json;
    std::size_t begin = 0;
    for (std::size_t dot = path.find('.'); dot != std::string::npos; begin = dot + 1, dot = path.find('.', begin))
        at = &(*at)[path.substr(begin, dot - begin)];
    const std::string leaf = path.substr(begin);
    const FieldInfos all = fields::collect(*known);
    const auto info = std::find_if(all.begin(), all.end(), [&](const FieldInfo& f) { return f.path == path; });
    if (info == all.end()) {
        std::vector<std::string> paths;
        for (const FieldInfo& f : all) paths.push_back(f.path);
        return fail("unknown_field", "Unknown field %1%2"_text(path, didYouMean(nearestKey(path, paths))), path);
    }
    const bool isText = info->kind == FieldKind::Text || info->kind == FieldKind::Enum;
    if (text.empty() && !isText) {
        at->erase(leaf);
    } else if (isText) {
        (*at)[leaf] = text;
    } else {
        auto value = parseJson(text, path);
        if (!value) return fail(value.error());
        (*at)[leaf] = std::move(*value);
    }
    // A changed figure is no longer the source's; the user can set a new source.
    if (path != "device.source" && path != "device.source_date" && shippedDevice(name) != nullptr &&
        known->device.source == shippedDevice(name)->device.source)
        json["device"]["source"] = std::string(kUsersSource) + "; other figures: " + known->device.source;
    Issues issues;
    ClusterSpec changed = clusterFromJson(json, issues, "");
    if (issues.empty()) issues = problemsOf(changed, name);
    if (!issues.empty()) return fail("bad_hardware", issues, path);
    return changed;
}

void putDevice(UserHardware& hardware, const ClusterSpec& device) {
    dropDevice(hardware, device.device.name);
    hardware.devices.push_back(device);
}

bool dropDevice(UserHardware& hardware, std::string_view name) {
    return std::erase_if(hardware.devices, [name](const ClusterSpec& d) { return d.device.name == name; }) > 0;
}

std::string sourceOfFigure(const DeviceSpec& device, std::string_view path) {
    const std::string all = device.source + (device.sourceDate.empty() ? "" : ", " + device.sourceDate);
    const auto part = [&](std::string_view begin) {
        const std::size_t at = device.source.find(begin);
        if (at == std::string::npos) return all;
        return device.source.substr(at, device.source.find(';', at) - at);
    };
    if (path.starts_with("intra_node") || path.starts_with("inter_node") || path == "devices_per_node")
        return part("network");
    if (path == "device.memory_bytes") return part("memory");
    if (path == "device.price_per_hour") return part("price");
    const std::size_t end = device.source.find(';');
    return end == std::string::npos
               ? all
               : device.source.substr(0, end) + (device.sourceDate.empty() ? "" : ", " + device.sourceDate);
}

}  // namespace slipway
