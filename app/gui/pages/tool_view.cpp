#include "app/gui/pages/tool_view.h"

#include "app/gui/look/theme.h"
#include "app/gui/pages/tab_view.h"
#include "app/gui/widgets/pane.h"

#include <QVBoxLayout>

namespace slipway::gui {

QVBoxLayout* ToolView::makeForm(QWidget*& area, int width) {
    auto* scroll = new QScrollArea(this);
    auto* content = new QWidget(scroll);
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(px(16), px(12), px(16), px(16));
    column->setSpacing(px(6));
    scrollDown(scroll, content);
    scroll->setFixedWidth(px(width));
    area = scroll;
    return column;
}

void ToolView::addHead(QVBoxLayout* column, const QString& text) {
    if (column->count() > 0) {
        column->addSpacing(column->spacing());
        column->addWidget(edgeLine(Qt::Horizontal, column->parentWidget()));
    }
    auto* head = new QLabel(text, column->parentWidget());
    head->setFont(fontOf(1.0, true));
    column->addWidget(head);
}

}  // namespace slipway::gui
