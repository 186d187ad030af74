// RunsController: saved views, groups, baseline and files of the list.
#include "app/gui/pages/runs_controller.h"
#include "app/gui/text/format.h"
#include "app/gui/text/text.h"
#include "core/base/clock.h"
#include "core/base/file.h"

#include <set>

namespace slipway::gui {

std::vector<std::string> RunsController::groupFigures() const {
    std::vector<std::string> out;
    for (const std::string& name : m_model.columns()) {
        const RunField* field = findRunField(name);
        if (field && field->kind == RunFieldKind::Real && field != findRunField(m_groupBy)) out.push_back(name);
    }
    return out;
}

void RunsController::setGroupBy(const std::string& field) {
    if (field == m_groupBy) return;
    m_groupBy = field;
    reload();
}

void RunsController::setBaseline(const RunId& id) {
    m_baseline = id == m_baseline ? RunId() : id;
    m_ownChange = true;
    reload();
}

RunView RunsController::view() const {
    RunView view;
    view.filter = m_validFilter.toStdString();
    view.columns = m_model.columns();
    view.sort = m_sort;
    view.scope = m_scope;
    view.groupBy = m_groupBy;
    view.baseline = m_baseline;
    return view;
}

void RunsController::openView(const QString& name) {
    m_views.start(
        [home = m_context.engine.home(), name](std::stop_token) { return readView(home, name.toStdString()); },
        [this](const Result<RunView>& view) {
            if (!view) {
                emit failed(errorText(view.error()));
                return;
            }
            m_filter = m_validFilter = exactText(view->filter);
            m_problem.reset();
            m_sort = view->sort;
            m_scope = view->scope;
            m_groupBy = view->groupBy;
            m_baseline = view->baseline;
            setColumns(view->columns.empty() ? defaultColumns() : view->columns);
            emit viewOpened(view->charts);
        });
}

void RunsController::loadViewNames() {
    changeViews([](const Home&) { return Result<void>(); });
}

void RunsController::saveView(const QString& name) {
    RunView saved = view();
    if (charts) saved.charts = charts();
    saved.name = name.toStdString();
    changeViews([saved](const Home& home) { return slipway::saveView(home, saved); });
}

void RunsController::removeView(const QString& name) {
    changeViews([name](const Home& home) { return slipway::removeView(home, name.toStdString()); });
}

void RunsController::changeViews(std::function<Result<void>(const Home&)> change) {
    runOnce(
        this,
        [home = m_context.engine.home(),
         change = std::move(change)](std::stop_token) -> Result<std::vector<std::string>> {
            if (auto changed = change(home); !changed) return fail(changed.error());
            return slipway::viewNames(home);
        },
        [this](const Result<std::vector<std::string>>& names) {
            if (!names) {
                emit failed(errorText(names.error()));
                return;
            }
            m_viewNames.clear();
            for (const std::string& name : *names) m_viewNames << exactText(name);
            emit viewNamesChanged();
        });
}

void RunsController::exportRuns(const QString& file, TableFormat format, const std::vector<std::string>& columns,
                                const std::vector<RunId>& only, std::function<void(const QString&)> done) {
    RunQuery q = query();
    q.columns = columns;
    q.groupBy.clear();
    q.limit = std::numeric_limits<std::int64_t>::max();
    std::set<std::string> wanted;
    for (const RunId& id : only) wanted.insert(id.value);
    runOnce(
        this,
        [store = m_store, home = m_context.engine.home(), q, wanted, format, language = windowLanguage(),
         path = file.toStdString()](std::stop_token) {
            return store->read(home, [&](RunStore& s) -> Result<void> {
                auto rows = s.list(q);
                if (!rows) return fail(rows.error());
                if (!wanted.empty())
                    std::erase_if(*rows, [&](const RunRow& row) { return !wanted.contains(row.record.id.value); });
                const auto text = writeRuns(*rows, q.columns, format, language);
                return text ? writeFileAtomically(path, *text) : fail(text.error());
            });
        },
        [done = std::move(done)](const Result<void>& outcome) {
            done(outcome ? QString() : errorText(outcome.error()));
        });
}

}  // namespace slipway::gui
