#include "app/gui/text/label_text.h"

#include "app/gui/text/format.h"
#include "app/gui/text/text.h"
#include "core/metrics/forecast_label.h"
#include "core/planner/forecast_basis.h"

#include <QCoreApplication>

namespace slipway::gui {

QString labelText(std::string_view label) {
    return messageText(basisText(label));
}

QString labelHelp(std::string_view label) {
    return messageText(basisHelp(label));
}

QString intervalText(const std::pair<double, double>& ends, QString (*format)(std::optional<double>)) {
    return QCoreApplication::translate("Label", "80 %: %1 – %2").arg(format(ends.first), format(ends.second));
}

QString withForecastLabel(const QString& word, const std::string& forecastJson) {
    const std::string label = forecastLabel(forecastJson);
    return label.empty() ? word : QCoreApplication::translate("Label", "%1, %2").arg(word, labelText(label));
}

}  // namespace slipway::gui
