// Settings: one form, changes apply at once. Language, theme, alerts, keys, folders and the run index; hardware, prices and
// launchers are on their own pages, to which links lead.
#pragma once

#include "app/gui/pages/page.h"

#include <functional>

class QComboBox;

namespace slipway::gui {

class AlertDesk;
class MenuActions;

class SettingsPage : public Page {
    Q_OBJECT

public:
    SettingsPage(Context& context, AlertDesk& alerts, MenuActions& actions, QWidget* parent);

signals:
    /// The tables of devices and prices.
    void wantsDevices();

private:
    /// What another page has, and the way there.
    QWidget* makeLink(const QString& text, const QString& link, std::function<void()> open);
    QWidget* makeFolder(const QString& path);

    QComboBox* m_language;
    QComboBox* m_theme;
};

}  // namespace slipway::gui
