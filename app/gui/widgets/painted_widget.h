// Base of all custom-drawn widgets: a cached still layer, one sentence for screen readers, the same data as a table
// (key T), as text and as a picture.
#pragma once

#include <QPixmap>
#include <QStringList>
#include <QVector>
#include <QWidget>
#include <functional>
#include <utility>

class QMenu;

namespace slipway::gui {

/// The figures behind a picture; cells are formatted texts.
struct DataTable {
    QStringList headers;
    QVector<QStringList> rows;
    [[nodiscard]] QString tabSeparated() const;
    /// For files: comma-separated, cells quoted where needed.
    [[nodiscard]] QString commaSeparated() const;
};

class PaintedWidget : public QWidget {
    Q_OBJECT

public:
    explicit PaintedWidget(QWidget* parent = nullptr);

    /// One sentence that describes the picture.
    [[nodiscard]] virtual QString summary() const = 0;
    /// Value at the pointer or keyboard cursor; empty if none.
    [[nodiscard]] virtual QString valueAtCursor() const { return {}; }
    [[nodiscard]] virtual DataTable dataTable() const = 0;
    /// Adds the page's entries to the context menu, before the picture's own.
    void setMenu(std::function<void(QMenu&)> add) { m_addToMenu = std::move(add); }

protected:
    /// Draws everything independent of the pointer; called again only after changed() or a resize.
    virtual void paintStill(QPainter& painter) = 0;
    /// Draws pointer-dependent parts, over the still layer.
    virtual void paintMoving(QPainter& painter) { Q_UNUSED(painter); }
    /// The data or the look changed.
    void changed();
    /// Paints the summary in the middle, instead of an empty picture.
    void paintSummary(QPainter& painter) const;
    /// Draws a tip box that stays inside the widget and next to the point; the first line is demi-bold.
    void paintTip(QPainter& painter, const QPointF& at, const QStringList& lines) const;

    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    QPixmap m_still;
    std::function<void(QMenu&)> m_addToMenu;
};

/// "Save picture…" (PNG, or PDF as vectors, by file extension) and "Save data…" (CSV).
void addSaveActions(QMenu& menu, QWidget* widget, std::function<void(QPainter&)> paint,
                    std::function<DataTable()> data);
/// Chooses the file to save to: the platform's dialog. Tests replace it.
std::function<QString(QWidget*, const QString& title, const QString& suggestion)>& fileQuestion();
/// Opens the figures as a table: the accessible alternative of every picture.
void showDataTable(QWidget* parent, const QString& title, const DataTable& data);
/// Hatch at 45 degrees on the sunken colour: waiting, skipped, reserve. `ink` replaces the usual line colour.
void fillHatch(QPainter& painter, const QRectF& rect, const QColor& ink = {});
/// Dash pattern of the index-th series (look.md 3); empty means solid.
QVector<qreal> dashOf(int index);
/// Round tick values within [low, high], about `wanted` of them; `whole`: only integers (steps).
QVector<double> roundTicks(double low, double high, int wanted, bool whole = false);
/// The same for bytes: round in the largest of KiB, MiB, GiB and TiB that is below `high`.
QVector<double> roundByteTicks(double low, double high, int wanted);
/// Makes screen readers see PaintedWidget as a graphic with summary and value; called once by the application.
void installPaintedAccessibility();

}  // namespace slipway::gui
