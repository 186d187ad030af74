// What is typed is checked at every keystroke and taken on Enter, Tab or a pause; steps and choices are taken at once.
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

    /// A child of its editor. @param text the value as setField() takes it @param isTyping whether the last change was a keystroke
    TypedField(QWidget* editor, std::function<QString()> text, std::function<bool()> isTyping);

    /// The editor's value changed.
    void change();
    /// Takes what waits for the end of typing.
    void take();
    [[nodiscard]] bool isWaiting() const { return m_pause.isActive(); }
    /// The one of an editor, or null.
    static TypedField* of(const QWidget* editor);

signals:
    void typed(const QString& text);
    void taken(const QString& text);

private:
    std::function<QString()> m_text;
    std::function<bool()> m_isTyping;
    QTimer m_pause;
};

}  // namespace slipway::gui
