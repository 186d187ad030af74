// Place of a run's start: this computer, or nodes in the order of their ranks, each with its check's findings.
// Of a sweep's too: its trials share the nodes, each with its own layout.
#pragma once

#include "app/gui/engine/context.h"
#include "app/gui/engine/jobs.h"
#include "app/gui/pages/nodes_data.h"
#include "core/launch/launch_plan.h"

#include <QWidget>
#include <map>
#include <optional>
#include <vector>

class QCheckBox;
class QLabel;
class QRadioButton;
class QVBoxLayout;

namespace slipway::gui {

class WhereForm : public QWidget {
    Q_OBJECT

public:
    /// @param config the run's; empty: a sweep
    /// @param chosen names of initially selected nodes; none: this computer
    WhereForm(Context& context, std::optional<RunConfig> config, QStringList chosen, QWidget* parent);
    ~WhereForm() override;

    [[nodiscard]] bool isLocal() const;
    /// The chosen nodes with their ranks; "too_few_slots", "uneven_nodes", "no_nodes". Of a sweep without ranks.
    [[nodiscard]] Result<std::vector<LaunchNode>> places() const;
    /// Names of the chosen nodes, in the order of their ranks; none on this computer.
    [[nodiscard]] std::vector<std::string> nodes() const;
    /// Findings of the chosen nodes' checks; an error for each that cannot run ranks, a warning while a sweep has others.
    [[nodiscard]] Issues issues() const;
    /// Every chosen node has been checked.
    [[nodiscard]] bool isChecked() const;

signals:
    /// The choice changed, or a check has ended.
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
    std::optional<RunConfig> m_config;
    QStringList m_wanted;
    LatestJob m_job;
    QRadioButton* m_here;
    QRadioButton* m_there;
    QWidget* m_list;
    QLabel* m_note;
    std::vector<Line> m_lines;
};

}  // namespace slipway::gui
