// A figure over two fields as a grid of cells, once per value of a third one (look.md 3, 6, 14). Cells without a figure
// keep their place and differ by pattern and word, not by colour alone: running, waiting, failed, skipped.
//   map->setGrid(grid);   connect(map, &HeatMap::chosen, this, [](int cell) { ...grid.cells[cell]... });
#pragma once

#include "app/gui/widgets/painted_widget.h"

#include <functional>
#include <limits>
#include <vector>

namespace slipway::gui {

struct HeatCell {
    enum class State { Empty, Value, NoValue, Running, Waiting, Failed, Skipped };
    State state = State::Empty;
    double value = std::numeric_limits<double>::quiet_NaN();  ///< with State::Value
    QString headline;                                         ///< the figure, or the word of the state
    QStringList lines;                                        ///< below it, as many as fit
    QStringList tip;         ///< full description; also for screen readers at the cursor
    bool isBest = false;     ///< of the complete grid
    bool isRunning = false;  ///< a trial is running here, in any state
    int numFailed = 0;
};

struct HeatGrid {
    QString title;                ///< of the figure
    QString rowName, columnName;  ///< fields; "tp" and "pp"
    QStringList rows, columns;    ///< their values
    QStringList facets;           ///< title of each grid; one empty title: a single grid
    std::vector<HeatCell> cells;  ///< facet by facet, row by row
    bool lessIsBetter = false;    ///< the dark end of the ramp is the better one
    std::function<QString(double)> format = [](double value) { return QString::number(value); };
    QString summary;

    [[nodiscard]] int cellOf(int facet, int row, int column) const {
        return static_cast<int>((facet * rows.size() + row) * columns.size() + column);
    }
};

class HeatMap : public PaintedWidget {
    Q_OBJECT

public:
    explicit HeatMap(QWidget* parent = nullptr);
    /// The chosen cell stays chosen when the grid has the same rows, columns and facets.
    void setGrid(HeatGrid grid);
    [[nodiscard]] const HeatGrid& grid() const { return m_grid; }
    /// Index into the cells; -1: none.
    void setChosen(int cell);
    [[nodiscard]] int chosenCell() const { return m_chosen; }
    /// For tests: the area of a cell.
    [[nodiscard]] QRectF placeOf(int cell) const;

    [[nodiscard]] QString summary() const override { return m_grid.summary; }
    [[nodiscard]] QString valueAtCursor() const override;
    [[nodiscard]] DataTable dataTable() const override;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

signals:
    /// A cell was clicked or reached by the arrows; -1: selection cleared (Esc).
    void chosen(int cell);
    /// Enter or a double click.
    void activated(int cell);

protected:
    void paintStill(QPainter& painter) override;
    void paintMoving(QPainter& painter) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void layOut();
    void findRange();
    [[nodiscard]] int cellAt(const QPointF& at) const;
    void choose(int cell);
    void move(int rows, int columns);
    void moveTo(int cell);
    void paintLegend(QPainter& painter) const;
    void paintLabels(QPainter& painter, int facet) const;
    void paintCell(QPainter& painter, const QRectF& box, const HeatCell& cell) const;
    void paintCellText(QPainter& painter, const QRectF& box, const HeatCell& cell, const QColor& ink) const;
    [[nodiscard]] double share(double value) const;

    HeatGrid m_grid;
    double m_low = 0, m_high = 1;
    bool m_anyValue = false;
    std::vector<QPointF> m_origins;  ///< of each facet's first cell
    QSizeF m_cell;                   ///< with its gap
    double m_rowLabel = 0, m_top = 0;
    int m_chosen = -1, m_hover = -1;
    bool m_byKeyboard = false;  ///< the cursor's tip is shown with the mouse elsewhere
};

}  // namespace slipway::gui
