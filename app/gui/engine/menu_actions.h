// Entries of menus, enabled only where they apply, which is checked when a menu opens. Shortcuts always work, what cannot be done
// does nothing. A key can be another than the usual one: the settings keep it under the usual one ("keys/Ctrl+K").
//   m_actions.add(menu, tr("Resume"), {}, [this] { m_run->resume(); }, [this] { return m_run->canResume(); });
#pragma once

#include <QKeySequence>
#include <QObject>
#include <functional>
#include <vector>

class QAction;
class QMenu;

namespace slipway::gui {

class Settings;

class MenuActions : public QObject {
    Q_OBJECT

public:
    explicit MenuActions(Settings& settings, QObject* parent = nullptr);

    /// @param key the usual one @param can whether it can be done now; absent: always
    QAction* add(QMenu* menu, const QString& text, const QKeySequence& key, std::function<void()> run,
                 std::function<bool()> can = {});
    void clear();
    /// Enables applicable actions.
    void evaluate();
    /// Enables all again, else their shortcuts would stay disabled.
    void release();

    struct Key {
        QString name;  ///< of the action
        QKeySequence usual, key;
    };
    /// Of the actions that have a usual key.
    [[nodiscard]] std::vector<Key> keys() const;
    /// Gives the action with the usual key this one, at once and in the settings; an empty one: none.
    /// @return the name of the action that has it already; empty: done
    QString setKey(const QKeySequence& usual, const QKeySequence& key);

private:
    struct Entry {
        QAction* action;
        QKeySequence usual;
        QString name;
        std::function<bool()> can;
    };

    Settings& m_settings;
    std::vector<Entry> m_entries;
};

}  // namespace slipway::gui
