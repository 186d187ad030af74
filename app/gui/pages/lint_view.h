// The tab Lint: a script, a config of another framework, a launch line or a list of facts, dropped, opened or pasted;
// next to it the findings of `slipway lint`, with place and remedy, and the plan it describes.
#pragma once

#include "app/gui/pages/tool_view.h"
#include "core/answers/lint_answer.h"

#include <QTimer>
#include <functional>

class QCheckBox;
class QLabel;
class QPlainTextEdit;

namespace slipway::gui {

class IssueList;
class Pane;

class LintView : public ToolView {
    Q_OBJECT

public:
    /// @param basePlan hardware for evaluating a config, and for opening a plan
    LintView(std::function<PlanDocument()> basePlan, QWidget* parent);

    [[nodiscard]] QString title() const override { return tr("What is wrong with this script?"); }
    [[nodiscard]] QString sideText() const override;
    [[nodiscard]] QString primaryText() const override { return tr("Open as plan"); }
    [[nodiscard]] bool canPrimary() const override { return m_answer && m_answer->plan; }
    void primary() override;
    [[nodiscard]] QString tableText() const override;
    /// Reads and checks a file.
    void open(const QString& file);
    /// For tests: the findings; an error for unreadable text.
    [[nodiscard]] const Result<LintAnswer>& answer() const { return m_answer; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void evaluate();
    void showAnswer();
    void goTo(int line);

    std::function<PlanDocument()> m_basePlan;
    Result<LintAnswer> m_answer = LintAnswer{};
    QString m_name;
    QTimer m_pause;
    QPlainTextEdit* m_text;
    QCheckBox* m_onHardware;
    QLabel* m_format;
    Pane* m_foundPane;
    IssueList* m_found;
    Pane* m_remarksPane;
    IssueList* m_remarks;
};

}  // namespace slipway::gui
