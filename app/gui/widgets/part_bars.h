// Bars of two parts each, side by side, with the sum above: training and serving of several sizes.
#pragma once

#include "app/gui/widgets/painted_widget.h"

#include <vector>

namespace slipway::gui {

struct PartBar {
    QString name;  ///< below the bar
    double first = 0, second = 0;
    QString total;        ///< above the bar
    bool isBest = false;  ///< name and total are bold
};

class PartBars : public PaintedWidget {
    Q_OBJECT

public:
    explicit PartBars(QWidget* parent = nullptr);
    /// @param axis quantity along the bars @param first, second names of the parts
    void setBars(std::vector<PartBar> bars, const QString& axis, const QString& first, const QString& second,
                 const QString& whenEmpty);
    [[nodiscard]] QString summary() const override;
    [[nodiscard]] DataTable dataTable() const override;
    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintStill(QPainter& painter) override;

private:
    std::vector<PartBar> m_bars;
    QString m_axis, m_first, m_second, m_whenEmpty;
};

}  // namespace slipway::gui
