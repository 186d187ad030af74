#include "app/gui/text/language.h"

#include <QApplication>
#include <QFontDatabase>
#include <QGuiApplication>
#include <QLibraryInfo>
#include <QLocale>

// The linker drops the resources of a static library unless they are referenced.
static void initTranslations() {
    Q_INIT_RESOURCE(translations);
}

namespace slipway::gui {
namespace {

// Qt's own words in the window: its catalogue is not installed everywhere.
[[maybe_unused]] constexpr const char* kQtWords[] = {
    QT_TRANSLATE_NOOP("QPlatformTheme", "OK"),    QT_TRANSLATE_NOOP("QPlatformTheme", "Cancel"),
    QT_TRANSLATE_NOOP("QPlatformTheme", "Close"), QT_TRANSLATE_NOOP("QLineEdit", "&Undo"),
    QT_TRANSLATE_NOOP("QLineEdit", "&Redo"),      QT_TRANSLATE_NOOP("QLineEdit", "Cu&t"),
    QT_TRANSLATE_NOOP("QLineEdit", "&Copy"),      QT_TRANSLATE_NOOP("QLineEdit", "&Paste"),
    QT_TRANSLATE_NOOP("QLineEdit", "Delete"),     QT_TRANSLATE_NOOP("QLineEdit", "Select All"),
};

}  // namespace

void WindowLanguage::apply(const QString& code) {
    const bool korean = code.isEmpty() ? QLocale::system().language() == QLocale::Korean : code == QStringLiteral("ko");
    initTranslations();
    m_code = korean ? QStringLiteral("ko") : QStringLiteral("en");
    QLocale::setDefault(korean ? QLocale(QLocale::Korean, QLocale::SouthKorea)
                               : QLocale(QLocale::English, QLocale::UnitedStates));
    QCoreApplication::removeTranslator(&m_own);
    QCoreApplication::removeTranslator(&m_qt);
    // English also has a catalogue: plural forms.
    if (m_own.load(QStringLiteral(":/i18n/slipway_%1.qm").arg(m_code))) QCoreApplication::installTranslator(&m_own);
    if (korean && m_qt.load(QStringLiteral("qtbase_ko"), QLibraryInfo::path(QLibraryInfo::TranslationsPath)))
        QCoreApplication::installTranslator(&m_qt);
}

void applyFont() {
    QFont font = QApplication::font();
    if (QGuiApplication::platformName() == QStringLiteral("offscreen") &&
        QFontDatabase::hasFamily(QStringLiteral("Noto Sans"))) {
        font = QFont(QStringLiteral("Noto Sans"));
        font.setPixelSize(13);
    }
    QStringList families{font.family()};
    families << QStringLiteral("Noto Sans CJK KR");
    font.setFamilies(families);
    QApplication::setFont(font);
}

}  // namespace slipway::gui
