#include "app/gui/label_text.h"

#include "app/gui/format.h"

#include <QCoreApplication>

namespace slipway::gui {

QString labelText(std::string_view label) {
    const char* text = label == "measured" ? QT_TRANSLATE_NOOP("Label", "measured") : label == "calibrated" ? QT_TRANSLATE_NOOP("Label", "calibrated") : label == "textbook" ? QT_TRANSLATE_NOOP("Label", "textbook") : nullptr;
    return text ? QCoreApplication::translate("Label", text) : qs(label);
}

QString labelHelp(std::string_view label) {
    if (label == "measured") return QCoreApplication::translate("Label", QT_TRANSLATE_NOOP("Label", "Measured: from runs of this very layout."));
    if (label == "calibrated") return QCoreApplication::translate("Label", QT_TRANSLATE_NOOP("Label", "Calibrated: formulas with parameters fitted to measured runs; the interval is from their residuals."));
    if (label == "textbook") return QCoreApplication::translate("Label", QT_TRANSLATE_NOOP("Label", "Textbook: formulas with the usual efficiencies; no run of this hardware was used."));
    return {};
}

}  // namespace slipway::gui
