#include "app/gui/widgets/typed_field.h"

#include <utility>

namespace slipway::gui {

TypedField::TypedField(QWidget* editor, std::function<QString()> text, std::function<bool()> isTyping)
    : QObject(editor), m_text(std::move(text)), m_isTyping(std::move(isTyping)) {
    m_pause.setSingleShot(true);
    m_pause.setInterval(kPauseMilliseconds);
    connect(&m_pause, &QTimer::timeout, this, [this] { emit taken(m_text()); });
}

void TypedField::change() {
    if (m_isTyping()) {
        m_pause.start();
        emit typed(m_text());
        return;
    }
    m_pause.stop();
    emit taken(m_text());
}

void TypedField::take() {
    if (!m_pause.isActive()) return;
    m_pause.stop();
    emit taken(m_text());
}

TypedField* TypedField::of(const QWidget* editor) {
    return editor->findChild<TypedField*>(QString(), Qt::FindDirectChildrenOnly);
}

}  // namespace slipway::gui
