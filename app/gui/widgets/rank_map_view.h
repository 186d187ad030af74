// A quantity of every rank over the steps as a heat map, ranks grouped by node: differences from the median of the same
// steps, white where there is none, hatched without a record. The arrow keys and the pointer choose a cell.
#pragma once

#include "app/gui/widgets/painted_widget.h"
#include "core/run/rank_map.h"

#include <memory>
#include <optional>

namespace slipway::gui {

class RankMapView : public PaintedWidget {
    Q_OBJECT

public:
    explicit RankMapView(QWidget* parent = nullptr);

    /// @param ranksPerNode at least 1
    void setMap(std::shared_ptr<const RankMap> map, std::int64_t ranksPerNode);
    void setQuantity(RankQuantity quantity);
    void setStragglers(std::vector<Straggler> stragglers);
    [[nodiscard]] RankQuantity quantity() const { return m_quantity; }
    /// Number of ranks per row of the picture; of several it shows the one furthest from the median.
    [[nodiscard]] std::int64_t ranksPerRow() const;

    [[nodiscard]] QString summary() const override;
    [[nodiscard]] QString valueAtCursor() const override;
    [[nodiscard]] DataTable dataTable() const override;
    [[nodiscard]] QSize sizeHint() const override;

signals:
    void rankClicked(int rank);
    /// The same, with the last step of the cell.
    void stepClicked(int rank, std::int64_t step);

protected:
    void paintStill(QPainter& painter) override;
    void paintMoving(QPainter& painter) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    struct Cell {
        std::int64_t row = 0, column = 0;
    };
    [[nodiscard]] QRectF plot() const;
    [[nodiscard]] std::int64_t numRows() const;
    [[nodiscard]] QRectF cellBox(const Cell& cell) const;
    [[nodiscard]] double rowTop(std::int64_t row) const;
    [[nodiscard]] std::optional<Cell> cellAt(const QPointF& at) const;
    /// The rank shown in a cell; empty where no rank of the row has a record.
    [[nodiscard]] std::optional<std::int64_t> rankOf(const Cell& cell) const;
    [[nodiscard]] std::optional<double> deviation(std::int64_t rank, std::int64_t column) const;
    void findMedians();
    void click(const Cell& cell);

    std::shared_ptr<const RankMap> m_map;
    std::int64_t m_perNode = 8;
    RankQuantity m_quantity = RankQuantity::OwnTime;
    std::vector<Straggler> m_stragglers;
    std::vector<std::optional<double>> m_medians;  ///< by column
    double m_most = 0;                             ///< fraction at which the colours end
    std::optional<Cell> m_cell;
};

/// A formatted figure of a quantity.
QString rankQuantityText(RankQuantity quantity, std::optional<double> value);

}  // namespace slipway::gui
