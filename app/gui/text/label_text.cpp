#include "app/gui/text/label_text.h"

#include "app/gui/text/format.h"
#include "app/gui/text/text.h"
#include "core/planner/stack/forecast_basis.h"

#include <QCoreApplication>

namespace slipway::gui {

QString labelText(std::string_view label) {
    return messageText(basisText(label));
}

QString labelText(std::string_view label, std::string_view software) {
    return messageText(basisText(label, software));
}

QString labelHelp(std::string_view label) {
    return messageText(basisHelp(label));
}

QString intervalText(const std::pair<double, double>& ends, std::string_view label,
                     QString (*format)(std::optional<double>)) {
    return (hasProbability(label) ? QCoreApplication::translate("Label", "80 %: %1 – %2")
                                  : QCoreApplication::translate("Label", "Range: %1 – %2"))
        .arg(format(ends.first), format(ends.second));
}

}  // namespace slipway::gui
