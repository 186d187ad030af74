#include "app/gui/engine/settings.h"

#include <QStandardPaths>

namespace slipway::gui {
namespace {

QString placeOf(const QString& file) {
    return file.isEmpty() ? QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation) +
                                QStringLiteral("/slipway/slipway-gui.ini")
                          : file;
}

}  // namespace

Settings::Settings(const QString& file, QObject* parent)
    : QObject(parent), m_file(placeOf(file), QSettings::IniFormat) {}

QString Settings::language() const {
    return m_file.value(QStringLiteral("general/language")).toString();
}

void Settings::setLanguage(const QString& code) {
    if (code == language()) return;
    m_file.setValue(QStringLiteral("general/language"), code);
    emit languageChanged(code);
}

ThemeChoice Settings::themeChoice() const {
    const QString word = m_file.value(QStringLiteral("general/theme")).toString();
    return word == QStringLiteral("light")  ? ThemeChoice::Light
           : word == QStringLiteral("dark") ? ThemeChoice::Dark
                                            : ThemeChoice::System;
}

void Settings::setThemeChoice(ThemeChoice choice) {
    if (choice == themeChoice()) return;
    m_file.setValue(QStringLiteral("general/theme"), choice == ThemeChoice::Light  ? QStringLiteral("light")
                                                     : choice == ThemeChoice::Dark ? QStringLiteral("dark")
                                                                                   : QStringLiteral("system"));
    emit themeChanged(choice);
}

}  // namespace slipway::gui
