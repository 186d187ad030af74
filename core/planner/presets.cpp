#include "core/planner/presets.h"

#include "core/base/json.h"
#include "core/spec/run_config.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <deque>

namespace slipway {

// Made at build time from resources/ (packaging/cmake/EmbedText.cmake).
std::vector<std::string> embeddedModelFiles();
std::vector<std::string> embeddedClusterFiles();
std::vector<std::string> embeddedPriceFiles();

namespace {

/// The files are part of the program: a mistake in them is a programming error, caught by tests.
Json embedded(const std::string& text) {
    auto json = parseJson(text, "resources");
    if (json) return *json;
    std::fprintf(stderr, "%s\n", json.error().text().c_str());
    std::abort();
}

void require(const Issues& issues) {
    if (issues.empty()) return;
    std::fprintf(stderr, "resources: %s\n", issues.front().message.c_str());
    std::abort();
}

std::optional<std::int64_t> count(const Json& entry, const char* key) {
    return entry.contains(key) ? std::optional(entry[key].get<std::int64_t>()) : std::nullopt;
}

std::vector<ModelPreset> loadModels() {
    std::vector<ModelPreset> presets;
    for (const std::string& text : embeddedModelFiles())
        for (const Json& entry : embedded(text)) {
            Issues issues;
            ModelPreset preset;
            preset.id = entry["id"].get<std::string>();
            preset.title = entry["title"].get<std::string>();
            preset.source = entry["source"].get<std::string>();
            preset.publishedParameters = count(entry, "published_parameters");
            preset.activeParameters = count(entry, "active_parameters");
            preset.model = modelFromJson(entry["model"], issues);
            require(issues);
            presets.push_back(std::move(preset));
        }
    return presets;
}

std::vector<ClusterSpec> loadClusters() {
    std::vector<ClusterSpec> presets;
    for (const std::string& text : embeddedClusterFiles())
        for (const Json& entry : embedded(text)) {
            Issues issues;
            presets.push_back(clusterFromJson(entry, issues));
            require(issues);
        }
    return presets;
}

std::vector<ListedPrice> loadPrices() {
    std::vector<ListedPrice> prices;
    for (const std::string& text : embeddedPriceFiles())
        for (const Json& e : embedded(text))
            prices.push_back({e["device"].get<std::string>(), e["offer"].get<std::string>(),
                              e["price_per_hour"].get<double>(), e["currency"].get<std::string>(),
                              e["source"].get<std::string>(), e["date"].get<std::string>()});
    return prices;
}

}  // namespace

const std::vector<ModelPreset>& modelPresets() {
    static const std::vector<ModelPreset> presets = loadModels();
    return presets;
}

const ModelPreset* findModelPreset(std::string_view id) {
    for (const ModelPreset& preset : modelPresets())
        if (preset.id == id) return &preset;
    return nullptr;
}

namespace {

struct Hardware {
    std::vector<ClusterSpec> devices;
    std::vector<ListedPrice> prices;
};

const Hardware& shippedHardware() {
    static const Hardware shipped{loadClusters(), loadPrices()};
    return shipped;
}

/// The library's hardware or that with the user's; threads may still read a replaced one, so none is ever freed.
std::atomic<const Hardware*>& hardwareInUse() {
    static std::atomic<const Hardware*> inUse{&shippedHardware()};
    return inUse;
}

}  // namespace

void useUserHardware(const UserHardware& own) {
    static std::deque<Hardware> kept;
    if (own.devices.empty() && own.prices.empty()) {
        if (!kept.empty()) hardwareInUse() = &shippedHardware();
        return;
    }
    Hardware all = shippedHardware();
    for (const ClusterSpec& device : own.devices) {
        const auto same = std::find_if(all.devices.begin(), all.devices.end(), [&](const ClusterSpec& other) {
            return other.device.name == device.device.name;
        });
        if (same == all.devices.end())
            all.devices.push_back(device);
        else
            *same = device;
    }
    for (const ListedPrice& price : own.prices) {
        const auto same = std::find_if(all.prices.begin(), all.prices.end(), [&](const ListedPrice& other) {
            return other.device == price.device && other.offer == price.offer;
        });
        if (same == all.prices.end())
            all.prices.push_back(price);
        else
            *same = price;
    }
    hardwareInUse() = &kept.emplace_back(std::move(all));
}

const ClusterSpec* shippedDevice(std::string_view name) {
    for (const ClusterSpec& preset : shippedHardware().devices)
        if (preset.device.name == name) return &preset;
    return nullptr;
}

const std::vector<ClusterSpec>& devicePresets() {
    return hardwareInUse().load()->devices;
}

const ClusterSpec* findDevicePreset(std::string_view name) {
    for (const ClusterSpec& preset : devicePresets())
        if (preset.device.name == name) return &preset;
    return nullptr;
}

namespace {

/// "NVIDIA A100-80GB" as nvidia, a100, 80, gb.
std::vector<std::string> wordsOf(std::string_view name) {
    std::vector<std::string> words;
    bool isNew = true;
    for (const char c : name) {
        if (std::isalnum(static_cast<unsigned char>(c)) == 0) {
            isNew = true;
            continue;
        }
        const char lowered = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        if (isNew) words.emplace_back();
        words.back() += lowered;
        isNew = false;
    }
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::size_t digits = words[i].find_first_not_of("0123456789");
        if (digits == std::string::npos || digits == 0 || words[i].substr(digits) != "gb") continue;
        words[i].resize(digits);
        words.insert(words.begin() + static_cast<std::ptrdiff_t>(i) + 1, "gb");
    }
    return words;
}

bool hasAll(const std::vector<std::string>& words, const std::vector<std::string>& asked, bool beginnings) {
    return std::all_of(asked.begin(), asked.end(), [&](const std::string& word) {
        return std::any_of(words.begin(), words.end(), [&](const std::string& other) {
            return beginnings ? other.starts_with(word) : other == word;
        });
    });
}

}  // namespace

std::vector<const ClusterSpec*> devicePresetsLike(std::string_view name, std::optional<DeviceKind> kind) {
    const std::vector<std::string> asked = wordsOf(name);
    if (asked.empty()) return {};
    for (const bool beginnings : {false, true}) {
        std::vector<const ClusterSpec*> found;
        for (const ClusterSpec& preset : devicePresets()) {
            if (kind && preset.device.kind != *kind) continue;
            if (preset.device.name == name) return {&preset};
            if (hasAll(wordsOf(preset.device.name), asked, beginnings)) found.push_back(&preset);
        }
        if (found.size() > 1)
            std::erase_if(found,
                          [](const ClusterSpec* one) { return hasAll(wordsOf(one->device.name), {"pcie"}, false); });
        if (!found.empty()) return found;
    }
    return {};
}

const std::vector<ListedPrice>& listedPrices() {
    return hardwareInUse().load()->prices;
}

std::optional<double> listedPrice(std::string_view device, std::string_view offer) {
    for (const ListedPrice& price : listedPrices())
        if (price.device == device && price.offer == offer) return price.pricePerHour;
    return {};
}

}  // namespace slipway
