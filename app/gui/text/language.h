// The language of the window, switchable at run time: our catalogue, Qt's own, number formats and fonts.
#pragma once

#include <QTranslator>

namespace slipway::gui {

class WindowLanguage {
public:
    /// "en", "ko", or empty for the system's. Every widget gets QEvent::LanguageChange.
    void apply(const QString& code);
    [[nodiscard]] QString current() const { return m_code; }

private:
    QTranslator m_own;
    QTranslator m_qt;
    QString m_code;
};

/// The system font with Noto Sans CJK KR as fallback; where the platform has no font settings (offscreen) Noto Sans 13
/// px, so that pictures are the same everywhere.
void applyFont();

}  // namespace slipway::gui
