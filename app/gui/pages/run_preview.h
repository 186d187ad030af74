// The right side of the Runs page: one run as a summary, two as columns A and B, more as a distribution.
#pragma once

#include "app/gui/engine/context.h"
#include "app/gui/engine/jobs.h"
#include "app/gui/models/rows_model.h"
#include "core/store/run_store.h"

#include <QElapsedTimer>
#include <QWidget>

class QLabel;
class QTableView;

namespace slipway::gui {

class IssueList;
class StripPlot;

class RunPreview : public QWidget {
    Q_OBJECT

public:
    RunPreview(Context& context, QWidget* parent);

    /// @param ids the selection; at most eight are lettered
    void setRuns(const std::vector<RunId>& ids);
    [[nodiscard]] QString headline() const;

signals:
    void openWanted(const slipway::RunId& id);
    void compareWanted();
    void notesWanted(const slipway::RunRecord& record);
    void tagsWanted(const slipway::RunRecord& record);

private:
    struct Line {
        QString name;
        QStringList cells;
    };
    /// The key figure of the newest runs with one; known for some seconds.
    struct Others {
        std::vector<std::pair<RunId, double>> values;
        bool isPart = false;  ///< older runs have one too
        QElapsedTimer age;
    };
    struct Loaded {
        std::vector<RunRecord> records;
        std::vector<double> others;
        bool isPart = false;
    };
    void show(const Loaded& loaded);
    void showLines(const std::vector<RunRecord>& records);

    Context& m_context;
    LatestJob m_job;
    std::shared_ptr<Others> m_others = std::make_shared<Others>();  ///< read under the lock of the list store
    std::vector<RunId> m_ids;
    std::vector<RunRecord> m_records;
    QLabel* m_title;
    QWidget *m_body, *m_area;
    QTableView* m_table;
    RowsModel<Line>* m_model;
    QLabel* m_stripTitle;
    StripPlot* m_strip;
    QLabel* m_reasonTitle;
    QLabel* m_reason;
    QLabel* m_notes;
    QWidget* m_notesHead;
    QWidget* m_openButton;
};

}  // namespace slipway::gui
