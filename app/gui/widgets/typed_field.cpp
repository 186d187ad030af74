#include "app/gui/widgets/typed_field.h"

#include <utility>

namespace slipway::gui {

TypedField::TypedField(QWidget* editor, Editor functions) : QObject(editor), m_editor(std::move(functions)) {
    m_pause.setSingleShot(true);
    m_pause.setInterval(kPauseMilliseconds);
    connect(&m_pause, &QTimer::timeout, this, [this] {
        if (m_editor.isWhole()) take();
    });
}

void TypedField::tell() {
    m_pause.stop();
    m_waiting = false;
    emit taken(m_editor.text());
}

void TypedField::change() {
    if (!m_editor.isTyping()) return tell();
    m_pause.start();
    m_waiting = true;
    emit typed(m_editor.text());
}

void TypedField::take() {
    if (m_waiting) tell();
}

TypedField* TypedField::of(const QWidget* editor) {
    return editor->findChild<TypedField*>(QString(), Qt::FindDirectChildrenOnly);
}

}  // namespace slipway::gui
