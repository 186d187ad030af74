// Keeps a picture of live data fresh at a bounded cost: one refresh at a time, and after each a pause so long that reading and drawing
// take an eightieth of a core.
//   connect(&engine, &Engine::runAdvanced, this, [this] { m_live.ask(); });     // m_live calls reload()
//   m_live.answered(readMilliseconds); show();                                  // in the answer of reload()
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <functional>

namespace slipway::gui {

/// CPU time of the calling thread.
double threadCpuMilliseconds();

class LiveRefresh : public QObject {
public:
    /// @param refresh starts a refresh; false if there is none, as nobody sees the picture
    LiveRefresh(QObject* parent, std::function<bool()> refresh);

    /// There are newer data.
    void ask();
    /// A refresh was read, with so much CPU of another thread, and is shown now.
    void answered(double readMilliseconds);
    /// Pause after a refresh of this cost.
    static int pauseMilliseconds(double cpuMilliseconds);

private:
    void begin();

    std::function<bool()> m_refresh;
    QTimer m_timer;
    QElapsedTimer m_sinceAnswer;
    int m_pause = 0;
    bool m_isUnderway = false, m_isWanted = false;
};

}  // namespace slipway::gui
