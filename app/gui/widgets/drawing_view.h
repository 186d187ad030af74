// A drawing of core (core/report/shapes.h) in the window's colours, with its legend in words and its figures as a table.
#pragma once

#include "app/gui/widgets/painted_widget.h"
#include "core/report/report.h"

namespace slipway::gui {

class DrawingView : public PaintedWidget {
    Q_OBJECT

public:
    DrawingView(PictureFigure figure, QWidget* parent);

    QString summary() const override;
    DataTable dataTable() const override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;

protected:
    void paintStill(QPainter& painter) override;

private:
    [[nodiscard]] double scaleFor(double width) const;
    /// Samples with their names above the drawing, line by line, in the drawing's units.
    struct LegendPlace {
        double x = 0, y = 0;
    };
    [[nodiscard]] double legendHeight() const;

    PictureFigure m_figure;
    std::vector<LegendPlace> m_legend;
};

}  // namespace slipway::gui
