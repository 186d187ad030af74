// Work off the main thread: one running, at most one waiting, only the newest result is delivered.
//   m_job.start([config](std::stop_token) { return makePlan(config); }, [this](Plan plan) { show(plan); });
#pragma once

#include <QObject>
#include <QThreadPool>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <utility>

namespace slipway::gui {

/// Not a template itself so that controllers can hold several by value. `work` must own all its inputs; it runs on the
/// global thread pool. `done` runs on the thread of this object, unless the object is deleted by then.
class LatestJob : public QObject {
public:
    explicit LatestJob(QObject* parent = nullptr) : QObject(parent), m_post(std::make_shared<Post>()) {
        m_post->owner = this;
    }
    ~LatestJob() override {
        m_stop.request_stop();
        const std::lock_guard lock(m_post->mutex);
        m_post->owner = nullptr;
    }

    template <class Work, class Done>
    void start(Work work, Done done) {
        m_stop.request_stop();
        m_waiting = [this, work = std::move(work), done = std::move(done)]() mutable {
            run(std::move(work), std::move(done));
        };
        if (!m_running) next();
    }

    void cancel() {
        m_stop.request_stop();
        m_waiting = nullptr;
        ++m_ticket;
    }
    [[nodiscard]] bool isRunning() const { return m_running; }
    /// For tests, which wait for zero: jobs of the whole program whose answers were neither delivered nor dropped yet.
    [[nodiscard]] static int numUnderway() { return s_underway; }

private:
    /// Mailbox for a worker's result; outlives the job, so that a late worker finds no receiver instead of a dangling pointer.
    struct Post {
        std::mutex mutex;
        LatestJob* owner = nullptr;
    };

    struct End {
        End() = default;
        End(const End&) = delete;
        ~End() { --s_underway; }
    };

    void next() {
        if (!m_waiting) return;
        auto begin = std::exchange(m_waiting, nullptr);
        begin();
    }

    template <class Work, class Done>
    void run(Work work, Done done) {
        m_running = true;
        ++s_underway;
        m_stop = std::stop_source();
        const auto ticket = ++m_ticket;
        using Answer = decltype(work(std::declval<std::stop_token>()));
        QThreadPool::globalInstance()->start([work = std::move(work), done = std::move(done),
                                              token = m_stop.get_token(), post = m_post, ticket]() mutable {
            auto answer = std::make_shared<Answer>(work(token));
            const std::lock_guard lock(post->mutex);
            LatestJob* owner = post->owner;
            auto end = std::make_shared<End>();  // also if Qt drops the answer with its owner
            if (!owner) return;
            QMetaObject::invokeMethod(
                owner,
                [owner, ticket, answer, done = std::move(done), end = std::move(end)]() mutable {
                    owner->m_running = false;
                    // Superseded while running: people wait for the newer request.
                    if (ticket == owner->m_ticket && !owner->m_waiting) done(std::move(*answer));
                    owner->next();
                },
                Qt::QueuedConnection);
        });
    }

    std::function<void()> m_waiting;
    std::shared_ptr<Post> m_post;
    std::stop_source m_stop;
    std::uint64_t m_ticket = 0;
    bool m_running = false;
    static inline std::atomic<int> s_underway{0};
};

/// One job that belongs to `context`: its answer is dropped when that is deleted.
template <class Work, class Done>
void runOnce(QObject* context, Work work, Done done) {
    auto* job = new LatestJob(context);  // the context owns it until the answer arrives
    job->start(std::move(work), [job, done = std::move(done)](auto answer) mutable {
        job->deleteLater();
        done(std::move(answer));
    });
}

}  // namespace slipway::gui
