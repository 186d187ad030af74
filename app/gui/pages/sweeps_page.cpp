#include "app/gui/pages/sweeps_page.h"

#include "app/gui/engine/store_access.h"
#include "app/gui/look/theme.h"
#include "app/gui/pages/dialogs.h"
#include "app/gui/pages/report_dialog.h"
#include "app/gui/pages/sweep_form.h"
#include "app/gui/pages/sweep_list.h"
#include "app/gui/pages/sweep_view.h"
#include "app/gui/text/format.h"
#include "app/gui/text/text.h"
#include "core/base/file.h"
#include "core/report/build_report.h"

#include <QKeyEvent>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>
#include <utility>

namespace slipway::gui {

SweepsPage::SweepsPage(Context& context, SweepsController& controller, QWidget* parent)
    : Page(context, parent), m_controller(controller) {
    const auto button = [this](const QString& text, const char* name, void (SweepsPage::*run)()) {
        auto* out = header()->addButton(text);
        out->setObjectName(QString::fromLatin1(name));
        connect(out, &QPushButton::clicked, this, run);
        return out;
    };
    m_back = header()->addButton(tr("All sweeps"));
    m_back->setObjectName(QStringLiteral("allSweeps"));
    connect(m_back, &QPushButton::clicked, this, &SweepsPage::leave);
    m_clone = header()->addButton(tr("Clone…"));
    m_clone->setObjectName(QStringLiteral("cloneSweep"));
    connect(m_clone, &QPushButton::clicked, this, [this] { edit(draftOf(m_controller.data().plan->document)); });
    m_report = button(tr("Report…"), "sweepReport", &SweepsPage::openReport);
    m_retry = header()->addButton(tr("Retry failed"));
    m_retry->setObjectName(QStringLiteral("retrySweep"));
    connect(m_retry, &QPushButton::clicked, &m_controller, &SweepsController::retryFailed);
    m_pause = header()->addButton(tr("Pause"));
    m_pause->setObjectName(QStringLiteral("pauseSweep"));
    connect(m_pause, &QPushButton::clicked, this,
            [this] { m_controller.canPause() ? m_controller.pause(false) : m_controller.resume(); });
    m_stop = button(tr("Stop…"), "stopSweep", &SweepsPage::stop);
    m_file = button(tr("Open file…"), "openSweepFile", &SweepsPage::openFile);
    m_new = header()->addButton(tr("New sweep"), true);
    m_new->setObjectName(QStringLiteral("newSweep"));
    connect(m_new, &QPushButton::clicked, this, [this] { edit(); });
    m_start = header()->addButton(tr("Start"), true);
    m_start->setObjectName(QStringLiteral("startSweep"));
    connect(m_start, &QPushButton::clicked, this, &SweepsPage::start);

    m_state = new StatePanel(this);
    m_list = new SweepList(this);
    m_view = new SweepView(m_controller, this);
    const char* names[] = {"top", "all", "side", "foot"};
    int i = 0;
    for (QSplitter* part : m_view->splitters())
        rememberSizes(part, QStringLiteral("sweeps/") + QLatin1String(names[i++]));
    m_stack = new QStackedWidget(this);
    m_stack->addWidget(m_state);
    m_stack->addWidget(m_list);
    m_stack->addWidget(m_view);
    m_form = new SweepForm(context, this);
    rememberSizes(m_form->splitter(), QStringLiteral("sweeps/form"));
    connect(m_form, &SweepForm::checked, this, &SweepsPage::showHeader);
    m_stack->addWidget(m_form);
    setContent(m_stack);

    connect(m_list, &SweepList::wanted, &m_controller, &SweepsController::open);
    connect(m_view, &SweepView::runWanted, this, &Page::wantsRun);
    connect(m_view, &SweepView::planWanted, this, &Page::wantsPlanOf);
    connect(m_view, &SweepView::retryRunWanted, this, [this](const RunId& id) { this->context().engine.resume(id); });
    connect(m_view, &SweepView::said, this, &Page::said);
    connect(&m_controller, &SweepsController::listChanged, this, &SweepsPage::showAll);
    connect(&m_controller, &SweepsController::dataChanged, this, &SweepsPage::showAll);
    connect(&m_controller, &SweepsController::opened, this, [this] {
        if (isOpen()) m_editing = false;
        showAll();
        if (isOpen()) return;
        m_list->table()->setFocus();
    });
    connect(&m_controller, &SweepsController::said, this, &Page::said);
    m_controller.relabel();
    showAll();
}

void SweepsPage::showAll() {
    showHeader();
    showContent();
}

void SweepsPage::showHeader() {
    const SweepData& sweep = m_controller.data();
    const bool shown = isOpen() && sweep.plan != nullptr && !m_editing;
    m_back->setVisible(isOpen() || m_editing);
    for (QPushButton* button : {m_report, m_pause, m_stop, m_retry, m_clone}) button->setVisible(shown);
    m_new->setVisible(!isOpen() && !m_editing);
    m_start->setVisible(m_editing);
    m_start->setEnabled(m_form->canStart());
    m_start->setToolTip(m_form->verdict());
    m_file->setVisible(!isOpen() || m_editing);
    if (m_editing) {
        header()->setStatus({}, {}, {});
        header()->setTitle(tr("New sweep"));
        header()->setSideText(tr("Nothing runs before Start."));
        return;
    }
    if (!shown) {
        header()->setStatus({}, {}, {});
        header()->setTitle(tr("Sweeps"));
        int running = 0;
        for (const SweepRow& row : m_controller.rows()) running += row.stage == SweepStage::Running;
        header()->setSideText(m_controller.rows().empty() ? QString()
                              : running > 0
                                  ? tr("%Ln sweep(s)", nullptr, static_cast<int>(m_controller.rows().size())) +
                                        QStringLiteral(", ") + tr("%n running", nullptr, running)
                                  : tr("%Ln sweep(s)", nullptr, static_cast<int>(m_controller.rows().size())));
        return;
    }
    header()->setTitle(sweep.name);
    header()->setStatus(stageIcon(sweep.stage), stageText(sweep.stage), stageColour(sweep.stage));
    const SweepCounts& c = sweep.counts;
    QString side = tr("trial %1 of %2").arg(c.completed + c.failed + c.running).arg(c.total - c.skipped);
    if (c.running > 0) side += QStringLiteral(", ") + tr("%n at a time", nullptr, c.running);
    if (sweep.secondsLeft && sweep.stage == SweepStage::Running)
        side += QStringLiteral(", ") + tr("about %1 left").arg(secondsText(*sweep.secondsLeft));
    if (!sweep.host.isEmpty()) side += QStringLiteral(", ") + tr("on %1").arg(sweep.host);
    header()->setSideText(side);
    m_pause->setText(m_controller.canPause() ? tr("Pause") : tr("Resume"));
    m_pause->setEnabled(m_controller.canPause() || m_controller.canResume());
    m_pause->setToolTip(m_controller.canPause() ? tr("Running trials finish; no trial is started.")
                                                : tr("Runs the trials that are missing."));
    m_stop->setEnabled(sweep.stage == SweepStage::Running || sweep.stage == SweepStage::Pausing);
    m_retry->setVisible(c.failed > 0 || m_controller.canRetry());
    m_retry->setEnabled(m_controller.canRetry());
    m_retry->setToolTip(m_controller.canRetry()
                            ? tr("Runs failed and lost trials again, each from its newest checkpoint.")
                            : tr("Trials out of memory would run out of it again."));
}

void SweepsPage::showContent() {
    if (m_editing) return m_stack->setCurrentWidget(m_form);
    const SweepData& sweep = m_controller.data();
    if (isOpen()) {
        if (sweep.error) {
            m_state->show(tr("This sweep cannot be shown."), errorText(*sweep.error),
                          {{tr("All sweeps"), [this] { m_controller.open({}); }},
                           {tr("Try again"), [this] { m_controller.reload(); }}});
            return m_stack->setCurrentWidget(m_state);
        }
        if (!sweep.plan) {
            m_state->show(tr("Reading the sweep…"), {}, {});
            return m_stack->setCurrentWidget(m_state);
        }
        m_view->showData();
        return m_stack->setCurrentWidget(m_view);
    }
    const auto& engineError = context().engine.storeError();
    const auto problem = m_controller.listError() ? m_controller.listError() : engineError;
    if (problem && problem->code != "store_missing") {
        m_state->show(tr("The list of sweeps cannot be read."), errorText(*problem),
                      {{tr("Rebuild from run folders"), [this] { context().engine.rebuildIndex(); }},
                       {tr("Try again"), [this] { m_controller.reload(); }}});
        return m_stack->setCurrentWidget(m_state);
    }
    if (m_controller.rows().empty()) {
        m_state->show(
            tr("No sweeps yet"),
            tr("A sweep tries layouts or settings and keeps what did not fit. It runs as a separate program and continues after the window is closed."),
            {{tr("New sweep"), [this] { edit(); }, true}, {tr("Open file…"), [this] { openFile(); }}});
        return m_stack->setCurrentWidget(m_state);
    }
    m_list->setRows(m_controller.rows());
    m_stack->setCurrentWidget(m_list);
}

bool SweepsPage::can(PageAction action) const {
    switch (action) {
        case PageAction::Refresh: return true;
        case PageAction::Export: return isOpen() && !m_editing && m_controller.data().plan != nullptr;
        case PageAction::Primary: return m_editing ? m_form->canStart() : !isOpen() || m_pause->isEnabled();
        default: return false;
    }
}

void SweepsPage::primaryAction() {
    if (m_editing)
        start();
    else if (!isOpen())
        edit();
    else if (m_pause->isEnabled())
        m_pause->click();
}

void SweepsPage::openFile() {
    const QString file = askOpenFile(this, tr("Open a sweep file"), tr("Sweeps (*.json)"));
    if (file.isEmpty()) return;
    loadText(this, file, [this](const QString& text, const QString& problem) {
        if (problem.isEmpty())
            edit(text.toStdString());
        else
            emit said(problem);
    });
}

void SweepsPage::edit(const std::string& text) {
    m_form->setText(text.empty() ? newDraft(m_controller.base()) : text);
    m_editing = true;
    showAll();
    m_form->setFocus();
}

void SweepsPage::start() {
    if (!m_form->canStart()) return;
    const auto form = formOf(m_form->text());
    m_controller.startText(m_form->text(), form ? form->name : QString(), m_form->jobs(), m_form->nodes());
    m_editing = false;
    m_controller.open({});
}

// From the form back to where it was opened, from a sweep back to the list.
void SweepsPage::leave() {
    const bool wasEditing = std::exchange(m_editing, false);
    if (wasEditing && isOpen()) return showAll();
    m_controller.open({});
}

void SweepsPage::stop() {
    const int running = m_controller.data().counts.running;
    if (askConfirm(
            this, tr("Stop the sweep"),
            tr("%n running trial(s) end after their current step. Finished work stays, and Resume continues from there.",
               nullptr, running),
            tr("Stop")))
        m_controller.pause(true);
}

void SweepsPage::openReport() {
    ReportMaker maker = reportOf(context().engine.home(), {m_controller.current(), {}});
    maker.name = fileName(m_controller.data().name.toStdString());
    maker.title = m_controller.data().name;
    gui::openReport(context(), std::move(maker), this);
}

void SweepsPage::exportData() {
    if (!can(PageAction::Export)) return;
    const QString file = askSaveFile(this, tr("Save the trials (.tsv) or the heat map (.png)"),
                                     fileName(m_controller.data().name.toStdString()) + QStringLiteral(".tsv"));
    if (file.isEmpty()) return;
    const auto tell = [this, file](const QString& problem) {
        emit said(problem.isEmpty() ? tr("Saved %1").arg(shown(file)) : problem);
    };
    if (!file.endsWith(QLatin1String(".png"), Qt::CaseInsensitive))
        return saveText(this, file, m_view->dataTable().tabSeparated(), tell);
    runOnce(
        this, [file, picture = m_view->map()->grab().toImage()](std::stop_token) { return picture.save(file); },
        [this, tell](bool saved) { tell(saved ? QString() : tr("The picture could not be written.")); });
}

void SweepsPage::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape && (isOpen() || m_editing)) return leave();
    Page::keyPressEvent(event);
}

}  // namespace slipway::gui
