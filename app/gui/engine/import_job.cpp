#include "app/gui/engine/import_job.h"

#include "app/gui/engine/jobs.h"
#include "app/gui/text/format.h"
#include "app/gui/text/text.h"
#include "core/base/clock.h"

#include <QElapsedTimer>
#include <QPointer>
#include <utility>

namespace slipway::gui {
namespace {

constexpr int kStepMilliseconds = 100;  // on the engine's thread, which also follows runs

}  // namespace

ImportJob::ImportJob(Engine& engine, QObject* parent)
    : QObject(parent), m_engine(engine), m_work(std::make_shared<Work>()) {}

void ImportJob::start(const std::vector<ImportedRun>& runs) {
    m_added.insert(m_added.end(), runs.begin(), runs.end());
    if (m_running) return;
    m_running = true;
    m_cancelled = false;
    m_work = std::make_shared<Work>();
    step();
}

void ImportJob::cancel() {
    m_cancelled = m_running;
    if (m_stop) *m_stop = true;
}

void ImportJob::step() {
    m_work->runs.insert(m_work->runs.end(), std::make_move_iterator(m_added.begin()),
                        std::make_move_iterator(m_added.end()));
    m_added.clear();
    emit progressed(static_cast<int>(m_work->next), static_cast<int>(m_work->runs.size()));
    if (m_cancelled || m_work->next == m_work->runs.size()) return end();
    if (m_work->runs[m_work->next].isStreamed) return importStreamed();
    m_engine.change(
        [work = m_work, home = m_engine.home()](RunStore& store) -> Result<void> {
            Work after = {{}, work->next, work->imported, work->refused};
            auto stored = store.together([&]() -> Result<void> {
                QElapsedTimer time;
                time.start();
                while (after.next < work->runs.size() && !work->runs[after.next].isStreamed &&
                       time.elapsed() < kStepMilliseconds) {
                    const auto id =
                        importRun(store, home, work->runs[after.next++], unixMillisecondsNow(), randomEntropy());
                    if (id)
                        ++after.imported;
                    else
                        ++after.refused[id.error().text()];
                }
                return {};
            });
            if (!stored) {
                work->refused[stored.error().text()] += static_cast<int>(after.next - work->next);
                return stored;
            }
            std::swap(after.runs, work->runs);
            *work = std::move(after);
            return {};
        },
        [self = QPointer<ImportJob>(this)](const Result<void>& outcome) {
            ImportJob* job = self.data();
            if (job == nullptr) return;
            if (!outcome) job->m_cancelled = true;
            job->step();
        });
}

/// A long log takes minutes: it has its own thread and connection, so that runs are followed in the meantime.
void ImportJob::importStreamed() {
    m_stop = std::make_shared<std::atomic<bool>>(false);
    runOnce(
        this,
        [run = m_work->runs[m_work->next], home = m_engine.home(), cancelled = m_stop](const std::stop_token& stop) {
            auto store = RunStore::open(home, OpenMode::ReadWrite);
            if (!store) return Result<RunId>(fail(store.error()));
            return importRun(*store, home, run, unixMillisecondsNow(), randomEntropy(),
                             [&] { return !stop.stop_requested() && !*cancelled; });
        },
        [this](const Result<RunId>& id) {
            m_stop.reset();
            ++m_work->next;
            if (id)
                ++m_work->imported;
            else
                ++m_work->refused[id.error().text()];
            step();
        });
}

void ImportJob::end() {
    m_running = false;
    const int total = static_cast<int>(m_work->runs.size());
    QString summary = m_work->imported == total ? tr("%Ln run(s) imported.", nullptr, total)
                                                : tr("%1 of %2 runs imported.").arg(m_work->imported).arg(total);
    for (const auto& [reason, count] : m_work->refused) summary += ' ' + tr("%1 not: %2").arg(count).arg(qs(reason));
    emit finished(summary);
}

}  // namespace slipway::gui
