#include "app/gui/widgets/row_density.h"

#include "app/gui/look/theme.h"

#include <QApplication>
#include <QHeaderView>
#include <QTableView>

namespace slipway::gui {
namespace {

constexpr const char* kFollows = "followsRowDensity";

bool& compactRows() {
    static bool on = false;
    return on;
}

}  // namespace

int tableRowHeight() {
    return lineHeight(compactRows() ? 20 : 25);
}

void followRowDensity(QTableView* view) {
    view->setProperty(kFollows, true);
    view->verticalHeader()->setDefaultSectionSize(tableRowHeight());
}

void setCompactRows(bool on) {
    if (on == compactRows()) return;
    compactRows() = on;
    for (QWidget* widget : QApplication::allWidgets())
        if (auto* view = qobject_cast<QTableView*>(widget); view && view->property(kFollows).toBool())
            view->verticalHeader()->setDefaultSectionSize(tableRowHeight());
}

}  // namespace slipway::gui
