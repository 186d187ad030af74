// The part of the settings on backups: index, views, boards, nodes, alert rules and these settings into a folder, and back.
#pragma once

#include "app/gui/engine/context.h"

#include <QWidget>

class QLabel;
class QPushButton;

namespace slipway::gui {

class BackupForm : public QWidget {
    Q_OBJECT

public:
    BackupForm(Context& context, QWidget* parent);

private:
    void backUp();
    void restore();
    void takeSettings(const QString& file);
    void say(const QString& text, bool isBad);

    Context& m_context;
    QPushButton* m_backUp;
    QPushButton* m_restore;
    QLabel* m_said;
};

}  // namespace slipway::gui
