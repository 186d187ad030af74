// A figure over one of its inputs: a curve with the values of the sliders and of the open plan.
#pragma once

#include "app/gui/widgets/painted_widget.h"

#include <functional>
#include <optional>
#include <vector>

namespace slipway::gui {

class FigureCurve : public PaintedWidget {
    Q_OBJECT

public:
    struct Curve {
        std::vector<QPointF> points;  ///< with finite y, x ascending
        bool isLogarithmic = false;   ///< of x
        QPointF now;                  ///< position of the sliders
        std::optional<double> planX;  ///< of the open plan, if the input is one of its fields
        QString xTitle, yTitle;
    };
    explicit FigureCurve(QWidget* parent = nullptr);
    /// @param format of both axes
    void setCurve(Curve curve, std::function<QString(double)> format);
    [[nodiscard]] const Curve& curve() const { return m_curve; }

    QString summary() const override;
    DataTable dataTable() const override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintStill(QPainter& painter) override;

private:
    Curve m_curve;
    std::function<QString(double)> m_format;
};

}  // namespace slipway::gui
