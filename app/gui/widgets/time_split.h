// Where one step goes: a stacked bar over its legend with seconds and shares.
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

protected:
    void paintStill(QPainter& painter) override;

private:
    struct Part {
        QString name;
        double seconds;
        int hue;  ///< index of Hue, -1 for hatch
    };
    std::vector<Part> m_parts;
    double m_total = 0;
};

}  // namespace slipway::gui
