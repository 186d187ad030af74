// Ranks as a heat map: one cell per rank, eight to a row, in the sequential ramp. A click chooses a rank.
#pragma once

#include "app/gui/widgets/painted_widget.h"

#include <functional>
#include <optional>
#include <vector>

namespace slipway::gui {

class RankGrid : public PaintedWidget {
    Q_OBJECT

public:
    explicit RankGrid(QWidget* parent = nullptr);
    /// One value per rank, in rank order; empty: unknown yet. `ranksPerRow` is the node's size.
    void setValues(std::vector<std::optional<double>> values, int ranksPerRow, std::function<QString(double)> format);
    void setChosen(std::optional<int> rank);

    /// The rank that is furthest above the median, when it is at least 5 % above.
    [[nodiscard]] std::optional<int> outlier() const;
    [[nodiscard]] double outlierShare() const;  ///< of the median, 0.08 = 8 % above
    [[nodiscard]] QString summary() const override;
    [[nodiscard]] QString valueAtCursor() const override;
    [[nodiscard]] DataTable dataTable() const override;
    [[nodiscard]] QSize sizeHint() const override;

signals:
    void rankClicked(int rank);

protected:
    void paintStill(QPainter& painter) override;
    void paintMoving(QPainter& painter) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    [[nodiscard]] QRectF cell(int rank) const;
    [[nodiscard]] int rankAt(const QPointF& at) const;
    [[nodiscard]] double medianValue() const;

    std::vector<std::optional<double>> m_values;
    int m_perRow = 8;
    std::function<QString(double)> m_format;
    std::optional<int> m_chosen;
    int m_hover = -1;
};

}  // namespace slipway::gui
