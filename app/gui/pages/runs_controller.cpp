#include "app/gui/pages/runs_controller.h"

#include "app/gui/text/format.h"
#include "core/base/clock.h"

#include <QPointer>
#include <algorithm>
#include <iterator>
#include <memory>
#include <span>
#include <utility>

namespace slipway::gui {
namespace {

constexpr int kLiveMilliseconds = 1000;  // interval between updates of the rows of runs in progress

/// One reversible change of the store; both directions run on the engine's thread.
class StoreEdit : public QUndoCommand {
public:
    using Change = std::function<Result<void>(RunStore&)>;
    /// @param made called after either direction
    StoreEdit(Engine& engine, const QString& what, Change redo, Change undo, std::function<void()> made)
        : QUndoCommand(what),
          m_engine(engine),
          m_redo(std::move(redo)),
          m_undo(std::move(undo)),
          m_made(std::move(made)) {}
    void redo() override {
        m_engine.change(m_redo, [this, alive = std::weak_ptr(m_alive), made = m_made](const Result<void>& outcome) {
            if (!alive.expired()) setObsolete(!outcome);
            made();
        });
    }
    void undo() override {
        m_engine.change(m_undo, [made = m_made](const Result<void>&) { made(); });
    }

private:
    Engine& m_engine;
    Change m_redo, m_undo;
    std::function<void()> m_made;
    /// The stack deletes undone commands while an answer may be on its way.
    std::shared_ptr<bool> m_alive = std::make_shared<bool>(true);
};

}  // namespace

std::vector<std::string> RunsController::defaultColumns() {
    return usualColumns();
}

RunsController::RunsController(Context& context, QObject* parent)
    : QObject(parent),
      m_context(context),
      m_model(this),
      m_query(this),
      m_prepare(this),
      m_pages(this),
      m_views(this),
      m_news(this, [this] {
          reload();
          return true;
      }) {
    std::vector<std::string> columns;
    for (const QString& name : context.settings.value(QStringLiteral("runs/columns")).toStringList())
        if (findRunField(name.toStdString())) columns.push_back(name.toStdString());
    m_model.setColumns(columns.empty() ? defaultColumns() : columns, m_sort);
    connect(&m_model, &RunsModel::pageWanted, this, [this](int page) {
        m_wanted.insert(page);
        if (!m_soon.isActive()) m_soon.start(0);
    });
    m_soon.setSingleShot(true);
    connect(&m_soon, &QTimer::timeout, this, &RunsController::loadPages);
    connect(&context.engine, &Engine::runsChanged, this, [this] {
        m_isOld = m_isOld || !m_isSeen;
        if (m_isSeen) m_news.ask();
    });
    connect(&context.engine, &Engine::activeChanged, this,
            [this] { m_model.setActive(m_context.engine.activeRuns()); });
    m_live.setSingleShot(true);
    connect(&m_live, &QTimer::timeout, this, &RunsController::loadPages);
    connect(&context.engine, &Engine::runAdvanced, this, [this](const RunId& id) {
        if (!m_isSeen) {  // the row is read with the list
            m_isOld = true;
            return;
        }
        const int row = m_model.rowOf(id);
        if (row < 0) return;
        m_wanted.insert(row / RunsModel::kPageSize);
        if (!m_live.isActive()) m_live.start(kLiveMilliseconds);
    });
    connect(&context.engine, &Engine::storeReady, this, &RunsController::reload);
    if (context.engine.isReady()) reload();
    loadViewNames();
}

RunQuery RunsController::query() const {
    RunQuery q;
    q.filter = m_validFilter.toStdString();
    q.sort = m_sort;
    q.scope = m_scope;
    q.columns = m_model.columns();
    q.figure = kKeyColumn;
    q.groupBy = m_groupBy;
    q.nowUnixMilliseconds = unixMillisecondsNow();
    return q;
}

void RunsController::reload() {
    emit asked();
    m_prepare.cancel();  // it may be using the store
    m_query.start(
        [store = m_store, skipped = m_skipped, home = m_context.engine.home(), q = query(), figures = groupFigures(),
         baseline = m_baseline](std::stop_token stop) {
            const double before = threadCpuMilliseconds();
            auto read = store->read(home, [&](RunStore& s) -> Result<Answer> {
                auto found = s.listing(q, stop);
                if (!found) return fail(found.error());
                const auto first =
                    std::span(found->keys).first(std::min<std::size_t>(found->keys.size(), RunsModel::kPageSize));
                auto rows = s.rows(first, q.columns);
                if (!rows) return fail(rows.error());
                Answer out{std::move(*found), 0, std::move(*rows), {}, {}};
                auto numSkipped = skipped->of(s, q, stop);
                if (!numSkipped) return fail(numSkipped.error());
                out.numSkipped = *numSkipped;
                if (!q.groupBy.empty()) {
                    auto groups = s.groups(q, figures, stop);
                    if (!groups) return fail(groups.error());
                    out.groups = std::move(*groups);
                }
                if (!baseline.empty()) {
                    RunQuery one;
                    one.filter = "id:" + baseline.value;
                    one.scope = RunScope::All;
                    one.columns = q.columns;
                    auto base = s.list(one);
                    if (base && !base->empty()) out.baseline = std::move(base->front());
                }
                return out;
            });
            return std::pair(std::move(read), threadCpuMilliseconds() - before);
        },
        [this](std::pair<Result<Answer>, double> read) {
            m_news.answered(read.second);
            Result<Answer>& answer = read.first;
            m_answered = true;
            m_error.reset();
            if (!answer) {
                m_error = answer.error();
                emit answered();
                return;
            }
            const bool jumps = !(answer->listing.ids == m_model.ids());
            const bool own = std::exchange(m_ownChange, false);
            if (m_frozen && !own && jumps && m_model.rowCount() > 0) {
                m_held = std::move(*answer);
                emit answered();
            } else {
                take(std::move(*answer));
            }
            prepare();
        });
}

void RunsController::prepare() {
    std::vector<std::string> fields = m_model.columns();
    fields.insert(fields.end(), {"notes", "tag", "sweep"});  // fields of the free-text search, besides the name
    m_prepare.start(
        [store = m_store, home = m_context.engine.home(), fields](std::stop_token stop) {
            return store->read(home, [&](RunStore& s) { return s.prepare(fields, stop); });
        },
        [](const Result<void>&) {});
}

void RunsController::take(Answer answer) {
    m_held.reset();
    m_counts = answer.listing.counts;
    m_key = answer.listing.figure;
    m_numAll = answer.listing.numInScope;
    m_numSkipped = answer.numSkipped;
    if (answer.listing.keys != m_model.keys()) ++m_order;
    m_model.setRuns(std::move(answer.listing.keys), std::move(answer.listing.ids), answer.listing.greatestInScope);
    if (!answer.firstPage.empty()) m_model.setPage(0, std::move(answer.firstPage));
    m_groups = std::move(answer.groups);
    m_baselineRow = std::move(answer.baseline);
    m_model.setBaseline(m_baselineRow);
    emit answered();
}

void RunsController::showOwnChange() {
    if (m_held) take(std::move(*m_held));
    m_ownChange = true;
    reload();
}

void RunsController::setSeen(bool isSeen) {
    m_isSeen = isSeen;
    if (m_isSeen && std::exchange(m_isOld, false)) m_news.ask();
}

void RunsController::setFrozen(bool frozen) {
    m_frozen = frozen;
    if (!frozen && m_held) take(std::move(*m_held));
}

void RunsController::loadPages() {
    if (m_wanted.empty()) return;
    struct Page {
        int number = 0;
        std::vector<std::int64_t> keys;
        std::vector<RunRow> rows{};
    };
    std::vector<Page> wanted;
    for (const int number : m_wanted) {
        const std::span keys(m_model.keys());
        const auto begin = std::min(static_cast<std::size_t>(number) * RunsModel::kPageSize, keys.size());
        const auto part = keys.subspan(begin, std::min<std::size_t>(RunsModel::kPageSize, keys.size() - begin));
        wanted.push_back({number, {part.begin(), part.end()}});
    }
    m_pages.start(
        [home = m_context.engine.home(), columns = m_model.columns(),
         pages = std::move(wanted)](std::stop_token token) mutable {
            return readStore(home, [&](RunStore& store) -> Result<std::vector<Page>> {
                for (Page& page : pages) {
                    if (token.stop_requested()) break;
                    auto rows = store.rows(page.keys, columns);
                    if (!rows) return fail(rows.error());
                    page.rows = std::move(*rows);
                }
                return std::move(pages);
            });
        },
        [this, order = m_order](Result<std::vector<Page>> loaded) {
            if (!loaded) return;
            if (order != m_order) {  // these positions now have other rows
                m_soon.start(0);
                return;
            }
            for (Page& page : *loaded) {
                m_wanted.erase(page.number);
                m_model.setPage(page.number, std::move(page.rows));
            }
        });
}

void RunsController::setFilter(const QString& text) {
    m_filter = text;
    const auto parsed = parseRunFilter(text.toStdString());
    m_problem.reset();
    if (!parsed)
        m_problem = parsed.error();
    else if (m_validFilter != text) {
        m_validFilter = text;
        reload();
    }
    emit filterChecked();
}

void RunsController::sortBy(const std::string& field, bool add) {
    std::vector<SortKey> sort;
    const auto direction = [&](std::size_t place) {
        const bool same = place < m_sort.size() && m_sort[place].field == field;
        const RunField* info = findRunField(field);
        return same ? !m_sort[place].descending : info && info->better > 0;
    };
    if (add && !m_sort.empty() && m_sort.front().field != field)
        sort = {m_sort.front(), {field, direction(1)}};
    else
        sort = {{field, direction(0)}};
    m_sort = std::move(sort);
    m_model.setColumns(m_model.columns(), m_sort);
    reload();
}

void RunsController::setColumns(std::vector<std::string> columns) {
    std::erase(columns, "name");
    columns.insert(columns.begin(), "name");
    QStringList names;
    for (const std::string& name : columns) names << qs(name);
    m_context.settings.setValue(QStringLiteral("runs/columns"), names);
    m_model.setColumns(std::move(columns), m_sort);
    ++m_order;
    reload();
}

void RunsController::setScope(RunScope scope) {
    if (scope == m_scope) return;
    m_scope = scope;
    reload();
}

void RunsController::push(const QString& what, std::function<Result<void>(RunStore&)> redo,
                          std::function<Result<void>(RunStore&)> undo) {
    m_undo.push(new StoreEdit(m_context.engine, what, std::move(redo), std::move(undo),
                              [self = QPointer<RunsController>(this)] {
                                  if (self) self->showOwnChange();
                              }));  // the stack owns it
}

// Reads each run before and after a change, so that undoing restores its exact state, whatever else has changed.
template <class Was, class Read, class Change, class Undo>
void RunsController::pushMarks(const QString& what, const std::vector<RunId>& ids, Read read, Change change,
                               Undo undo) {
    struct Run {
        RunId id;
        Was before, after;
    };
    const auto changed = std::make_shared<std::vector<Run>>();  // both directions run on the engine's thread
    push(
        what,
        [=](RunStore& store) {
            changed->clear();
            return store.together([&]() -> Result<void> {
                for (const RunId& id : ids) {
                    const auto record = store.run(id);
                    if (!record) return fail(record.error());
                    changed->push_back({id, read(*record), {}});
                }
                if (auto made = change(store); !made) return made;
                for (Run& run : *changed) {
                    const auto record = store.run(run.id);
                    if (!record) return fail(record.error());
                    run.after = read(*record);
                }
                return {};
            });
        },
        [=](RunStore& store) {
            return store.together([&]() -> Result<void> {
                for (const Run& run : *changed)
                    if (run.before != run.after)
                        if (auto undone = undo(store, run.id, run.before, run.after); !undone) return undone;
                return {};
            });
        });
}

void RunsController::changeTags(const std::vector<RunId>& ids, const std::vector<std::string>& add,
                                const std::vector<std::string>& remove) {
    using Tags = std::vector<std::string>;  // sorted, as in the store
    const auto without = [](const Tags& tags, const Tags& others) {
        Tags rest;
        std::set_difference(tags.begin(), tags.end(), others.begin(), others.end(), std::back_inserter(rest));
        return rest;
    };
    pushMarks<Tags>(
        tr("Change tags"), ids, [](const RunRecord& run) { return run.tags; },
        [=](RunStore& s) { return s.changeTags(ids, add, remove); },
        [without](RunStore& s, const RunId& id, const Tags& before, const Tags& after) {
            return s.changeTags({id}, without(before, after), without(after, before));
        });
}

void RunsController::setNotes(const RunId& id, const std::string& before, const std::string& after) {
    if (before == after) return;
    pushMarks<std::string>(
        tr("Change notes"), {id}, [](const RunRecord& run) { return run.notes; },
        [=](RunStore& s) { return s.setNotes(id, after); },
        [](RunStore& s, const RunId& run, const std::string& was, const std::string&) { return s.setNotes(run, was); });
}

void RunsController::addNotes(const std::vector<RunId>& ids, const std::string& line) {
    if (line.empty()) return;
    pushMarks<std::string>(
        tr("Change notes"), ids, [](const RunRecord& run) { return run.notes; },
        [=](RunStore& s) -> Result<void> {
            for (const RunId& id : ids) {
                const auto run = s.run(id);
                if (!run) return fail(run.error());
                if (auto noted = s.setNotes(id, run->notes + (run->notes.empty() ? "" : "\n") + line); !noted)
                    return noted;
            }
            return {};
        },
        [](RunStore& s, const RunId& run, const std::string& was, const std::string&) { return s.setNotes(run, was); });
}

void RunsController::rename(const RunId& id, const std::string& before, const std::string& after) {
    if (before == after || after.empty()) return;
    pushMarks<std::string>(
        tr("Rename"), {id}, [](const RunRecord& run) { return run.name; },
        [=](RunStore& s) { return s.rename(id, after); },
        [](RunStore& s, const RunId& run, const std::string& was, const std::string&) { return s.rename(run, was); });
}

void RunsController::setArchived(const std::vector<RunId>& ids, bool archived) {
    pushMarks<bool>(
        archived ? tr("Archive") : tr("Unarchive"), ids, [](const RunRecord& run) { return run.archived; },
        [=](RunStore& s) { return s.setArchived(ids, archived); },
        [](RunStore& s, const RunId& id, bool was, bool) { return s.setArchived({id}, was); });
}

void RunsController::setLocked(const std::vector<RunId>& ids, bool locked) {
    pushMarks<bool>(
        locked ? tr("Lock") : tr("Unlock"), ids, [](const RunRecord& run) { return run.locked; },
        [=](RunStore& s) { return s.setLocked(ids, locked); },
        [](RunStore& s, const RunId& id, bool was, bool) { return s.setLocked({id}, was); });
}

namespace {

using Deleted = std::optional<std::int64_t>;  // when the run was moved to the trash

Deleted deletedOf(const RunRecord& run) {
    return run.deletedUnixMilliseconds;
}

Result<void> putBack(RunStore& store, const RunId& id, const Deleted& was, const Deleted&) {
    return was ? store.trash({id}, *was) : store.restore({id});
}

}  // namespace

void RunsController::trash(const std::vector<RunId>& ids) {
    pushMarks<Deleted>(
        tr("Move to trash"), ids, deletedOf, [=](RunStore& s) { return s.trash(ids, unixMillisecondsNow()); }, putBack);
}

void RunsController::restore(const std::vector<RunId>& ids) {
    pushMarks<Deleted>(
        tr("Restore from trash"), ids, deletedOf, [=](RunStore& s) { return s.restore(ids); }, putBack);
}

}  // namespace slipway::gui
