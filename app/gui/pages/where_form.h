// Where a run starts: this computer, or nodes in the order of their ranks, each with what its check finds.
#pragma once

#include "app/gui/engine/context.h"
#include "app/gui/engine/jobs.h"
#include "app/gui/pages/nodes_data.h"
#include "core/launch/launch_plan.h"

#include <QWidget>
#include <map>
#include <vector>

class QCheckBox;
class QLabel;
class QRadioButton;
class QVBoxLayout;

namespace slipway::gui {

class WhereForm : public QWidget {
    Q_OBJECT

public:
    /// @param chosen names of nodes to begin with; none: this computer
    WhereForm(Context& context, RunConfig config, QStringList chosen, QWidget* parent);
    ~WhereForm() override;

    [[nodiscard]] bool isLocal() const;
    /// The chosen nodes with their ranks; "too_few_slots", "uneven_nodes", "no_nodes".
    [[nodiscard]] Result<std::vector<LaunchNode>> places() const;
    /// Names of the chosen nodes, in the order of their ranks; none on this computer.
    [[nodiscard]] std::vector<std::string> nodes() const;
    /// What the checks of the chosen nodes found; an error for each that cannot take ranks.
    [[nodiscard]] Issues issues() const;
    /// Every chosen node has been checked.
    [[nodiscard]] bool isChecked() const;

signals:
    /// Another choice, or a check has ended.
    void changed();

private:
    struct Line {
        NodeRow row;
        QCheckBox* box;
        QLabel* icon;
        QLabel* state;
        QLabel* ranks;
    };
    void take(const std::vector<NodeRecord>& nodes);
    void takeReport(const NodeReport& report);
    void showAll();
    [[nodiscard]] std::vector<const Line*> chosen() const;

    Context& m_context;
    RunConfig m_config;
    QStringList m_wanted;
    LatestJob m_job;
    QRadioButton* m_here;
    QRadioButton* m_there;
    QWidget* m_list;
    QLabel* m_note;
    std::vector<Line> m_lines;
};

}  // namespace slipway::gui
