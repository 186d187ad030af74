#include "core/metrics/forecast_label.h"

#include "core/base/json.h"

#include <nlohmann/json.hpp>

namespace slipway {

namespace {

std::string textAt(const std::string& forecastJson, const char* key) {
    const auto json = parseJson(forecastJson, "forecast");
    if (!json || !json->is_object()) return {};
    const auto found = json->find(key);
    return found != json->end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

std::string forecastLabel(const std::string& forecastJson) {
    return textAt(forecastJson, "label");
}

std::string forecastSoftware(const std::string& forecastJson) {
    return textAt(forecastJson, "software");
}

}  // namespace slipway
