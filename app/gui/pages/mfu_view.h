// The tab "MFU" of a run: breakdown of a step's time, measured beside the forecast. It is computed only while shown.
#pragma once

#include "app/gui/engine/jobs.h"
#include "app/gui/pages/tab_view.h"
#include "core/base/result.h"
#include "core/metrics/step_difference.h"
#include "core/spec/run_dir.h"
#include "core/store/run_store.h"

#include <QElapsedTimer>
#include <optional>

class QLabel;

namespace slipway::gui {

class AnswerStrip;
class Pane;
class WaterfallView;

class MfuView : public TabView {
    Q_OBJECT

public:
    explicit MfuView(Home home, QWidget* parent);

    /// The run at `position`; reread when that changes, for a run in progress every few seconds.
    void setRun(const RunId& id, const StreamPosition& position, bool active);
    /// The newest answer; null before it.
    [[nodiscard]] const std::optional<AccountedRun>& account() const { return m_account; }

protected:
    void showEvent(QShowEvent* event) override;

private:
    void read();
    void showAccount();

    Home m_home;
    RunId m_id, m_shown;
    StreamPosition m_position, m_read;
    bool m_active = false;
    std::optional<AccountedRun> m_account;
    std::optional<Error> m_error;
    LatestJob m_job;
    QElapsedTimer m_age;
    AnswerStrip* m_strip;
    Pane* m_pane;
    WaterfallView* m_waterfall;
    QLabel* m_notes;
};

}  // namespace slipway::gui
