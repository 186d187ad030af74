#include "app/gui/menu_actions.h"

#include <QAction>
#include <QMenu>

namespace slipway::gui {

QAction* MenuActions::add(QMenu* menu, const QString& text, const QKeySequence& key, std::function<void()> run,
                          std::function<bool()> can) {
    QAction* action = menu->addAction(text);
    action->setShortcut(key);
    connect(action, &QAction::triggered, this, [run = std::move(run), can] {
        if (!can || can()) run();
    });
    connect(menu, &QMenu::aboutToShow, this, &MenuActions::evaluate, Qt::UniqueConnection);
    connect(menu, &QMenu::aboutToHide, this, &MenuActions::release, Qt::UniqueConnection);
    m_entries.emplace_back(action, std::move(can));
    return action;
}

void MenuActions::clear() {
    m_entries.clear();
}

void MenuActions::evaluate() {
    for (const auto& [action, can] : m_entries) action->setEnabled(!can || can());
}

void MenuActions::release() {
    for (const auto& entry : m_entries) entry.first->setEnabled(true);
}

}  // namespace slipway::gui
