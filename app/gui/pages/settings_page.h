// Settings: one form, changes apply at once. Language, theme, alerts, folders and the run index.
#pragma once

#include "app/gui/pages/page.h"

class QComboBox;

namespace slipway::gui {

class AlertDesk;

class SettingsPage : public Page {
    Q_OBJECT

public:
    SettingsPage(Context& context, AlertDesk& alerts, QWidget* parent);

private:
    QWidget* makeFolder(const QString& path);

    QComboBox* m_language;
    QComboBox* m_theme;
};

}  // namespace slipway::gui
