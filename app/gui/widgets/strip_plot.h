// Positions of a few runs among all: one dot per run along one axis, the chosen ones filled and lettered.
#pragma once

#include "app/gui/widgets/painted_widget.h"

#include <functional>
#include <vector>

namespace slipway::gui {

class StripPlot : public PaintedWidget {
    Q_OBJECT

public:
    struct Mark {
        QString letter;
        double value;
    };
    explicit StripPlot(QWidget* parent = nullptr);
    /// @param values of the unmarked runs @param title quantity on the axis ("tokens/s/GPU of the 37 runs that ran")
    void setValues(std::vector<double> values, std::vector<Mark> marks, const QString& title,
                   std::function<QString(double)> format);

    /// Positions of dot and letter of each mark; none overlap if the strip has enough space.
    [[nodiscard]] std::vector<QRectF> markRects() const;

    QString summary() const override;
    DataTable dataTable() const override;
    QSize sizeHint() const override;

protected:
    void paintStill(QPainter& painter) override;

private:
    [[nodiscard]] double most() const;
    [[nodiscard]] double xOf(double value) const;
    [[nodiscard]] double axisY() const;
    [[nodiscard]] int foot() const;

    std::vector<double> m_values;
    std::vector<Mark> m_marks;
    QString m_title;
    std::function<QString(double)> m_format;
};

}  // namespace slipway::gui
