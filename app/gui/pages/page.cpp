#include "app/gui/pages/page.h"

#include <QSplitter>
#include <QVBoxLayout>

namespace slipway::gui {

QSplitter* splitter(Qt::Orientation orientation, std::initializer_list<QWidget*> widgets, const QList<int>& stretch) {
    auto* out = new QSplitter(orientation);
    out->setHandleWidth(1);
    int i = 0;
    for (QWidget* widget : widgets) {
        out->addWidget(widget);
        out->setStretchFactor(i, stretch.value(i));
        ++i;
    }
    return out;
}

Page::Page(Context& context, QWidget* parent) : QWidget(parent), m_context(context), m_header(new HeaderBar(this)) {
    setBackgroundRole(QPalette::Base);
    setAutoFillBackground(true);
    m_layout = new QVBoxLayout(this);
    m_layout->setContentsMargins(0, 0, 0, 0);
    m_layout->setSpacing(0);
    m_layout->addWidget(m_header);
}

void Page::setContent(QWidget* content) {
    m_layout->addWidget(content, 1);
}

void Page::rememberSizes(QSplitter* splitter, const QString& key) {
    splitter->setChildrenCollapsible(false);
    const QByteArray saved = m_context.settings.value(QStringLiteral("sizes/") + key).toByteArray();
    if (!saved.isEmpty()) splitter->restoreState(saved);
    connect(splitter, &QSplitter::splitterMoved, this, [this, splitter, key] {
        m_context.settings.setValue(QStringLiteral("sizes/") + key, splitter->saveState());
    });
}

void Page::undo() {
    if (QUndoStack* stack = undoStack()) stack->undo();
}

void Page::redo() {
    if (QUndoStack* stack = undoStack()) stack->redo();
}

}  // namespace slipway::gui
