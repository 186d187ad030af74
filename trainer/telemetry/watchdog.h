// Watchdog of one rank: detects a hang by missing progress, not by short collective timeouts. Progress is a completed
// collective (on a GPU: one passed by the device, polled without waiting) or a completed step; the limit is max(60 s,
// 10 times the median step), and an hour while a checkpoint is written or read.
#pragma once

#include "core/spec/agent_files.h"
#include "trainer/comm/comm_activity.h"
#include "trainer/comm/rendezvous.h"

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace slipway::trainer {

/// The limit for a stall after these step times: max(leastSeconds, 10 times the median).
double hangLimitSeconds(std::vector<double> stepSeconds, double leastSeconds);

struct WatchdogOptions {
    std::int64_t rank = 0;
    std::int64_t worldSize = 1;
    double pollSeconds = 1.0;
    double leastLimitSeconds = 60;       ///< tests shorten it
    double firstStepLimitSeconds = 600;  ///< its length is unknown before the first step
    std::function<double()> now;         ///< seconds of a monotonic clock
    /// Called once from the watchdog's thread; the program writes the error file and ends.
    std::function<void(const RankError&)> onHang;
};

class Watchdog {
public:
    /// @param rendezvous for the ranks' heartbeats; may be null (in-process ranks, a world of one)
    Watchdog(WatchdogOptions options, std::shared_ptr<CommActivity> activity, Rendezvous* rendezvous);
    ~Watchdog();
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;

    void stepDone(std::int64_t step, double seconds);
    /// Marks the begin of a wait for a disk, which shows no progress while working; or its end, which is progress.
    void waitForDisk(bool waits);
    static constexpr double kDiskLimitSeconds = 3600;

    /// One check of the clock; the thread calls it every pollSeconds. True when the rank hangs, with `error` set.
    bool check(double now, RankError& error);

private:
    void repeat(const std::function<bool()>& body);
    bool look();
    bool publish();
    [[nodiscard]] std::string silentRanks(double now, double limit);

    WatchdogOptions m_options;
    std::shared_ptr<CommActivity> m_activity;
    Rendezvous* m_rendezvous;
    std::mutex m_mutex;
    std::condition_variable m_wake;
    bool m_stop = false;
    bool m_waitsForDisk = false;
    std::int64_t m_step = 0;
    std::vector<double> m_stepSeconds;
    std::int64_t m_lastCompleted = -1;
    double m_lastProgress = 0;
    std::int64_t m_beats = 0;
    std::vector<std::string> m_lastBeat;    ///< per rank: its last heartbeat
    std::vector<double> m_lastBeatSeconds;  ///< and the time of its last change
    std::thread m_thread, m_beatThread, m_deviceThread;
};

}  // namespace slipway::trainer
