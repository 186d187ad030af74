// Add a node, step by step: nothing is accepted or stored without confirmation, and a warning never blocks.
#pragma once

#include "app/gui/engine/context.h"
#include "app/gui/engine/jobs.h"
#include "app/gui/pages/nodes_data.h"

#include <QDialog>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;

namespace slipway::gui {

class ElidedLabel;

class NodeDialog : public QDialog {
    Q_OBJECT

public:
    NodeDialog(Context& context, QWidget* parent);
    void done(int result) override;

signals:
    void nodeWanted(const slipway::NodeRecord& node, const slipway::gui::NodeReport& report);
    void said(const QString& text);

private:
    QWidget* makeForm();
    QWidget* makeKey();
    QWidget* makeSide();
    void readHosts();
    void edited();
    void startCheck();
    void startSetUp();
    void takeReport(const NodeReport& report);
    void showAll();
    void showSetUp(std::vector<StepRow>& rows) const;
    void showFacts();
    [[nodiscard]] NodeRecord record() const;
    [[nodiscard]] bool canAdd() const;
    [[nodiscard]] QString verdict() const;

    Context& m_context;
    LatestJob m_job;
    QComboBox* m_host;
    QLineEdit* m_port;
    QLineEdit* m_name;
    QLineEdit* m_folder;
    QLabel* m_problem;
    StepList* m_steps;
    QWidget* m_key;
    QLabel* m_fingerprint;
    QLabel* m_keyCommand;
    QCheckBox* m_agrees;
    QProgressBar* m_progress;
    ElidedLabel* m_command;
    FactGrid* m_facts;
    FactGrid* m_written;
    QLabel* m_verdict;
    QPushButton* m_check;
    QPushButton* m_setUp;
    QPushButton* m_add;
    NodeReport m_report;       ///< of the newest check
    NodeReport m_setUpReport;  ///< of the newest set-up
    int m_underway = 0;        ///< job; 0: none
    bool m_isSetUp = false;
    std::string m_accepted;       ///< fingerprint confirmed by the person
    bool m_isInKeychain = false;  ///< an answer of this login was stored there
};

}  // namespace slipway::gui
