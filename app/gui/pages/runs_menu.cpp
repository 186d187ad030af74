// RunsPage: its menus, and their actions on one run, a selection or all matches.
#include "app/gui/engine/store_access.h"
#include "app/gui/pages/dialogs.h"
#include "app/gui/pages/filter_dialog.h"
#include "app/gui/pages/groups_view.h"
#include "app/gui/pages/report_dialog.h"
#include "app/gui/pages/runs_page.h"
#include "app/gui/text/format.h"
#include "app/gui/text/text.h"
#include "app/gui/widgets/filter_chips.h"
#include "app/gui/widgets/filter_line.h"
#include "core/base/file.h"
#include "core/run/import_runs.h"

#include <QApplication>
#include <QClipboard>
#include <QMenu>
#include <QTableView>
#include <algorithm>

namespace slipway::gui {
namespace {

constexpr std::size_t kManyRuns = 100;

/// Whether a finished run can continue from a checkpoint; runs of other programs cannot.
bool canResume(const RunRecord& run) {
    return (run.status == RunStatus::Failed || run.status == RunStatus::Cancelled || run.status == RunStatus::Lost) &&
           std::find(run.tags.begin(), run.tags.end(), kImportedTag) == run.tags.end();
}

bool isUnderway(const RunRecord& run) {
    return run.status == RunStatus::Running || run.status == RunStatus::Queued;
}

}  // namespace

const RunRecord* RunsPage::recordOf(const RunId& id) const {
    return m_controller.model()->recordAt(m_controller.model()->rowOf(id));
}

void RunsPage::openMenu(const QPoint& at) {
    const auto ids = selectedRuns();
    if (ids.empty()) return;
    const bool one = ids.size() == 1;
    const RunId id = ids.front();
    const RunRecord* run = one ? recordOf(id) : nullptr;
    Engine& engine = context().engine;
    QMenu menu(this);
    menu.addAction(tr("Open"), this, &RunsPage::openCurrent)->setEnabled(one);
    menu.addAction(tr("Open plan"), this, [this, id] { emit wantsPlanOf(id); })->setEnabled(one);
    menu.addAction(tr("Clone as a new plan"), this,
                   [this, id] {
                       emit wantsPlanOf(id);
                       emit said(tr("The plan has the run's configuration; launching it makes a run of its own."));
                   })
        ->setEnabled(one);
    menu.addAction(tr("Compare"), this, [this, ids] { emit wantsCompare(ids); })->setEnabled(!one);
    const bool isReportable = ids.size() <= kMostReportedRuns;
    menu.addAction(isReportable ? tr("Report…") : tr("Report… (of at most %L1 runs)").arg(kMostReportedRuns), this,
                   [this, ids] {
                       openReport(context(), reportOf(context().engine.home(), {{}, ids}), this);
                   })
        ->setEnabled(isReportable);
    menu.addSeparator();
    menu.addAction(tr("Resume"), this, [&engine, id] { engine.resume(id); })->setEnabled(run && canResume(*run));
    menu.addAction(
            tr("Stop after this step"), this,
            [this, id, name = run ? qs(run->name) : QString()] {
                if (askConfirm(
                        this, tr("Stop the run?"),
                        tr("%1 ends after its current step and writes a checkpoint. It can be resumed.").arg(name),
                        tr("Stop after this step")))
                    context().engine.stop(id);
            })
        ->setEnabled(run && isUnderway(*run));
    menu.addSeparator();
    const bool isBaseline = one && id == m_controller.baseline();
    menu.addAction((isBaseline ? tr("Remove baseline") : tr("Make it the baseline")) + QStringLiteral("\tB"), this,
                   [this, id] { m_controller.setBaseline(id); })
        ->setEnabled(one);
    menu.addAction(tr("Rename…"), this, &RunsPage::renameCurrent)->setEnabled(one);
    menu.addAction(tr("Tags…"), this, &RunsPage::editTags);
    menu.addAction(tr("Notes…"), this, &RunsPage::editNotes);
    menu.addSeparator();
    menu.addAction(
            tr("Open folder"), this,
            [this, folder = run ? run->folder : std::filesystem::path()] { openFolder(exactText(folder.string())); })
        ->setEnabled(run);
    menu.addAction(one ? tr("Copy id") : tr("Copy ids"), this, [ids] {
        QStringList lines;
        for (const RunId& each : ids) lines << exactText(each.value);
        QApplication::clipboard()->setText(lines.join(QLatin1Char('\n')));
    });
    menu.addSeparator();
    addStates(menu, ids);
    menu.exec(m_table->viewport()->mapToGlobal(at));
}

/// Archive, lock and trash; for a run whose row is not loaded the store decides, with a reason if it refuses.
void RunsPage::addStates(QMenu& menu, const std::vector<RunId>& ids) {
    const RunScope scope = m_controller.scope();
    if (scope == RunScope::Trash) {
        menu.addAction(tr("Restore"), this, [this, ids] { m_controller.restore(ids); });
        return;
    }
    menu.addAction(scope == RunScope::Archived ? tr("Unarchive") : tr("Archive"), this,
                   [this, ids, scope] { m_controller.setArchived(ids, scope != RunScope::Archived); });
    const auto any = [this, &ids](auto test) {
        return std::any_of(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(std::min(ids.size(), kManyRuns)),
                           [&](const RunId& id) {
                               const RunRecord* run = recordOf(id);
                               return run && test(*run);
                           });
    };
    const bool locked = any([](const RunRecord& run) { return run.locked; });
    menu.addAction(locked ? tr("Unlock") : tr("Lock"), this,
                   [this, ids, locked] { m_controller.setLocked(ids, !locked); });
    menu.addAction(tr("Move to trash") + QStringLiteral("\tDel"), this, &RunsPage::deleteSelected)
        ->setEnabled(!locked && !any(isUnderway));
}

void RunsPage::addFilter(const QString& term) {
    const QString before = m_filter->text().trimmed();
    const auto parsed = parseRunFilter(before.toStdString());
    const bool isOr = parsed && parsed->root.children.size() == 1 &&
                      parsed->root.children.front().kind == FilterNode::Kind::Or &&
                      !before.startsWith(QLatin1Char('('));
    m_filter->setText(
        before.isEmpty() ? term : (isOr ? QStringLiteral("(%1) %2") : QStringLiteral("%1 %2")).arg(before, term));
}

void RunsPage::editTerm(qsizetype begin, qsizetype size) {
    const QString term = m_filter->text().mid(begin, size);
    const auto parsed = parseRunFilter(term.toStdString());
    const FilterNode* node = parsed && parsed->root.children.size() == 1 ? &parsed->root.children.front() : nullptr;
    if (!node || node->kind != FilterNode::Kind::Term ||
        node->field.empty()) {  // words, or, not: they exist only in the text
        m_filter->setFocus(Qt::OtherFocusReason);
        m_filter->setSelection(static_cast<int>(begin), static_cast<int>(size));
        return;
    }
    auto* dialog = new FilterDialog(context(), node, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &FilterDialog::chosen, this, [this, begin, size](const QString& changed) {
        m_filter->setText(m_filter->text().replace(begin, size, changed));
    });
    dialog->open();
}

void RunsPage::showBaseline() {
    const auto& row = m_controller.baselineRow();
    m_baselineRow->setVisible(row.has_value());
    if (!row) return;
    QStringList parts{tr("Baseline: %1").arg(qs(row->record.name))};
    for (const char* name : {kKeyColumn, "mfu", "memory_peak_bytes", "bubble_fraction"}) {
        const auto& columns = m_controller.columns();
        const auto place = std::find(columns.begin(), columns.end(), name);
        const RunField* field = findRunField(name);
        const auto at = static_cast<std::size_t>(place - columns.begin());
        if (place == columns.end() || !field || at >= row->cells.size()) continue;
        parts << columnTitle(field->name) + QLatin1Char(' ') +
                     cellText(*field, row->cells[at], isFinal(row->record.status));
    }
    m_baseline->setFullText(parts.join(QStringLiteral("     ")));
}

void RunsPage::showViews() {
    if (m_views->menu()->isVisible()) fillViews(m_views->menu());
}

void RunsPage::fillViews(QMenu* menu) {
    menu->clear();
    for (const QString& name : m_controller.viewNames())
        menu->addAction(shown(name), this, [this, name] { m_controller.openView(name); });
    if (m_controller.viewNames().isEmpty()) menu->addAction(tr("No saved views"))->setEnabled(false);
    menu->addSeparator();
    menu->addAction(tr("Save view…"), this, [this] {
        const auto name = askText(this, tr("Save view"),
                                  tr("Name: filter, columns, order, groups, baseline and charts are kept"), {});
        if (name && !name->trimmed().isEmpty()) m_controller.saveView(name->trimmed());
    });
    auto* remove = menu->addMenu(tr("Delete view"));
    remove->setEnabled(!m_controller.viewNames().isEmpty());
    for (const QString& name : m_controller.viewNames())
        remove->addAction(shown(name), this, [this, name] { m_controller.removeView(name); });
}

void RunsPage::fillGroups(QMenu* menu) {
    menu->clear();
    const auto add = [this](QMenu* to, const RunField& field) {
        QAction* action =
            to->addAction(columnTitle(field.name), this, [this, name = field.name] { m_controller.setGroupBy(name); });
        action->setCheckable(true);
        action->setChecked(m_controller.groupBy() == field.name);
    };
    QAction* none = menu->addAction(tr("Not grouped"), this, [this] { m_controller.setGroupBy({}); });
    none->setCheckable(true);
    none->setChecked(m_controller.groupBy().empty());
    menu->addSeparator();
    const std::vector<std::string> usual{"seed",  "model", "sweep", "status",     "num_nodes",        "world_size",
                                         "dp",    "tp",    "pp",    "zero_stage", "micro_batch_size", "precision",
                                         "device"};
    for (const std::string& name : usual)
        if (const RunField* field = findRunField(name)) add(menu, *field);
    QMenu* others = menu->addMenu(tr("Other fields"));
    for (const RunField& field : runFields())
        if (std::find(usual.begin(), usual.end(), field.name) == usual.end() && field.name != "id") add(others, field);
}

void RunsPage::fillExports(QMenu* menu) {
    const auto add = [this](QMenu* to, const QString& title, TableFormat format, bool all) {
        to->addAction(title, this, [this, format, all] { exportTable(format, all); });
    };
    for (const bool all : {false, true}) {
        QMenu* part = menu->addMenu(all ? tr("All columns") : tr("Columns shown"));
        add(part, tr("CSV…"), TableFormat::Csv, all);
        add(part, tr("Markdown…"), TableFormat::Markdown, all);
        add(part, tr("LaTeX…"), TableFormat::Latex, all);
        add(part, tr("Parquet…"), TableFormat::Parquet, all);
    }
}

void RunsPage::exportTable(TableFormat format, bool all) {
    const QString file = askSaveFile(this, tr("Export runs"), QStringLiteral("runs.") + qs(fileEnding(format)));
    if (file.isEmpty()) return;
    const auto selected = selectedRuns();
    // One row is always selected, even without a click: exporting a single run takes two selected rows.
    m_controller.exportRuns(file, format, all ? allColumns() : m_controller.columns(),
                            selected.size() > 1 ? selected : std::vector<RunId>(),
                            [this, file](const QString& problem) {
                                emit said(problem.isEmpty() ? tr("Saved %1").arg(shown(file)) : problem);
                            });
}

void RunsPage::editTags() {
    const auto ids = selectedRuns();
    if (ids.empty()) return;
    const RunRecord* record = m_controller.model()->recordAt(m_controller.model()->rowOf(ids.front()));
    QStringList before;
    if (record && ids.size() == 1)
        for (const std::string& tag : record->tags) before << exactText(tag);
    const auto answer = askText(
        this, tr("Tags"),
        ids.size() == 1 ? tr("Tags, separated by spaces")
                        : tr("Tags to add to %n run(s); -tag removes one", nullptr, static_cast<int>(ids.size())),
        before.join(' '));
    if (!answer) return;
    const QStringList after = answer->split(' ', Qt::SkipEmptyParts);
    std::vector<std::string> add, remove;
    for (const QString& tag : after)
        if (ids.size() > 1 && tag.size() > 1 && tag.startsWith(QLatin1Char('-')))
            remove.push_back(tag.mid(1).toStdString());
        else if (!before.contains(tag))
            add.push_back(tag.toStdString());
    for (const QString& tag : before)
        if (!after.contains(tag)) remove.push_back(tag.toStdString());
    if (!add.empty() || !remove.empty()) m_controller.changeTags(ids, add, remove);
}

void RunsPage::editNotes() {
    const auto ids = selectedRuns();
    if (ids.size() > 1) {
        if (const auto line =
                askText(this, tr("Notes"),
                        tr("A line to add to the notes of %n run(s)", nullptr, static_cast<int>(ids.size())), {}, true))
            m_controller.addNotes(ids, line->trimmed().toStdString());
        return;
    }
    const RunRecord* record =
        ids.empty() ? nullptr : m_controller.model()->recordAt(m_controller.model()->rowOf(ids.front()));
    if (!record) return;
    const std::string before = record->notes;
    if (const auto answer =
            askText(this, tr("Notes"), tr("Notes of %1").arg(qs(record->name)), exactText(before), true))
        m_controller.setNotes(ids.front(), before, answer->toStdString());
}

void RunsPage::renameCurrent() {
    const auto ids = selectedRuns();
    const RunRecord* record =
        ids.empty() ? nullptr : m_controller.model()->recordAt(m_controller.model()->rowOf(ids.front()));
    if (!record) return;
    const std::string before = record->name;
    if (const auto answer = askText(this, tr("Rename"), tr("Name"), exactText(before)))
        m_controller.rename(ids.front(), before, answer->trimmed().toStdString());
}

}  // namespace slipway::gui
