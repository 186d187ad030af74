// The tab "Charts" of Compare: MFU, memory and bubble against any field, a heat map over two fields, and one of three pictures
// of the runs (runs_pictures.h), over the compared runs or all that match a filter. A selection made in one shows in all.
#pragma once

#include "app/gui/engine/context.h"
#include "app/gui/engine/jobs.h"
#include "app/gui/engine/live_refresh.h"
#include "app/gui/engine/store_access.h"
#include "app/gui/pages/fields_data.h"
#include "core/store/run_view.h"

#include <QSet>
#include <QWidget>
#include <memory>
#include <vector>

class QBoxLayout;
class QComboBox;
class QGridLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QScrollArea;
class QStackedWidget;

namespace slipway::gui {

class FieldChooser;
class HeatMap;
class Pane;
class StatePanel;
class RunsPictures;

class FieldsView : public QWidget {
    Q_OBJECT

public:
    explicit FieldsView(Context& context, QWidget* parent);

    /// The compared runs; with none, shows all runs.
    void setRuns(const std::vector<RunId>& runs);
    /// What the charts show, as a saved view keeps it.
    [[nodiscard]] ViewCharts charts() const;
    /// Shows these charts over all runs that the filter lets through.
    void setCharts(const ViewCharts& charts, const QString& filter);
    void reload();
    [[nodiscard]] const FieldsData& data() const { return m_data; }
    /// All points of the charts as a table.
    [[nodiscard]] QString tableText() const;

signals:
    void runWanted(const slipway::RunId& id);
    void compareWanted(const std::vector<slipway::RunId>& ids);
    /// The selected runs in the list, as a filter.
    void runsWanted(const QString& filter);

protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* makeFields();
    QWidget* makeScope();
    QWidget* makePictures();
    QWidget* makeFoot();
    FieldChooser* chooser(const char* name, const QString& accessible, const char* key, bool mayBeNone);
    void showData();
    void showCounts();
    void showCharts();
    void showCells();
    void showPictures();
    void showFoot();
    void select(const QStringList& ids);
    [[nodiscard]] FieldValue value() const;
    [[nodiscard]] std::string measure() const;
    /// The selection as a filter of the list; empty where it exceeds the maximum length of a filter.
    [[nodiscard]] QString selectionFilter() const;
    /// Field of a chooser, and its place in the cells; empty key: none.
    [[nodiscard]] std::optional<std::size_t> cellOf(const FieldChooser* chooser) const;

    Context& m_context;
    std::shared_ptr<SharedStore> m_store = std::make_shared<SharedStore>();
    std::shared_ptr<RepeatCache> m_repeats = std::make_shared<RepeatCache>();
    std::vector<RunId> m_runs;
    FieldsRequest m_request;  ///< of the data shown
    FieldsData m_data;
    FieldCells m_cells;
    QSet<QString> m_selected;
    LatestJob m_job;
    LiveRefresh m_live;
    bool m_isRead = false;
    bool m_isOld = true;  ///< the data are not those that are requested; read when the tab is shown

    FieldChooser *m_x, *m_colour, *m_facet, *m_rows, *m_columns;
    QComboBox *m_value, *m_kind, *m_scope, *m_measure, *m_rule;
    QPushButton *m_logX, *m_logY;
    QLineEdit* m_filter;
    QLabel *m_counts, *m_problem, *m_legend, *m_said;
    QPushButton *m_openRuns, *m_compare, *m_clear;
    QBoxLayout* m_choosers;  ///< fields and values: in one line, or in two where the window is narrow
    QScrollArea* m_area;
    QGridLayout* m_grid;
    std::vector<Pane*> m_panes;
    std::vector<FieldPlot*> m_plots;
    Pane* m_cellsPane;
    HeatMap* m_map;
    RunsPictures* m_pictures;
    QStackedWidget* m_stack;
    StatePanel* m_state;
};

}  // namespace slipway::gui
