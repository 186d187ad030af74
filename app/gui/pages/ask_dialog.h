// ssh's own question to a person: a password, a second factor, yes or no, or a key to touch. It closes by itself when
// the answer is no longer needed.
#pragma once

#include "app/gui/engine/node_jobs.h"

#include <QDialog>

class QCheckBox;
class QLineEdit;

namespace slipway::gui {

class AskDialog : public QDialog {
    Q_OBJECT

public:
    /// @param node display name; the question itself may come from the server
    AskDialog(NodeJobs& jobs, int job, const QString& node, const AskQuestion& question, QWidget* parent);
    void done(int result) override;

private:
    NodeJobs& m_jobs;
    int m_job;
    AskQuestion::Kind m_kind;
    QLineEdit* m_answer = nullptr;
    QCheckBox* m_remembers = nullptr;
    bool m_isWithdrawn = false;
};

/// Opens it over the widget.
void askPerson(QWidget* over, NodeJobs& jobs, int job, const QString& node, const AskQuestion& question);

}  // namespace slipway::gui
