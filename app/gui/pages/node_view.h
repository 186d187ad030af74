// One node next to the list: its state with a sentence, actions, facts, the steps of its check, its runs.
#pragma once

#include "app/gui/pages/nodes_data.h"

#include <QScrollArea>

class QLabel;
class QProgressBar;
class QPushButton;

namespace slipway::gui {

class ElidedLabel;
class IssueList;
class Pane;

class NodeView : public QScrollArea {
    Q_OBJECT

public:
    explicit NodeView(QWidget* parent = nullptr);
    void setRow(const NodeRow& row, std::int64_t nowUnixMilliseconds);

signals:
    void checkWanted();
    /// The person confirmed the node's key.
    void acceptWanted(const QString& fingerprint);
    void setUpWanted();
    void cancelWanted();
    void removeWanted();
    void runWanted(const slipway::RunId& id);

private:
    void askKey();
    QPushButton* button(const QString& text, const char* name);
    void showButtons(const NodeRow& row);
    void showFacts(const NodeRow& row, std::int64_t nowUnixMilliseconds);

    QLabel* m_icon;
    ElidedLabel* m_name;
    QLabel* m_state;
    QLabel* m_sentence;
    QProgressBar* m_progress;
    QPushButton* m_check;
    QPushButton* m_setUp;
    QPushButton* m_accept;
    QPushButton* m_cancel;
    QPushButton* m_remove;
    FactGrid* m_facts;
    StepList* m_steps;
    Pane* m_stepsPane;
    IssueList* m_runs;
    Pane* m_runsPane;
    std::string m_hostKey;
};

}  // namespace slipway::gui
