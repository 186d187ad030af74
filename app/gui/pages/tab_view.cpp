#include "app/gui/pages/tab_view.h"

#include "app/gui/look/theme.h"
#include "app/gui/widgets/pane.h"

#include <QStackedWidget>
#include <QVBoxLayout>

namespace slipway::gui {

void scrollDown(QScrollArea* area, QWidget* content) {
    area->setFrameShape(QFrame::NoFrame);
    area->setWidgetResizable(true);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    area->setFocusPolicy(Qt::NoFocus);
    content->setBackgroundRole(QPalette::Base);
    area->viewport()->setBackgroundRole(QPalette::Base);
    area->setWidget(content);
}

TabView::TabView(QWidget* parent)
    : QScrollArea(parent), m_content(new QWidget(this)), m_column(new QVBoxLayout(m_content)) {
    m_column->setContentsMargins(0, 0, 0, 0);
    m_column->setSpacing(0);
    m_stack = new QStackedWidget(m_content);
    m_state = new StatePanel(m_stack);
    m_stack->addWidget(m_state);
    scrollDown(this, m_content);
}

void TabView::addEdge() {
    m_column->addWidget(edgeLine(Qt::Horizontal, m_content));
}

QHBoxLayout* TabView::addLine() {
    auto* line = new QWidget(m_content);
    auto* row = new QHBoxLayout(line);
    row->setContentsMargins(px(16), px(8), px(16), px(8));
    row->setSpacing(px(8));
    m_column->addWidget(line);
    addEdge();
    return row;
}

void TabView::addStack(QWidget* shown) {
    m_stack->addWidget(shown);
    m_column->addWidget(m_stack, 1);
}

}  // namespace slipway::gui
