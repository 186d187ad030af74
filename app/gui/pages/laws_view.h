// The tab Laws: a budget, a law and the tokens to serve; on the right the best size and tokens, the iso-FLOP valley,
// training and serving by size, all laws side by side. All figures equal those of `slipway laws`.
#pragma once

#include "app/gui/pages/tool_view.h"
#include "app/gui/widgets/answer_table.h"
#include "core/answers/laws_answers.h"

#include <functional>
#include <optional>

class QComboBox;
class QLabel;

namespace slipway::gui {

class AmountEdit;
class AnswerStrip;
class CurvePlot;
class Pane;
class PartBars;

class LawsView : public ToolView {
    Q_OBJECT

public:
    /// @param basePlan source of a planned model's batch, layout and hardware
    LawsView(std::function<PlanDocument()> basePlan, QWidget* parent);

    [[nodiscard]] QString title() const override;
    [[nodiscard]] QString sideText() const override;
    [[nodiscard]] QString primaryText() const override { return tr("Plan this model"); }
    [[nodiscard]] bool canPrimary() const override { return m_size.has_value(); }
    void primary() override;
    [[nodiscard]] QString tableText() const override;
    [[nodiscard]] const LawQuestion& question() const { return m_question; }

private:
    void makeQuestion(QVBoxLayout* column);
    QWidget* makeResults();
    void compute();
    void showStrip();
    void showValley();
    void showServing();
    void showLaws();
    void showShape();
    void chooseLaw(const std::string& word);

    std::function<PlanDocument()> m_basePlan;
    LawQuestion m_question;
    std::optional<Allocation> m_size;  ///< of the model to plan, if it has a shape
    std::vector<FigureBasis> m_bases;  ///< of the strip's cells
    AmountEdit* m_flops;
    AmountEdit* m_unique;
    AmountEdit* m_served;
    QComboBox* m_law;
    QLabel* m_lawNote;
    QComboBox* m_chosen;
    AnswerTable* m_shape;
    QLabel* m_shapeNote;
    AnswerStrip* m_strip;
    Pane* m_valleyPane;
    CurvePlot* m_valley;
    Pane* m_servingPane;
    PartBars* m_bars;
    QLabel* m_servingNote;
    AnswerTable* m_laws;
};

}  // namespace slipway::gui
