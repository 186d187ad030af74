// Keeps a picture of live data fresh at a bounded cost: one refresh at a time, twice a second, until some tenths of a second of CPU are
// used up; then with pauses so long that reading and drawing take an eightieth of a core.
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

/// CPU that refreshes may use: some at once, since what another program has changed is shown soon, and a share of a core for ever.
class CpuCredit {
public:
    /// @param passedMilliseconds since the previous call @return milliseconds of pause until the next refresh
    int spend(double cpuMilliseconds, double passedMilliseconds);

private:
    double m_milliseconds = kMost;
    static constexpr double kMost = 400;
};

class LiveRefresh : public QObject {
public:
    /// @param refresh starts a refresh; false if there is none, as nobody sees the picture
    LiveRefresh(QObject* parent, std::function<bool()> refresh);

    /// There are newer data.
    void ask();
    /// A refresh was read, with so much CPU of another thread, and is shown now.
    void answered(double readMilliseconds);

private:
    void begin();
    void spend(double cpuMilliseconds);

    std::function<bool()> m_refresh;
    QTimer m_timer;
    QElapsedTimer m_sinceAnswer, m_sinceSpent;
    CpuCredit m_credit;
    int m_pause = 0;
    bool m_isUnderway = false, m_isWanted = false;
};

}  // namespace slipway::gui
