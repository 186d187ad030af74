// State of the Runs page and its queries to the store: filter, sort, columns, scope, and the undo stack of tags,
// notes, archive and trash. No pixels here.
#pragma once

#include "app/gui/engine/context.h"
#include "app/gui/engine/jobs.h"
#include "app/gui/engine/live_refresh.h"
#include "app/gui/engine/store_access.h"
#include "app/gui/models/runs_model.h"
#include "core/report/runs_table.h"
#include "core/store/run_filter.h"
#include "core/store/run_listing.h"
#include "core/store/run_view.h"
#include "core/store/skipped_trials.h"

#include <QTimer>
#include <QUndoStack>
#include <memory>
#include <optional>
#include <set>
#include <utility>

namespace slipway::gui {

class RunsController : public QObject {
    Q_OBJECT

public:
    explicit RunsController(Context& context, QObject* parent = nullptr);

    [[nodiscard]] RunsModel* model() { return &m_model; }
    [[nodiscard]] QUndoStack* undoStack() { return &m_undo; }
    [[nodiscard]] const QString& filter() const { return m_filter; }
    [[nodiscard]] const std::optional<FilterProblem>& filterProblem() const { return m_problem; }
    [[nodiscard]] const RunCounts& counts() const { return m_counts; }
    /// Trials of the sweeps of these runs that never became a run.
    [[nodiscard]] std::int64_t numSkipped() const { return m_numSkipped; }
    /// Of the runs in force that have the key figure (kKeyColumn).
    [[nodiscard]] const FigureSummary& keyFigures() const { return m_key; }
    [[nodiscard]] std::int64_t numAll() const { return m_numAll; }
    [[nodiscard]] bool hasAnswer() const { return m_answered; }
    [[nodiscard]] const std::optional<Error>& error() const { return m_error; }
    [[nodiscard]] RunScope scope() const { return m_scope; }
    [[nodiscard]] const std::vector<SortKey>& sort() const { return m_sort; }
    [[nodiscard]] const std::vector<std::string>& columns() const { return m_model.columns(); }
    /// The field by which runs are grouped; empty: they are listed.
    [[nodiscard]] const std::string& groupBy() const { return m_groupBy; }
    /// The groups of the last answer, once: there may be as many as runs.
    std::optional<std::vector<RunGroup>> takeGroups() { return std::exchange(m_groups, std::nullopt); }
    /// The columns that are figures of groups.
    [[nodiscard]] std::vector<std::string> groupFigures() const;
    [[nodiscard]] const RunId& baseline() const { return m_baseline; }
    [[nodiscard]] const std::optional<RunRow>& baselineRow() const { return m_baselineRow; }
    /// What is shown now, without a name and charts.
    [[nodiscard]] RunView view() const;
    /// Known names of the saved views.
    [[nodiscard]] const QStringList& viewNames() const { return m_viewNames; }

    /// An invalid filter leaves the rows unchanged and sets filterProblem().
    void setFilter(const QString& text);
    /// Sorts by the field; repeating it reverses the direction. `add` keeps the first key and makes this the second.
    void sortBy(const std::string& field, bool add);
    void setColumns(std::vector<std::string> columns);
    void setScope(RunScope scope);
    void setGroupBy(const std::string& field);
    /// An empty id removes it.
    void setBaseline(const RunId& id);
    /// Reads a saved view and shows it; emits viewOpened() or failed().
    void openView(const QString& name);
    void saveView(const QString& name);
    void removeView(const QString& name);
    void loadViewNames();
    /// Writes all runs of the query in its order to a file; `done` gets an empty text or the problem.
    void exportRuns(const QString& file, TableFormat format, const std::vector<std::string>& columns,
                    const std::vector<RunId>& only, std::function<void(const QString&)> done);
    void reload();
    /// While nobody sees the list, it is not read again for news.
    void setSeen(bool isSeen);
    /// While the mouse is over the table, rows must not jump: new results wait.
    void setFrozen(bool frozen);

    void changeTags(const std::vector<RunId>& ids, const std::vector<std::string>& add,
                    const std::vector<std::string>& remove);
    void setNotes(const RunId& id, const std::string& before, const std::string& after);
    /// Appends a line to the notes of each.
    void addNotes(const std::vector<RunId>& ids, const std::string& line);
    void rename(const RunId& id, const std::string& before, const std::string& after);
    void setArchived(const std::vector<RunId>& ids, bool archived);
    /// Locked runs cannot be moved to the trash.
    void setLocked(const std::vector<RunId>& ids, bool locked);
    void trash(const std::vector<RunId>& ids);
    void restore(const std::vector<RunId>& ids);

    static std::vector<std::string> defaultColumns();

    /// The charts that are saved with a view; empty where there are none.
    std::function<std::optional<ViewCharts>()> charts;

signals:
    void asked();
    void answered();
    void filterChecked();
    /// Filter, scope, order and columns were taken from a saved view; its charts are for others to show.
    void viewOpened(const std::optional<slipway::ViewCharts>& charts);
    void viewNamesChanged();
    void failed(const QString& problem);

private:
    struct Answer {
        RunListing listing;
        std::int64_t numSkipped = 0;
        std::vector<RunRow> firstPage;
        std::vector<RunGroup> groups;
        std::optional<RunRow> baseline;
    };
    [[nodiscard]] RunQuery query() const;
    void loadPages();
    /// Preloads the rows for the next keystroke.
    void prepare();
    void take(Answer answer);
    /// Shows the person's own change immediately, for any mouse position.
    void showOwnChange();
    void changeViews(std::function<Result<void>(const Home&)> change);
    void push(const QString& what, std::function<Result<void>(RunStore&)> redo,
              std::function<Result<void>(RunStore&)> undo);
    /// A change of a run's marks returned by `read`; undo restores those of actually changed runs.
    template <class Was, class Read, class Change, class Undo>
    void pushMarks(const QString& what, const std::vector<RunId>& ids, Read read, Change change, Undo undo);

    Context& m_context;
    RunsModel m_model;
    QUndoStack m_undo;
    QString m_filter;
    QString m_validFilter;
    std::optional<FilterProblem> m_problem;
    std::vector<SortKey> m_sort;
    RunScope m_scope = RunScope::Active;
    std::string m_groupBy;
    std::optional<std::vector<RunGroup>> m_groups;
    RunId m_baseline;
    std::optional<RunRow> m_baselineRow;
    QStringList m_viewNames;
    RunCounts m_counts;
    FigureSummary m_key;
    std::int64_t m_numAll = 0, m_numSkipped = 0;
    bool m_answered = false;
    bool m_frozen = false;
    bool m_ownChange = false;  ///< the next result contains the person's own change: it does not wait
    std::optional<Answer> m_held;
    std::optional<Error> m_error;
    std::set<int> m_wanted;
    int m_order = 0;  ///< counts what puts other rows or cells in their places: pages of an older one are loaded again
    std::shared_ptr<SharedStore> m_store = std::make_shared<SharedStore>();        ///< of m_query and m_prepare
    std::shared_ptr<SkippedTrials> m_skipped = std::make_shared<SkippedTrials>();  ///< read under the store's lock
    LatestJob m_query;
    LatestJob m_prepare;
    LatestJob m_pages;
    LatestJob m_views;
    QTimer m_soon;
    QTimer m_live;  ///< updates runs in progress
    LiveRefresh m_news;
    bool m_isSeen = true, m_isOld = false;
};

}  // namespace slipway::gui
