// The sheet behind Launch…: where, what it will take there, ready or why not. Nothing starts before its button.
#pragma once

#include "app/gui/engine/context.h"
#include "app/gui/engine/jobs.h"
#include "app/gui/values/plan_document.h"

#include <QDialog>

class QLabel;
class QLineEdit;
class QPushButton;

namespace slipway::gui {

class AnswerStrip;
class IssueList;

class LaunchSheet : public QDialog {
    Q_OBJECT

public:
    LaunchSheet(Context& context, PlanDocument document, QWidget* parent);

signals:
    /// The token file is missing: one is to be made.
    void corpusWanted();

private:
    struct Facts {
        Plan plan;
        Issues issues;
    };
    void check();
    void show(const Facts& facts);
    void launch();

    Context& m_context;
    PlanDocument m_document;
    LatestJob m_job;
    QLineEdit* m_name;
    QLineEdit* m_tags;
    AnswerStrip* m_answers;
    IssueList* m_issues;
    QLabel* m_state;
    QPushButton* m_launch;
    ClusterSpec m_cluster;
};

}  // namespace slipway::gui
