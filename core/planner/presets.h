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

/// The presets that a short name may mean ("H100", "a100 40", "mi300"): each of its words is a word of the device's name, ignoring case,
/// or else the beginning of one. A full name means that device alone, and a PCIe card is meant only where the name has PCIe. Empty: none.
std::vector<const ClusterSpec*> devicePresetsLike(std::string_view name, std::optional<DeviceKind> kind = {});

/// A price as listed by someone at some time.
struct ListedPrice {
    std::string device, offer;
    double pricePerHour = 0;
    std::string currency, source, date;
};
const std::vector<ListedPrice>& listedPrices();
/// Empty when nobody lists it: unknown is not free.
std::optional<double> listedPrice(std::string_view device, std::string_view offer);

/// {"devices": [cluster, ...], "prices": [{"device", "offer", "price_per_hour", "currency", "source", "date"}, ...]}: the schema of
/// resources/clusters and resources/prices.
struct UserHardware {
    std::vector<ClusterSpec> devices;
    std::vector<ListedPrice> prices;
};

/// From here on devicePresets() and listedPrices() have them: a device or offer of a name that the library has takes its place. What
/// these functions returned before stays valid. Call it at the start and after a change, from one thread.
void useUserHardware(const UserHardware& hardware);
/// The library's own device of this name, whatever the user has; null: none.
const ClusterSpec* shippedDevice(std::string_view name);

}  // namespace slipway
