#include "trainer/comm/group_base.h"

#include <algorithm>
#include <utility>

namespace slipway::trainer {

GroupBase::GroupBase(std::string name, const std::vector<std::int64_t>& ranks, std::int64_t worldRank,
                     std::shared_ptr<CommActivity> activity)
    : m_name(std::move(name)), m_size(static_cast<int>(ranks.size())), m_activity(std::move(activity)) {
    m_rank = static_cast<int>(std::find(ranks.begin(), ranks.end(), worldRank) - ranks.begin());
    for (const std::int64_t rank : ranks) {
        if (!m_rankText.empty()) m_rankText += ", ";
        m_rankText += std::to_string(rank);
    }
}

CommCounters GroupBase::counters() const {
    const std::lock_guard lock(m_mutex);
    return m_counters;
}

void GroupBase::countBytes(double bytes) {
    const std::lock_guard lock(m_mutex);
    m_counters.bytes += bytes;
    ++m_counters.calls;
}

void GroupBase::countSeconds(double seconds, double exposedSeconds) {
    const std::lock_guard lock(m_mutex);
    m_counters.seconds += seconds;
    m_counters.exposedSeconds += exposedSeconds;
}

void GroupBase::noteGiven(const char* operation, const DeviceClock::Mark& start, const DeviceClock::Mark& end) const {
    if (m_activity)
        m_activity->give({m_name, operation, m_rankText, [start] { return DeviceClock::isPassed(start); },
                          [end] { return DeviceClock::isPassed(end); }});
}

void GroupBase::noteWaited(const char* operation, const DeviceClock::Mark& start, const DeviceClock::Mark& end) const {
    if (m_activity) m_activity->note({m_name, operation, 0, 0, start, end});
}

double GroupBase::ringAllReduceBytes(const at::Tensor& tensor) const {
    return 2.0 * ringGatherBytes(tensor);
}

double GroupBase::ringGatherBytes(const at::Tensor& whole) const {
    return static_cast<double>(whole.nbytes()) * (m_size - 1) / m_size;
}

void GroupBase::raise(const std::string& operation, const std::string& what) const {
    throw CommError(m_name, operation,
                    operation + " in group " + m_name + " (ranks " + m_rankText + ") failed: " + what);
}

void GroupBase::Timing::markDone() {
    const auto elapsed = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count();
    doneNanoseconds.store(std::max<std::int64_t>(elapsed, 1));
}

class GroupBase::Handle final : public CommHandle {
public:
    Handle(GroupBase* group, const char* operation, std::shared_ptr<Timing> timing, std::function<void()> block)
        : m_group(group), m_operation(operation), m_timing(std::move(timing)), m_block(std::move(block)) {}
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

    ~Handle() override {
        try {
            wait();
        } catch (...) {  // a destructor must not throw; the next collective of the group reports the failure
        }
    }

    void wait() override {
        if (!m_block) return;
        const auto block = std::move(m_block);
        m_block = nullptr;
        const auto begin = Clock::now();
        const bool isNoted = m_timing && m_group->m_activity;
        if (isNoted) m_group->m_activity->enter(m_group->m_name, m_operation, m_group->m_rankText);
        try {
            block();
        } catch (const CommError&) {
            throw;
        } catch (const std::exception& error) {
            m_group->raise(m_operation, error.what());
        }
        if (isNoted) m_group->m_activity->leave();
        const auto end = Clock::now();
        if (!m_timing) return;
        const std::chrono::nanoseconds done(m_timing->doneNanoseconds.load());
        const Clock::time_point complete = done.count() > 0 ? m_timing->start + done : end;
        // If a thread sleeps on after its collective has completed, as when ranks share cores, that time is not
        // exposed.
        const std::chrono::duration<double> exposed =
            (std::min(m_started, complete) - m_timing->start) + (std::max(complete, begin) - begin);
        const std::chrono::duration<double> total = complete - m_timing->start;
        m_group->countSeconds(total.count(), exposed.count());
        if (!isNoted) return;
        const std::chrono::duration<double> start =
            m_timing->start.time_since_epoch();  // the clock of monotonicSecondsNow()
        m_group->m_activity->note(
            {m_group->m_name, m_operation, start.count(), (start + total).count(), nullptr, nullptr});
    }

private:
    GroupBase* m_group;
    const char* m_operation;
    std::shared_ptr<Timing> m_timing;
    std::function<void()> m_block;
    Clock::time_point m_started = Clock::now();
};

CommWork GroupBase::makeHandle(const char* operation, std::shared_ptr<Timing> timing, std::function<void()> block) {
    return std::make_unique<Handle>(this, operation, std::move(timing), std::move(block));
}

namespace {
struct DoneHandle final : CommHandle {
    void wait() override {}
};
}  // namespace

CommWork GroupBase::doneHandle() {
    return std::make_unique<DoneHandle>();
}

}  // namespace slipway::trainer
