// A token file being built from text: on the pool, with progress in the window.
//   m_corpus->start(spec, [this](const Result<CorpusResult>& made) { ... });
#pragma once

#include "app/gui/engine/jobs.h"
#include "core/corpus/corpus.h"

#include <QString>
#include <QTimer>
#include <functional>
#include <memory>

namespace slipway::gui {

class CorpusJob : public QObject {
    Q_OBJECT

public:
    using Done = std::function<void(const Result<CorpusResult>&)>;
    CorpusJob(Home home, QObject* parent);

    /// Builds or reuses the corpus. One at a time: a call while one is running is refused with "busy".
    void start(const CorpusSpec& spec, Done done);
    /// Ends with "cancelled"; the tokenizer's training, some seconds, cannot be interrupted.
    void cancel();
    [[nodiscard]] bool isRunning() const { return m_running; }

signals:
    /// @param percent of the phase, 0 to 100
    void progressed(const QString& what, int percent);

private:
    struct Counter;
    void tell();

    Home m_home;
    LatestJob m_job;
    std::shared_ptr<Counter> m_counter;
    QString m_name;
    QTimer m_tick;
    bool m_running = false;
};

}  // namespace slipway::gui
