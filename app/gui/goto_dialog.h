// Ctrl+K: go to a page, an action or a run by typing a part of its name.
#pragma once

#include "app/gui/engine/context.h"
#include "app/gui/engine/jobs.h"

#include <QDialog>
#include <functional>
#include <vector>

class QLineEdit;
class QListWidget;
class QMenuBar;

namespace slipway::gui {

class GotoDialog : public QDialog {
    Q_OBJECT

public:
    /// Offers every enabled action of the menus and runs: the newest that match.
    GotoDialog(Context& context, QMenuBar* menus, QWidget* parent);

signals:
    void runChosen(const slipway::RunId& id);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct Target {
        QString name;
        QString kind;
        std::function<void()> go;
    };
    void show(const QString& typed);
    /// Looks for runs, whatever their number.
    void findRuns(const QString& typed);
    void goCurrent();

    Context& m_context;
    LatestJob m_job;
    QLineEdit* m_line;
    QListWidget* m_list;
    std::vector<Target> m_targets;
    std::size_t m_numActions = 0;  ///< the first targets; runs follow
};

}  // namespace slipway::gui
