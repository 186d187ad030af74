#include "core/metrics/forecast_label.h"

#include "core/base/json.h"

#include <nlohmann/json.hpp>

namespace slipway {

std::string forecastLabel(const std::string& forecastJson) {
    const auto json = parseJson(forecastJson, "forecast");
    if (!json || !json->is_object()) return {};
    const auto label = json->find("label");
    return label != json->end() && label->is_string() ? label->get<std::string>() : std::string();
}

}  // namespace slipway
