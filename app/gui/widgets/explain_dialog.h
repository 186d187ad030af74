// Explanation of a plan's figure: its formula, input numbers, uncertainty and source. An input that is itself a figure
// opens in turn.
#pragma once

#include "core/planner/plan.h"

#include <QDialog>
#include <functional>
#include <memory>

class QModelIndex;
class QTableView;
class QVBoxLayout;

namespace slipway::gui {

class ExplainDialog : public QDialog {
    Q_OBJECT

public:
    /// Opens below `at`, replacing the previous one; it may stay open while the plan is edited and keeps its initial
    /// numbers. Does nothing for figures without an explanation.
    static void open(QWidget* at, std::shared_ptr<const Plan> plan, const std::string& figure);
    [[nodiscard]] const std::string& figure() const;

protected:
    void changeEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    ExplainDialog(QWidget* at, std::shared_ptr<const Plan> plan, const std::string& figure);
    void fill();
    void go(const std::string& figure);
    void back();

    std::shared_ptr<const Plan> m_plan;
    std::vector<std::string> m_trail;  ///< figures on the path to the current one
    QVBoxLayout* m_layout;
    QWidget* m_body = nullptr;
};

/// Opens the formula of a table's figures: right click, or Alt+Return on the current cell.
/// @param figure of a cell; empty if none
/// @param plan of a cell's row
void offerFormulas(QTableView* view, std::function<std::string(const QModelIndex&)> figure,
                   std::function<std::shared_ptr<const Plan>(const QModelIndex&)> plan);

}  // namespace slipway::gui
