// A figure of runs against a config field or another figure, as points or bars (look.md 6). Compared runs have their
// colour and letter, other runs are hollow; forecasts are ticks; what failed stands at the foot as a cross.
#pragma once

#include "app/gui/widgets/painted_widget.h"

#include <QPointF>
#include <functional>
#include <optional>
#include <vector>

namespace slipway::gui {

struct FieldPoint {
    QString x;                      ///< category as shown
    std::optional<double> xNumber;  ///< orders the categories; the position on a numeric axis
    double y = 0;                   ///< NaN: failed or unknown
    std::optional<double> forecast;
    QString name;
    QString letter;   ///< empty: another run
    int colour = -1;  ///< series index; -1: hollow
    QString id = {};  ///< what activated() names
};

class FieldPlot : public PaintedWidget {
    Q_OBJECT

public:
    enum class Kind { Points, Bars };

    explicit FieldPlot(QWidget* parent = nullptr);
    void setPoints(std::vector<FieldPoint> points);
    void setKind(Kind kind);
    void setNames(const QString& xName, const QString& yName);
    /// @param bytes ticks are round in KiB, MiB, GiB
    void setYFormat(std::function<QString(double)> format, bool bytes = false);

    [[nodiscard]] QString summary() const override;
    [[nodiscard]] QString valueAtCursor() const override;
    [[nodiscard]] DataTable dataTable() const override;
    /// For tests: categories along x, in order; empty with a numeric axis (more than twelve different numbers).
    [[nodiscard]] QStringList categories() const { return m_categories; }
    [[nodiscard]] int numFailed() const;
    /// Of the y axis, as it was laid out last.
    [[nodiscard]] QVector<double> yTicks() const;
    [[nodiscard]] QSize sizeHint() const override;

signals:
    /// A point was double-clicked.
    void activated(const QString& id);

protected:
    void paintStill(QPainter& painter) override;
    void paintMoving(QPainter& painter) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    struct Place {
        QPointF at;
        std::size_t point;
    };
    void layOut();
    [[nodiscard]] double yOf(double value) const;
    [[nodiscard]] QStringList tipLines(const FieldPoint& point) const;

    std::vector<FieldPoint> m_points;
    bool m_bytes = false;
    QStringList m_categories;
    std::vector<Place> m_places;
    QRectF m_area;
    double m_yMax = 1, m_xMin = 0, m_xMax = 1;
    Kind m_kind = Kind::Points;
    QString m_xName, m_yName;
    std::function<QString(double)> m_format;
    std::optional<std::size_t> m_hover;  ///< index into m_places
};

}  // namespace slipway::gui
