// Counts that add up to a total: one stacked bar with its legend (ShareStrip), or a bar per line (CountBars).
#pragma once

#include "app/gui/widgets/painted_widget.h"

#include <QColor>
#include <vector>

namespace slipway::gui {

struct CountShare {
    QString name;
    int count = 0;
    QColor colour;        ///< invalid: hatched
    bool isOpen = false;  ///< sunken: still to come
    QString tip = {};     ///< full text for a short name
};

/// A bar of all parts followed by a square, the count and the name of each.
class ShareStrip : public PaintedWidget {
    Q_OBJECT

public:
    explicit ShareStrip(QWidget* parent = nullptr);
    void setShares(std::vector<CountShare> shares, const QString& total);
    [[nodiscard]] QString summary() const override;
    [[nodiscard]] DataTable dataTable() const override;
    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintStill(QPainter& painter) override;

private:
    std::vector<CountShare> m_shares;
    QString m_total;
};

/// One line for each: name, bar, count. Click or Enter selects a line; repeating it, or Esc, clears the selection.
class CountBars : public PaintedWidget {
    Q_OBJECT

public:
    explicit CountBars(QWidget* parent = nullptr);
    void setShares(std::vector<CountShare> shares);
    void setChosen(int line);
    [[nodiscard]] QString summary() const override;
    [[nodiscard]] QString valueAtCursor() const override;
    [[nodiscard]] DataTable dataTable() const override;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return sizeHint(); }

signals:
    void chosen(int line);

protected:
    void paintStill(QPainter& painter) override;
    void paintMoving(QPainter& painter) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    [[nodiscard]] QRectF line(int index) const;
    void choose(int line);

    std::vector<CountShare> m_shares;
    int m_chosen = -1, m_cursor = -1, m_hover = -1;
};

}  // namespace slipway::gui
