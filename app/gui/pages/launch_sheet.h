// The sheet of Launch…: place, cost there, readiness or obstacles. Only its button starts the run.
#pragma once

#include "app/gui/engine/context.h"
#include "app/gui/engine/jobs.h"
#include "app/gui/values/plan_document.h"

#include <QDialog>
#include <optional>

class QLabel;
class QLineEdit;
class QPushButton;

namespace slipway::gui {

class AnswerStrip;
class IssueList;
class WhereForm;

class LaunchSheet : public QDialog {
    Q_OBJECT

public:
    /// @param nodes initial selection; none: this computer
    LaunchSheet(Context& context, PlanDocument document, const QStringList& nodes, QWidget* parent);

signals:
    /// The token file is missing and should be created.
    void corpusWanted();

private:
    struct Facts {
        Plan plan;
        Issues issues;
        bool isMeasured = false;  ///< of the chosen nodes, by `slipway nodes bench`
    };
    void check();
    void show();
    void launch();

    Context& m_context;
    PlanDocument m_document;
    LatestJob m_job;
    std::optional<Facts> m_facts;  ///< of the chosen place
    bool m_wasLocal = true;
    std::vector<std::string> m_wereNodes;  ///< nodes of the facts
    QLabel* m_title;
    WhereForm* m_where;
    QLineEdit* m_name;
    QLineEdit* m_tags;
    AnswerStrip* m_answers;
    IssueList* m_issues;
    QLabel* m_state;
    QPushButton* m_launch;
};

}  // namespace slipway::gui
