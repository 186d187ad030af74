// Work off the main thread: one running, at most one waiting, only the newest result is delivered.
//   m_job.start([config](std::stop_token) { return makePlan(config); }, [this](Plan plan) { show(plan); });
#pragma once

#include <QObject>
#include <QtConcurrentRun>

#include <functional>
#include <stop_token>
#include <utility>

namespace slipway::gui {

/// Not a template itself so that controllers can hold several by value. `work` must own all it reads; it runs on the
/// global thread pool. `done` runs on the thread of this object, unless the object is gone by then.
class LatestJob : public QObject {
public:
    using QObject::QObject;
    ~LatestJob() override { m_stop.request_stop(); }

    template <class Work, class Done>
    void start(Work work, Done done) {
        m_stop.request_stop();
        m_waiting = [this, work = std::move(work), done = std::move(done)]() mutable { run(std::move(work), std::move(done)); };
        if (!m_running) next();
    }

    void cancel() {
        m_stop.request_stop();
        m_waiting = nullptr;
        ++m_ticket;
    }
    [[nodiscard]] bool isRunning() const { return m_running; }

private:
    void next() {
        if (!m_waiting) return;
        auto begin = std::exchange(m_waiting, nullptr);
        begin();
    }

    template <class Work, class Done>
    void run(Work work, Done done) {
        using Outcome = std::invoke_result_t<Work&, std::stop_token>;  // named: with `auto` Qt hands over the future itself
        m_running = true;
        m_stop = std::stop_source();
        const auto ticket = ++m_ticket;
        QtConcurrent::run([work = std::move(work), token = m_stop.get_token()]() mutable { return work(token); })
            .then(this, [this, ticket, done = std::move(done)](Outcome result) mutable {
                m_running = false;
                // Superseded while it ran: the newer request is what people wait for.
                if (ticket == m_ticket && !m_waiting) done(std::move(result));
                next();
            });
    }

    std::function<void()> m_waiting;
    std::stop_source m_stop;
    std::uint64_t m_ticket = 0;
    bool m_running = false;
};

}  // namespace slipway::gui
