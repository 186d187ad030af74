// The left edge of the window: pages with icons and counts, and runs in progress.
#pragma once

#include "app/gui/look/icons.h"
#include "app/gui/values/active_run.h"

#include <QListWidget>
#include <QWidget>
#include <vector>

class QLabel;
class QVBoxLayout;

namespace slipway::gui {

class Navigation : public QWidget {
    Q_OBJECT

public:
    explicit Navigation(QWidget* parent = nullptr);

    /// The last entry is separate at the bottom (Settings).
    void addPage(int id, Icon icon, const QString& label, bool atBottom = false);
    void setCount(int id, const QString& count);
    void setCurrent(int id);
    void setActive(const std::vector<ActiveRun>& runs);
    void setFolded(bool folded);
    [[nodiscard]] bool isFolded() const { return m_folded; }

signals:
    void chosen(int id);
    void runChosen(const slipway::RunId& id);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QListWidget* makeList(const QString& name);
    void fitHeights();

    QListWidget* m_pages;
    QListWidget* m_bottom;
    QLabel* m_heading;
    QListWidget* m_active;
    std::vector<RunId> m_activeIds;
    bool m_folded = false;
};

}  // namespace slipway::gui
