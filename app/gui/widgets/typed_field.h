// Typed text is checked at every keystroke and accepted on Enter, Tab or a pause; steps and choices are accepted immediately.
//   auto* typed = new TypedField(edit, text, isTyping);   connect(typed, &TypedField::taken, ...);   typed->change();
#pragma once

#include <QTimer>
#include <QWidget>
#include <functional>

namespace slipway::gui {

class TypedField : public QObject {
    Q_OBJECT

public:
    static constexpr int kPauseMilliseconds = 400;

    /// Properties of an editor.
    struct Editor {
        std::function<QString()> text;   ///< the value for setField()
        std::function<bool()> isTyping;  ///< the last change was a keystroke
        std::function<bool()> isWhole;   ///< the text is a complete value; an incomplete one waits until focus leaves
    };
    /// A child of its editor.
    TypedField(QWidget* editor, Editor functions);

    /// The editor's value changed.
    void change();
    /// Accepts a text pending the end of typing.
    void take();
    [[nodiscard]] bool isWaiting() const { return m_waiting; }
    /// The TypedField of an editor, or null.
    static TypedField* of(const QWidget* editor);

signals:
    void typed(const QString& text);
    void taken(const QString& text);

private:
    void tell();

    Editor m_editor;
    QTimer m_pause;
    bool m_waiting = false;
};

}  // namespace slipway::gui
