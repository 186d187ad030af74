// Parallel coordinates: one upright axis per choice or figure, one line per layout or run. A range dragged on an axis
// (or set with the arrows) selects the lines that pass through it; several ranges must all match. Axes with the same
// value everywhere and axes without space for their labels are omitted and can be added. Failed lines are dotted and
// cross the axes of missing figures in a slot at the foot.
//   plot->setAxes(axes, names);   connect(plot, &ParallelPlot::brushed, ...);   plot->choose("cp", true);
#pragma once

#include "app/gui/widgets/axis_room.h"
#include "app/gui/widgets/painted_widget.h"
#include "app/gui/widgets/plot_frame.h"

#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace slipway::gui {

struct ParallelAxis {
    QString name;
    std::vector<double> values;  ///< one per line; NaN: unknown, the line skips the axis
    /// Labels of the axis steps, from the bottom: values are then indices into them. Empty: a figure.
    QStringList steps;
    std::function<QString(double)> format = {};  ///< of a figure
    double weight = 0;                           ///< larger ones are placed first, after the figures
};

/// State of an axis, for the menu that selects axes and the line that counts them.
struct AxisState {
    QString name;
    AxisFate fate = AxisFate::Shown;
    QString value;  ///< the one value of a constant axis
};

class ParallelPlot : public PaintedWidget {
    Q_OBJECT

public:
    explicit ParallelPlot(QWidget* parent = nullptr);
    /// @param names of the lines, for the tip; the first line is the best and is on top
    /// @param failed one flag per line; empty: none failed
    void setAxes(std::vector<ParallelAxis> axes, QStringList names, std::vector<bool> failed = {});
    /// Keeps ranges on axes of the same name, at the same values.
    void keepRanges(bool on) { m_keepsRanges = on; }
    void setSubject(PlotSubject subject) { m_subject = subject; }
    /// Marks lines selected elsewhere, one flag each; the others are faint. Empty: no selection.
    void setMarked(std::vector<bool> marked);
    void setSelected(int line);
    void setCurrent(int line);
    void clearBrushes();
    /// One flag per line; empty without a brush.
    [[nodiscard]] std::vector<bool> passing() const;
    [[nodiscard]] bool hasBrush() const;
    /// The range of an axis in the form of a filter.
    struct Limit {
        std::size_t axis = 0;
        bool isScale = false;
        std::vector<int> steps;    ///< of an axis of words
        double low = 0, high = 0;  ///< of a scale
        bool takesFailed = false;  ///< the slot of failed lines is inside
    };
    [[nodiscard]] std::vector<Limit> limits() const;
    /// Axes on the picture; the functions below count these from the left.
    [[nodiscard]] int numAxes() const { return static_cast<int>(m_shown.size()); }
    [[nodiscard]] QString axisName(int axis) const { return axisOf(axis).name; }
    /// All axes in order, including omitted ones.
    [[nodiscard]] std::vector<AxisState> axisStates() const;
    /// "9 of 21 axes · no room: Layers, ep · identical: cp 1, etp 1 · hidden: SP"; empty where nothing is drawn.
    [[nodiscard]] QString axesText() const;
    /// One entry for each axis, to add or hide it.
    void fillAxesMenu(QMenu& menu);
    /// Requests an axis (placed before others) or hides it; remembered by name for later layouts.
    void choose(const QString& name, bool shown);
    /// Resets all choices.
    void chooseFreely();
    [[nodiscard]] bool hasChoices() const { return !m_wanted.empty(); }
    /// Position of a value on an axis in [0, 1] from the bottom.
    [[nodiscard]] double shareOf(int axis, double value) const;
    /// Position of failed lines on the axis of a figure.
    static constexpr double kFailedShare = -0.1;
    /// Sets the range of an axis in shares; empty clears it.
    void setBrush(int axis, std::optional<std::pair<double, double>> range);
    /// For tests, which click in it.
    [[nodiscard]] QRectF axisArea(int axis) const;
    /// Area of the name and the labels of an axis.
    [[nodiscard]] QRectF slotArea(int axis) const;

    [[nodiscard]] QString summary() const override;
    [[nodiscard]] QString valueAtCursor() const override;
    [[nodiscard]] DataTable dataTable() const override;
    [[nodiscard]] QSize sizeHint() const override;

signals:
    void brushed();
    void chosen(int line);
    /// Enter or a double click on a line.
    void activated(int line);
    void axesChanged();

protected:
    void paintStill(QPainter& painter) override;
    void paintMoving(QPainter& painter) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    struct Range {
        double low = 0, high = 1;  ///< of a figure
    };
    [[nodiscard]] std::size_t at(int axis) const { return m_shown[static_cast<std::size_t>(axis)]; }
    [[nodiscard]] const ParallelAxis& axisOf(int axis) const { return m_axes[at(axis)]; }
    /// Divides the width. @return whether the visible axes have changed.
    void arrange();
    [[nodiscard]] double shareAt(std::size_t axis, double value) const;
    /// Position of a line on one of all axes; NaN where it skips the axis.
    [[nodiscard]] double shareOfLine(std::size_t axis, std::size_t line) const;
    [[nodiscard]] bool hasFailed(std::size_t line) const { return line < m_failed.size() && m_failed[line]; }
    [[nodiscard]] double valueAt(std::size_t axis, double share) const;
    [[nodiscard]] double lowestShare() const;
    /// Applies ranges of earlier axes to those of the same names.
    void takeRanges(const std::vector<ParallelAxis>& axes, const std::vector<Limit>& limits);
    /// Lines inside all ranges and marked.
    [[nodiscard]] std::vector<bool> lit() const;
    [[nodiscard]] QStringList labelsOf(std::size_t axis) const;
    [[nodiscard]] double xOf(int axis) const;
    [[nodiscard]] double yOf(double share) const;
    [[nodiscard]] int axisAt(const QPointF& at) const;
    [[nodiscard]] int lineAt(const QPointF& at) const;
    [[nodiscard]] QPolygonF lineOf(std::size_t line) const;
    [[nodiscard]] QString brushText(int axis) const;
    [[nodiscard]] QString valueText(std::size_t axis, std::size_t line) const;
    void paintAxis(QPainter& painter, int axis, const std::vector<bool>& lit) const;
    void paintBrush(QPainter& painter, int axis) const;

    std::vector<ParallelAxis> m_axes;
    std::vector<Range> m_ranges;
    std::vector<std::optional<std::pair<double, double>>> m_brushes;
    std::vector<AxisPlace> m_places;   // of all axes
    std::vector<std::size_t> m_shown;  // indices of those with a slot
    std::map<QString, bool> m_wanted;
    QStringList m_names;
    std::vector<bool> m_failed, m_marked;
    bool m_anyFailed = false, m_keepsRanges = false;
    PlotSubject m_subject = PlotSubject::Layouts;
    int m_selected = -1, m_current = -1, m_hover = -1;
    int m_focusAxis = 0, m_dragAxis = -1;
    double m_dragFrom = 0;
    bool m_dragged = false;
};

}  // namespace slipway::gui
