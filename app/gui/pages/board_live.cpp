// What a board does while its runs go on, and while a part of its axis is visible: loads again.
#include "app/gui/engine/list_store.h"
#include "app/gui/pages/board_view.h"
#include "app/gui/pages/dialogs.h"
#include "app/gui/pages/run_controller.h"
#include "app/gui/text/format.h"
#include "app/gui/text/text.h"
#include "app/gui/widgets/metric_chart.h"
#include "app/gui/widgets/pane.h"

#include <QStackedWidget>
#include <utility>

namespace slipway::gui {
namespace {

constexpr int kPartMilliseconds = 150;  // a wheel turns on

struct Answer {
    CurveX x = CurveX::Step;
    BoardData data;
    double cpuMilliseconds = 0;
};

}  // namespace

/// Shows news of a run, or of the list of runs, when there is time for them.
void BoardView::follow(const RunId& run) {
    if (m_runs.empty() || (!run.empty() && !m_followed.contains(run))) return;
    m_isOld = m_isOld || !isVisible();
    if (!m_isOld) m_live.ask();
}

void BoardView::setRuns(const std::vector<RunId>& runs) {
    m_runs = runs;
    m_followed = {runs.begin(), runs.end()};
    m_hidden.clear();
    m_listed.clear();
    m_zoom.reset();
    dropPart();
    m_pointer.reset();
    if (!runs.empty()) {  // other runs are not shown in their place
        m_state->show(tr("Reading the runs…"), {});
        m_stack->setCurrentIndex(0);
    }
    reload();
}

void BoardView::showRunOf(RunController& controller) {
    const auto show = [this, &controller] {
        if (!controller.view() || m_runs == std::vector{controller.id()}) return;
        setRuns({controller.id()});
    };
    connect(&controller, &RunController::changed, this, show);
    show();
}

void BoardView::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (m_isOld) reload();
}

void BoardView::reload(bool isNews) {
    m_isOld = !isVisible();
    if (m_isOld) return;
    m_job.start(
        [home = m_context.engine.home(), store = m_store,
         request = BoardRequest{m_runs, m_board}](const std::stop_token& token) mutable {
            const double before = threadCpuMilliseconds();
            if (!isOfFew(request))
                (void)readLists(home, [&](RunStore& lists) -> Result<void> {
                    request.keys = keysOf(lists, request.runs, token);
                    return {};
                });
            auto read =
                store->read(home, [&](RunStore& open) -> Result<BoardData> { return loadBoard(open, request, token); });
            Answer out{request.board.x, {}, 0};
            if (read)
                out.data = std::move(*read);
            else
                out.data.unreadable << errorText(read.error());
            out.cpuMilliseconds = threadCpuMilliseconds() - before;
            return out;
        },
        [this, isNews](Answer answer) {
            m_live.answered(answer.cpuMilliseconds);
            m_axis = answer.x;
            m_data = std::make_shared<const BoardData>(std::move(answer.data));
            if (m_part && m_part->size() != m_data->charts.size()) m_part.reset();
            if (m_zoom) m_partSoon.start(kPartMilliseconds);  // replaces the part by its newer state
            showData(isNews);
            loadRecorded();
        });
}

/// Of many runs, when their charts are drawn.
void BoardView::loadRecorded() {
    if (isOfFew({m_runs, m_board}) || m_recordedOf == m_runs) return;
    m_recordedJob.start(
        [home = m_context.engine.home(), store = m_store, data = m_data](const std::stop_token& token) {
            return store->read(home, [&](RunStore& open) -> Result<std::map<std::string, QStringList>> {
                return recordedBy(open, data->runs, token);
            });
        },
        [this, runs = m_runs](Result<std::map<std::string, QStringList>> recorded) {
            if (!recorded || runs != m_runs) return;
            m_recordedOf = runs;
            showRecorded(std::move(*recorded));
        });
}

void BoardView::dropPart() {
    m_partSoon.stop();
    m_partJob.cancel();
    m_part.reset();
}

void BoardView::loadPart() {
    if (!m_zoom || m_data->runs.empty()) return;
    m_partJob.start(
        [home = m_context.engine.home(), store = m_store, data = m_data, board = m_board,
         part = std::pair(m_zoom->first, m_zoom->second)](const std::stop_token& token) {
            return store->read(home, [&](RunStore& open) -> Result<std::vector<BoardChart>> {
                return loadBoardPart(open, *data, board, part, token);
            });
        },
        [this, data = m_data](Result<std::vector<BoardChart>> charts) {
            const bool isOther = data->runs.size() != m_data->runs.size();
            if (!charts || !m_zoom || isOther || charts->size() != m_data->charts.size()) return;
            m_part = std::move(*charts);
            showCharts();
        });
}

void BoardView::zoom(std::optional<QPair<double, double>> range) {
    m_zoom = range;
    for (MetricChart* chart : m_charts)
        if (chart != sender()) chart->setZoom(range);
    if (range) return m_partSoon.start(kPartMilliseconds);
    const bool hadPart = m_part.has_value();
    dropPart();
    if (hadPart) showCharts();
}

void BoardView::exportPoints() {
    const QString file = askSaveFile(this, tr("Save the points"), QStringLiteral("board.csv"));
    if (file.isEmpty()) return;
    runOnce(
        this,
        [home = m_context.engine.home(), request = BoardRequest{m_runs, m_board}](const std::stop_token& token) {
            return readStore(home,
                             [&](RunStore& store) -> Result<std::string> { return boardCsv(store, request, token); });
        },
        [this, file](Result<std::string> text) {
            if (!text) return emit said(errorText(text.error()));
            saveText(this, file, exactText(*text), [this, file](const QString& problem) {
                emit said(problem.isEmpty() ? tr("Saved %1").arg(shown(file)) : problem);
            });
        });
}

}  // namespace slipway::gui
