// Desktop alerts: a desktop notification for each alert of a followed run, from any program, and their settings, read
// and written off the main thread.
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

    /// Reads HOME/alerts.json; `done` gets it, or the reason why it is unreadable.
    void load(std::function<void(const Result<AlertSettings>&)> done);
    /// Edits the file's current contents, so that changes by others in the meantime are preserved.
    void change(const std::function<void(AlertSettings&)>& edit);
    [[nodiscard]] bool notifies() const;
    void setNotifies(bool notifies);

signals:
    /// All changes so far are saved.
    void changed();
    void failed();
    /// News for the status bar: an alert, for any desktop, or the reason why a change could not be saved.
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
    std::set<RunId> m_advanced;           // to be checked
    std::map<RunId, std::size_t> m_told;  // number of seen events by run
    LatestJob m_look;
    std::vector<std::function<void(AlertSettings&)>> m_edits;  // to be saved
    LatestJob m_load, m_write;
    std::unique_ptr<QSystemTrayIcon> m_tray;  // created with the first notification
    RunId m_newest;
};

}  // namespace slipway::gui
