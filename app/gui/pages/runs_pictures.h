// One of three pictures of the runs of the charts over fields: parallel coordinates along their fields, the Pareto front of two
// figures, and forecasts against measurements. A selection made in one is shown in all, and by the page in its other charts.
#pragma once

#include "app/gui/pages/field_axes.h"
#include "app/gui/widgets/pane.h"

#include <QSet>
#include <vector>

class QComboBox;
class QStackedWidget;

namespace slipway::gui {

class FieldChooser;
class TrialPlot;

class RunsPictures : public QWidget {
    Q_OBJECT

public:
    explicit RunsPictures(QWidget* parent = nullptr);

    /// Fields whose cells the rows of the data must have, in this order.
    [[nodiscard]] const std::vector<std::string>& fields() const { return m_fields; }
    /// @param cells of the fields in the rows @param measure the last axis, and the figure of the forecasts
    /// @param selected ids, unless ranges of the axes select
    void setData(const FieldsData& read, const std::vector<std::size_t>& cells, const std::string& measure,
                 const QSet<QString>& selected);
    void setMeasure(const std::string& measure);
    /// axes, front or forecasts; another word changes nothing.
    void setPicture(const std::string& word);
    [[nodiscard]] std::string picture() const;
    /// The fields that have an axis, in the order of their columns; none leaves them.
    void setFields(const std::vector<std::string>& fields);
    void setSelected(const QSet<QString>& ids);
    /// The ranges as a filter of runs; empty where there are none or no equivalent filter.
    [[nodiscard]] std::optional<std::string> rangesFilter() const;
    /// The ranges as a saved view keeps them.
    [[nodiscard]] std::vector<ViewRange> ranges() const;
    /// Sets them with the next data.
    void setRanges(const std::vector<ViewRange>& ranges) { m_wantedRanges = ranges; }

signals:
    void selected(const QStringList& ids);
    void runWanted(const slipway::RunId& id);
    /// A new field has an axis: the data need its cells.
    void fieldsChanged();

private:
    void takeRanges();
    void showRanges(const std::vector<ViewRange>& ranges);
    [[nodiscard]] std::vector<std::pair<std::string, std::size_t>> axisFields() const;
    void showPicture();
    void showAxes();
    void showFront();
    void showForecasts();
    void showTexts();
    [[nodiscard]] QString idOf(int row) const;
    [[nodiscard]] std::vector<bool> flagsOf(const QSet<QString>& ids) const;

    const FieldsData* m_data = nullptr;  ///< of the page, which sets it again whenever it changes
    std::vector<std::size_t> m_cells;
    std::vector<std::size_t> m_order;  ///< rows of the lines: the best first
    std::string m_measure = "mfu";
    std::vector<std::string> m_fields = defaultAxisFields();
    std::optional<std::vector<ViewRange>> m_wantedRanges;
    QSet<QString> m_selected;
    bool m_isSelecting = false;
    QString m_errorText;

    Pane* m_pane;
    ElidedLabel* m_axesText;
    QStackedWidget* m_pictures;
    ParallelPlot* m_parallel;
    ParetoPlot* m_pareto;
    TrialPlot* m_forecasts;
    QComboBox *m_picture, *m_paretoX, *m_paretoY;
    FieldChooser* m_addAxis;
    QPushButton *m_axes, *m_clear, *m_front;
};

}  // namespace slipway::gui
