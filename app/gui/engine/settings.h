// The window's settings, in an INI file at the XDG location: language, theme, sizes, views. Read and written on the
// main thread: QSettings keeps them in memory and writes in the background of the event loop.
#pragma once

#include <QObject>
#include <QSettings>
#include <QString>

namespace slipway::gui {

enum class ThemeChoice { System, Light, Dark };

class Settings : public QObject {
    Q_OBJECT

public:
    /// @param file empty: $XDG_CONFIG_HOME/slipway/slipway-gui.ini
    explicit Settings(const QString& file = {}, QObject* parent = nullptr);

    /// "en", "ko", or empty for the system's.
    [[nodiscard]] QString language() const;
    void setLanguage(const QString& code);
    [[nodiscard]] ThemeChoice themeChoice() const;
    void setThemeChoice(ThemeChoice choice);

    [[nodiscard]] QVariant value(const QString& key, const QVariant& fallback = {}) const {
        return m_file.value(key, fallback);
    }
    void setValue(const QString& key, const QVariant& value) { m_file.setValue(key, value); }
    [[nodiscard]] QString fileName() const { return m_file.fileName(); }

signals:
    void languageChanged(const QString& code);
    void themeChanged(slipway::gui::ThemeChoice choice);

private:
    QSettings m_file;
};

}  // namespace slipway::gui
