#include "core/answers/answer.h"

#include "core/base/units.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace slipway {

namespace written {

std::string count(double value, Language language) {
    return formatShort(value, language);
}
std::string whole(double value, Language) {
    return formatCount(value);
}
std::string three(double value, Language) {
    return formatSignificant(value, 3);
}
std::string four(double value, Language) {
    return formatSignificant(value, 4);
}
std::string five(double value, Language) {
    return formatSignificant(value, 5);
}
std::string loss(double value, Language) {
    return formatFixed(value, 4);
}
std::string percent(double value, Language) {
    return formatPercent(value);
}
std::string bytes(double value, Language) {
    return formatBytes(value);
}
std::string seconds(double value, Language language) {
    return formatSeconds(value, language);
}

}  // namespace written

std::string cellText(const Json& value, const AnswerColumn& column, Language language) {
    if (value.is_number() && column.format != nullptr) return column.format(value.get<double>(), language);
    if (value.is_string()) return value.get<std::string>();
    return value.is_null() ? "-" : dumpJson(value, false);
}

Json numberOrNull(double value) {
    return std::isfinite(value) ? Json(value) : Json(nullptr);
}

}  // namespace slipway
