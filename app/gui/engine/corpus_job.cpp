#include "app/gui/engine/corpus_job.h"

#include "app/gui/text/format.h"

#include <atomic>
#include <utility>

namespace slipway::gui {
namespace {

constexpr int kTickMilliseconds = 100;

QString phaseText(std::string_view phase) {
    if (phase == "hash" || phase == "read") return CorpusJob::tr("reading the text");
    if (phase == "sample" || phase == "tokenizer") return CorpusJob::tr("learning the vocabulary");
    return CorpusJob::tr("writing tokens");
}

}  // namespace

/// Written by the worker, read by the window.
struct CorpusJob::Counter {
    std::atomic<const char*> phase{"hash"};  ///< one of CorpusProgress's literals
    std::atomic<int> percent{0};
    std::atomic<bool> cancelled{false};
};

CorpusJob::CorpusJob(Home home, QObject* parent) : QObject(parent), m_home(std::move(home)), m_job(this) {
    m_tick.setInterval(kTickMilliseconds);
    connect(&m_tick, &QTimer::timeout, this, &CorpusJob::tell);
}

void CorpusJob::start(const CorpusSpec& spec, Done done) {
    if (m_running) return done(fail("busy", "A corpus is being made; wait for it or cancel it."_text));
    m_running = true;
    m_name = qs(spec.name);
    m_counter = std::make_shared<Counter>();
    m_tick.start();
    tell();
    m_job.start(
        [spec, home = m_home, counter = m_counter](std::stop_token token) {
            return buildCorpus(spec, home, [&](const CorpusProgress& progress) {
                counter->phase = progress.phase.data();
                counter->percent = static_cast<int>(progress.fraction * 100);
                return !counter->cancelled && !token.stop_requested();
            });
        },
        [this, done = std::move(done)](const Result<CorpusResult>& made) {
            m_running = false;
            m_tick.stop();
            done(made);
        });
}

void CorpusJob::cancel() {
    if (m_counter) m_counter->cancelled = true;
}

void CorpusJob::tell() {
    emit progressed(tr("%1: %2").arg(m_name, phaseText(m_counter->phase.load())), m_counter->percent);
}

}  // namespace slipway::gui
