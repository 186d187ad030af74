#include "app/gui/engine/menu_actions.h"

#include "app/gui/engine/settings.h"

#include <QAction>
#include <QMenu>

namespace slipway::gui {
namespace {

QString placeOf(const QKeySequence& usual) {
    return QStringLiteral("keys/") + usual.toString(QKeySequence::PortableText);
}

}  // namespace

MenuActions::MenuActions(Settings& settings, QObject* parent) : QObject(parent), m_settings(settings) {}

QAction* MenuActions::add(QMenu* menu, const QString& text, const QKeySequence& key, std::function<void()> run,
                          std::function<bool()> can) {
    QAction* action = menu->addAction(text);
    const QVariant own = key.isEmpty() ? QVariant() : m_settings.value(placeOf(key));
    action->setShortcut(own.isValid() ? QKeySequence(own.toString(), QKeySequence::PortableText) : key);
    connect(action, &QAction::triggered, this, [run = std::move(run), can] {
        if (!can || can()) run();
    });
    connect(menu, &QMenu::aboutToShow, this, &MenuActions::evaluate, Qt::UniqueConnection);
    connect(menu, &QMenu::aboutToHide, this, &MenuActions::release, Qt::UniqueConnection);
    m_entries.push_back({action, key, text, std::move(can)});
    return action;
}

void MenuActions::clear() {
    m_entries.clear();
}

void MenuActions::evaluate() {
    for (const Entry& entry : m_entries) entry.action->setEnabled(!entry.can || entry.can());
}

void MenuActions::release() {
    for (const Entry& entry : m_entries) entry.action->setEnabled(true);
}

std::vector<MenuActions::Key> MenuActions::keys() const {
    std::vector<Key> out;
    for (const Entry& entry : m_entries)
        if (!entry.usual.isEmpty()) out.push_back({entry.name, entry.usual, entry.action->shortcut()});
    return out;
}

QString MenuActions::setKey(const QKeySequence& usual, const QKeySequence& key) {
    for (const Entry& entry : m_entries)
        if (!key.isEmpty() && entry.usual != usual && entry.action->shortcut() == key) return entry.name;
    for (const Entry& entry : m_entries)
        if (entry.usual == usual) entry.action->setShortcut(key);
    m_settings.setValue(placeOf(usual), key == usual ? QVariant() : key.toString(QKeySequence::PortableText));
    return {};
}

}  // namespace slipway::gui
