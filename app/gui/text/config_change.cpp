#include "app/gui/text/config_change.h"

#include "app/gui/text/layout_words.h"
#include "app/gui/text/text.h"

#include <QCoreApplication>
#include <QStringList>

namespace slipway::gui {

QString configChangeText(const RunConfig& before, const RunConfig& after) {
    const auto valueOf = [](const std::string& path, const std::string& json) {
        return json.empty() ? QCoreApplication::translate("ConfigChange", "default") : valueWords(path, json);
    };
    QStringList parts;
    for (const FieldDifference& d : diffConfigs(before, after))
        if (!d.right.empty())  // a field that no longer applies (a schedule without stages) is not a change
            parts << QCoreApplication::translate("ConfigChange", "%1 %2 → %3")
                         .arg(fieldLabel(d.path), valueOf(d.path, d.left), valueOf(d.path, d.right));
    return parts.join(QStringLiteral(", "));
}

}  // namespace slipway::gui
