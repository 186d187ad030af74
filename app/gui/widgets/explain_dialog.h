// Beside a figure of a plan: its formula, the numbers put into it, its uncertainty and its source. An input that is a
// figure itself opens in turn.
#pragma once

#include "core/planner/plan.h"

#include <QDialog>

#include <memory>

class QVBoxLayout;

namespace slipway::gui {

class ExplainDialog : public QDialog {
    Q_OBJECT

public:
    /// Below `at`, in place of the one before; it may stay open while the plan is edited and keeps the numbers it was opened
    /// with. Nothing opens for figures without an explanation.
    static void open(QWidget* at, std::shared_ptr<const Plan> plan, const std::string& figure);
    [[nodiscard]] const std::string& figure() const;

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    ExplainDialog(QWidget* at, std::shared_ptr<const Plan> plan, const std::string& figure);
    void fill();
    void go(const std::string& figure);
    void back();

    std::shared_ptr<const Plan> m_plan;
    std::vector<std::string> m_trail;  ///< figures on the way to the one shown
    QVBoxLayout* m_layout;
    QWidget* m_body = nullptr;
};

}  // namespace slipway::gui
