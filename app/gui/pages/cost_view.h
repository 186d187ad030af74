// The tab Cost: the cost of the open plan or of a typed budget: device-hours, money, energy, failures; vendors' prices
// of the device; the break-even of buying. All figures equal those of `slipway cost`.
#pragma once

#include "app/gui/pages/tool_view.h"
#include "core/answers/cost_answer.h"

#include <functional>
#include <memory>

class QComboBox;
class QLabel;

namespace slipway::gui {

class AnswerStrip;
class AnswerTable;
class CurvePlot;
class Pane;
class SpecForm;
struct FigureBasis;

class CostView : public ToolView {
    Q_OBJECT

public:
    /// @param plan the open plan's newest forecast; may be null
    CostView(std::function<std::shared_ptr<const Plan>()> plan, QWidget* parent);

    [[nodiscard]] QString title() const override { return tr("What does the run cost?"); }
    [[nodiscard]] QString sideText() const override;
    [[nodiscard]] QString tableText() const override;
    /// The open plan changed.
    void planChanged();

private:
    QWidget* makeResults();
    void edited(const QString& path, const QString& text);
    [[nodiscard]] bool isOfPlan() const;
    [[nodiscard]] Result<CostBasis> basis() const;
    void compute();
    void showFields();
    void showCurve(const Result<CostBasis>& basis);

    std::function<std::shared_ptr<const Plan>()> m_plan;
    CostInput m_input;
    Issues m_refused;  ///< of the last edit
    std::vector<FigureBasis> m_bases;
    QComboBox* m_of;
    QComboBox* m_device;
    SpecForm* m_form;
    QLabel* m_problem;
    AnswerStrip* m_strip;
    Pane* m_curvePane;
    CurvePlot* m_curve;
    AnswerTable* m_figures;
    AnswerTable* m_offers;
};

}  // namespace slipway::gui
