// "Where did the MFU go?": bars from the devices' peak down to the achieved speed, with figures next to them. Measured
// bars are solid, the forecast is dashed below. Up and down choose a row, whose tip describes it.
#pragma once

#include "app/gui/widgets/painted_widget.h"
#include "core/metrics/waterfall.h"

#include <memory>
#include <vector>

namespace slipway::gui {

class WaterfallView : public PaintedWidget {
    Q_OBJECT

public:
    explicit WaterfallView(QWidget* parent = nullptr);

    void setAccount(const StepAccount& account);
    [[nodiscard]] const std::vector<WaterfallRow>& rows() const { return m_rows; }

    [[nodiscard]] QString summary() const override;
    [[nodiscard]] QString valueAtCursor() const override;
    [[nodiscard]] DataTable dataTable() const override;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintStill(QPainter& painter) override;
    void paintMoving(QPainter& painter) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    /// Positions of bars and of the right edges of the figures.
    struct Columns {
        double barLeft = 0, barRight = 0;
        std::vector<double> right;
    };
    [[nodiscard]] Columns columns() const;
    [[nodiscard]] QStringList heads() const;
    /// The texts after the title of a row, as many as in heads().
    [[nodiscard]] QStringList figures(const WaterfallRow& row) const;
    [[nodiscard]] double pitch() const;
    [[nodiscard]] double top() const;
    [[nodiscard]] int rowAt(double y) const;
    void paintBars(QPainter& painter, const WaterfallRow& row, double y, const Columns& columns) const;

    std::vector<WaterfallRow> m_rows;
    Message m_summary;
    double m_step = 0;
    double m_low = 0, m_high = 100;  ///< percent: an overlap extends beyond 100 %
    bool m_hasForecast = false;
    int m_row = -1;
};

}  // namespace slipway::gui
