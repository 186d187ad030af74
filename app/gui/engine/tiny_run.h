// "Train a tiny model here": tokens of the sample text, the peak of this computer, then the run, in one step.
#pragma once

#include "app/gui/engine/corpus_job.h"
#include "app/gui/engine/engine.h"
#include "app/gui/values/plan_document.h"

namespace slipway::gui {

/// The training text of the first run: WordNet's dictionary as in the quickstart's sweep, so that both share the token
/// file; SLIPWAY_SAMPLE_TEXT names another file.
CorpusSpec sampleCorpus();

class TinyRun : public QObject {
    Q_OBJECT

public:
    /// @param corpus shared with other makers of token files
    TinyRun(Engine& engine, CorpusJob& corpus, QObject* parent);

    /// Starts, unless already in progress.
    void start();
    void cancel();
    [[nodiscard]] bool isRunning() const { return m_running; }

signals:
    /// The tokens are ready; this computer is being measured and checked.
    void checking();
    /// The run was passed to the engine, which signals its launch.
    void started(const slipway::gui::PlanDocument& document);
    /// The reason for a missing run, as a sentence; empty when it was cancelled.
    void failed(const QString& reason);

private:
    void check(const CorpusResult& corpus);
    void fail(const QString& reason);

    Engine& m_engine;
    CorpusJob& m_corpus;
    LatestJob m_job;
    bool m_running = false;
};

}  // namespace slipway::gui
