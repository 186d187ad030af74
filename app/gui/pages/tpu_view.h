// The tab TPU: a layout for TPU pods with its limits, in both editions of the scaling book, and the chips that hold a
// model. All figures equal those of `slipway tpu`.
#pragma once

#include "app/gui/pages/tool_view.h"
#include "core/answers/tpu_answer.h"

class QComboBox;
class QLabel;

namespace slipway::gui {

class AnswerStrip;
class AnswerTable;
class SpecForm;
struct FigureBasis;

class TpuView : public ToolView {
    Q_OBJECT

public:
    explicit TpuView(QWidget* parent);

    [[nodiscard]] QString title() const override { return tr("Which layout keeps a TPU pod busy?"); }
    [[nodiscard]] QString sideText() const override;
    [[nodiscard]] QString tableText() const override;

private:
    QWidget* makeResults();
    void edited(const QString& path, const QString& text);
    void compute();

    TpuInput m_input;
    Issues m_refused;  ///< of the last edit
    std::vector<FigureBasis> m_bases;
    QComboBox* m_device;
    SpecForm* m_form;
    QLabel* m_problem;
    AnswerStrip* m_strip;
    AnswerTable* m_editions;
    AnswerTable* m_figures;
};

}  // namespace slipway::gui
