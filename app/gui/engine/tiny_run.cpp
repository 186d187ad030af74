#include "app/gui/engine/tiny_run.h"

#include "app/gui/engine/machine_peak.h"
#include "app/gui/text/format.h"
#include "app/gui/text/text.h"
#include "core/planner/plan.h"
#include "core/run/readiness.h"

#include <utility>

namespace slipway::gui {

CorpusSpec sampleCorpus() {
    CorpusSpec spec{"wordnet", {"/usr/share/dictd/wn.dict.dz"}, 2048, 2000000, 4000000};
    if (const QString other = qEnvironmentVariable("SLIPWAY_SAMPLE_TEXT"); !other.isEmpty()) {
        spec.sources = {other.toStdString()};
        spec.name = corpusNameOf(other.toStdString());
    }
    return spec;
}

TinyRun::TinyRun(Engine& engine, CorpusJob& corpus, QObject* parent)
    : QObject(parent), m_engine(engine), m_corpus(corpus), m_job(this) {}

void TinyRun::start() {
    if (m_running) return;
    m_running = true;
    m_corpus.start(sampleCorpus(), [this](const Result<CorpusResult>& made) {
        if (made) return check(*made);
        const Error& error = made.error();
        fail(
            error.code == "cancelled" ? QString()
            : error.code == "file_missing"
                ? tr("The sample text %1 is not on this computer. Install the package dict-wn, or use a text of your own: File > New corpus….")
                      .arg(qs(sampleCorpus().sources.front()))
                : errorText(error));
    });
}

void TinyRun::cancel() {
    if (!m_running) return;
    m_corpus.cancel();
    if (!m_corpus.isRunning()) {
        m_job.cancel();
        fail({});
    }
}

void TinyRun::check(const CorpusResult& corpus) {
    emit checking();
    struct Checked {
        PlanDocument document;
        std::shared_ptr<const Plan> plan;
        Issues issues;
    };
    m_job.start(
        [home = m_engine.home(), programs = m_engine.programs(), tokens = corpus.tokenFile.filename().string(),
         vocabSize = corpus.header.vocabSize](std::stop_token) -> Checked {
            // Without a trainer that can measure, the forecast stays unknown and the run starts anyway.
            (void)measuredPeak(home, programs);
            PlanDocument document = tinyDocument(thisMachine(home));
            document.config.data.tokens = tokens;
            document.config.model.vocabSize = static_cast<std::int64_t>(vocabSize);
            const auto plan = std::make_shared<const Plan>(makePlan(document.config, document.cluster));
            return {document, plan,
                    checkReadiness(document.config, gatherReadiness(document.config, home, programs),
                                   plan->memoryPeakBytes)};
        },
        [this](const Checked& checked) {
            for (const Issue& issue : checked.issues)
                if (issue.severity == Severity::Error) return fail(issueText(issue));
            m_running = false;
            RunRequest request;
            request.config = checked.document.config;
            request.cluster = checked.document.cluster;
            request.plan = checked.plan;
            m_engine.launch(request);
            emit started(checked.document);
        });
}

void TinyRun::fail(const QString& reason) {
    m_running = false;
    emit failed(reason);
}

}  // namespace slipway::gui
