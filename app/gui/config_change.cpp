#include "app/gui/config_change.h"

#include "app/gui/format.h"
#include "app/gui/text.h"

#include <QCoreApplication>
#include <QStringList>

namespace slipway::gui {

QString configChangeText(const RunConfig& before, const RunConfig& after) {
    const auto valueOf = [](const std::string& path, const std::string& json) {
        if (json.empty()) return QCoreApplication::translate("ConfigChange", "default");
        const bool word = json.size() > 1 && json.front() == '"';
        return choiceText(path, word ? json.substr(1, json.size() - 2) : json);
    };
    QStringList parts;
    for (const FieldDifference& d : diffConfigs(before, after))
        parts << QCoreApplication::translate("ConfigChange", "%1 %2 → %3").arg(fieldLabel(d.path), valueOf(d.path, d.left), valueOf(d.path, d.right));
    return parts.join(QStringLiteral(", "));
}

}  // namespace slipway::gui
