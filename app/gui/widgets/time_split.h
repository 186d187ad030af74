// Parts of one step's time: a stacked bar above its legend with seconds and shares.
#pragma once

#include "app/gui/widgets/painted_widget.h"
#include "core/planner/plan.h"

#include <vector>

namespace slipway::gui {

class TimeSplit : public PaintedWidget {
    Q_OBJECT

public:
    using PaintedWidget::PaintedWidget;

    void setStep(const StepEstimate& step);

    QString summary() const override;
    DataTable dataTable() const override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    /// A part, or with Enter the step, was chosen: "step.compute_seconds", "step_seconds".
    void asked(const std::string& figure);

protected:
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void paintStill(QPainter& painter) override;

private:
    struct Part {
        QString name;
        const char* figure;
        double seconds;
        int hue;  ///< index of Hue, -1 for hatch
    };
    [[nodiscard]] double pitch() const;

    std::vector<Part> m_parts;
    double m_total = 0;
};

}  // namespace slipway::gui
