// Entries of menus, enabled only where they apply, which is checked when a menu opens. Shortcuts always work, what cannot be done
// does nothing.
//   m_actions.add(menu, tr("Resume"), {}, [this] { m_run->resume(); }, [this] { return m_run->canResume(); });
#pragma once

#include <QKeySequence>
#include <QObject>
#include <functional>
#include <utility>
#include <vector>

class QAction;
class QMenu;

namespace slipway::gui {

class MenuActions : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    /// @param can whether it can be done now; absent: always
    QAction* add(QMenu* menu, const QString& text, const QKeySequence& key, std::function<void()> run,
                 std::function<bool()> can = {});
    void clear();
    /// Enables what can be done now.
    void evaluate();
    /// Enables all of them again, else their keys would stay off.
    void release();

private:
    std::vector<std::pair<QAction*, std::function<bool()>>> m_entries;
};

}  // namespace slipway::gui
