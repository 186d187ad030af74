// The part of the settings on keys: every action of the menus that has one, its key, and the way back to the usual one.
#pragma once

#include "app/gui/engine/menu_actions.h"

#include <QWidget>

class QKeySequenceEdit;
class QLabel;

namespace slipway::gui {

class KeysForm : public QWidget {
    Q_OBJECT

public:
    KeysForm(MenuActions& actions, QWidget* parent);

private:
    void take(const MenuActions::Key& row, QKeySequenceEdit* edit, const QKeySequence& key);

    MenuActions& m_actions;
    QLabel* m_problem;
};

}  // namespace slipway::gui
