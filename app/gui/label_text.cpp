#include "app/gui/label_text.h"

#include "app/gui/format.h"
#include "core/metrics/forecast_label.h"

#include <QCoreApplication>

namespace slipway::gui {

QString labelText(std::string_view label) {
    const char* text = label == "measured"     ? QT_TRANSLATE_NOOP("Label", "measured")
                       : label == "calibrated" ? QT_TRANSLATE_NOOP("Label", "calibrated")
                       : label == "textbook"   ? QT_TRANSLATE_NOOP("Label", "textbook")
                                               : nullptr;
    return text ? QCoreApplication::translate("Label", text) : qs(label);
}

QString labelHelp(std::string_view label) {
    if (label == "measured") return QCoreApplication::translate("Label", "Measured: from runs of this very layout.");
    if (label == "calibrated")
        return QCoreApplication::translate(
            "Label",
            "Calibrated: formulas with parameters fitted to measured runs; the interval is from their residuals.");
    if (label == "textbook")
        return QCoreApplication::translate(
            "Label", "Textbook: formulas with the usual efficiencies; no run of this hardware was used.");
    return {};
}

QString intervalText(const std::pair<double, double>& ends, QString (*format)(std::optional<double>)) {
    return QCoreApplication::translate("Label", "80 %: %1 – %2").arg(format(ends.first), format(ends.second));
}

QString withForecastLabel(const QString& word, const std::string& forecastJson) {
    const std::string label = forecastLabel(forecastJson);
    return label.empty() ? word : QCoreApplication::translate("Label", "%1, %2").arg(word, labelText(label));
}

}  // namespace slipway::gui
