// Alerts at the desk: a notification of the desktop for each alert of a run that is followed, whichever program raised it, and
// their settings, read and written off the main thread.
//   connect(desk, &AlertDesk::said, ...);   desk->load([](const Result<AlertSettings>& settings) { ... });
#pragma once

#include "app/gui/engine/context.h"
#include "app/gui/engine/jobs.h"
#include "core/run/alert_settings.h"
#include "core/store/run_record.h"

#include <QSystemTrayIcon>
#include <functional>
#include <map>
#include <memory>
#include <set>

namespace slipway::gui {

class AlertDesk : public QObject {
    Q_OBJECT

public:
    AlertDesk(Context& context, QObject* parent);

    /// Reads HOME/alerts.json; `done` gets it, or the reason why it cannot be read.
    void load(std::function<void(const Result<AlertSettings>&)> done);
    /// Changes what the file has then, so that what others have set meanwhile stays.
    void change(const std::function<void(AlertSettings&)>& edit);
    [[nodiscard]] bool notifies() const;
    void setNotifies(bool notifies);

signals:
    /// All changes so far are in the file.
    void changed();
    void failed();
    /// News for the status bar: an alert, whether the desktop can show it or not, or why a change could not be written.
    void said(const QString& text);
    /// The notification was clicked.
    void opened(const slipway::RunId& id);

private:
    struct Found {
        RunId id;
        std::string run;
        EventRecord event;
    };
    void look();
    void tell(const Found& found);

    Context& m_context;
    const std::int64_t m_since;           // earlier alerts are history
    std::set<RunId> m_advanced;           // to be looked at
    std::map<RunId, std::size_t> m_told;  // events of a run that were seen
    LatestJob m_look;
    std::vector<std::function<void(AlertSettings&)>> m_edits;  // to be written
    LatestJob m_load, m_write;
    std::unique_ptr<QSystemTrayIcon> m_tray;  // made with the first notification
    RunId m_newest;
};

}  // namespace slipway::gui
