// The tab "Why slower" of Compare: the step of one run next to that of another, part by part, with possible causes
// among the settings. Computed only while shown.
#pragma once

#include "app/gui/engine/jobs.h"
#include "app/gui/pages/tab_view.h"
#include "core/base/result.h"
#include "core/metrics/step_difference.h"
#include "core/spec/run_dir.h"

#include <QStringList>
#include <vector>

class QComboBox;
class QLabel;
class QTableWidget;

namespace slipway::gui {

class StepDifferenceView : public TabView {
    Q_OBJECT

public:
    explicit StepDifferenceView(Home home, QWidget* parent);

    /// Runs to choose from, with their names: the first is A; the slowest of the others is unknown before they are
    /// read, so the second is B.
    void setRuns(const std::vector<RunId>& runs, const QStringList& names, bool isReading = false);

protected:
    void showEvent(QShowEvent* event) override;

private:
    void read();
    void showDifference(const StepDifference& difference);

    Home m_home;
    std::vector<RunId> m_runs;
    bool m_isOld = true, m_isReading = false;
    LatestJob m_job;
    QComboBox *m_first, *m_second;
    QLabel *m_sentence, *m_notes;
    QTableWidget *m_parts, *m_settings;
};

}  // namespace slipway::gui
