// Presets of models and hardware: JSON in resources/, embedded in the program at build time.
#pragma once

#include "core/base/result.h"
#include "core/spec/cluster_spec.h"
#include "core/spec/model_spec.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slipway {

struct ModelPreset {
    std::string id;     ///< stable, for the command line: "llama3-8b"
    std::string title;  ///< as published: "Llama 3 8B"
    ModelSpec model;
    std::optional<std::int64_t> publishedParameters;  ///< exact count of the published checkpoint, where known
    std::optional<std::int64_t> activeParameters;
    std::string source;
};

/// All model presets, small to large within each family.
const std::vector<ModelPreset>& modelPresets();
/// The preset with this id, or null.
const ModelPreset* findModelPreset(std::string_view id);

/// Clusters of published hardware (one node each; numNodes is the user's), every figure with source and date.
const std::vector<ClusterSpec>& devicePresets();
/// The preset whose device has this name, or null.
const ClusterSpec* findDevicePreset(std::string_view name);

/// The presets that match a short name ("H100", "a100 40", "mi300"): each of its words is a word of the device's name, ignoring case, or
/// else the prefix of one. A full name matches that device alone, and a PCIe card matches only a name with PCIe. Empty: none.
std::vector<const ClusterSpec*> devicePresetsLike(std::string_view name, std::optional<DeviceKind> kind = {});

/// A listed price with its source and date.
struct ListedPrice {
    std::string device, offer;
    double pricePerHour = 0;
    std::string currency, source, date;
};
const std::vector<ListedPrice>& listedPrices();
/// Empty when there is no listed price: unknown is not free.
std::optional<double> listedPrice(std::string_view device, std::string_view offer);

/// {"devices": [cluster, ...], "prices": [{"device", "offer", "price_per_hour", "currency", "source", "date"}, ...]}: the schema of
/// resources/clusters and resources/prices.
struct UserHardware {
    std::vector<ClusterSpec> devices;
    std::vector<ListedPrice> prices;
};

/// Adds them to devicePresets() and listedPrices(): a device or offer with a name of the library replaces it. Earlier
/// results of these functions stay valid. Call it at the start and after a change, from one thread.
void useUserHardware(const UserHardware& hardware);
/// The library's own device of this name, regardless of the user's; null: none.
const ClusterSpec* shippedDevice(std::string_view name);

}  // namespace slipway
