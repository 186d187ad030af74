#include "app/gui/pages/sweep_form.h"

#include "app/gui/look/theme.h"
#include "app/gui/pages/page.h"
#include "app/gui/pages/where_form.h"
#include "app/gui/text/format.h"
#include "app/gui/text/text.h"
#include "app/gui/widgets/issue_list.h"
#include "app/gui/widgets/pane.h"

#include <QCheckBox>
#include <QComboBox>
#include <QCompleter>
#include <QFontDatabase>
#include <QFormLayout>
#include <QGridLayout>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QScrollArea>
#include <QSpinBox>
#include <QSplitter>
#include <QTextBlock>
#include <QVBoxLayout>

namespace slipway::gui {
namespace {

constexpr int kPauseMilliseconds = 400;

/// The words of an enum with their meaning; the data of an item is the value.
template <class E>
QComboBox* choices(const char* name, const QString& first, QWidget* parent) {
    auto* box = new QComboBox(parent);
    box->setObjectName(QString::fromLatin1(name));
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(28);
    if (!first.isEmpty()) box->addItem(first, -1);
    for (const EnumName<E>& choice : enumNames(E{}))
        box->addItem(qs(choice.word) + QStringLiteral(": ") + messageText(choice.help), static_cast<int>(choice.value));
    return box;
}

QSpinBox* number(const char* name, const QString& off, QWidget* parent) {
    auto* box = new QSpinBox(parent);
    box->setObjectName(QString::fromLatin1(name));
    box->setRange(0, 100000000);
    box->setSpecialValueText(off);
    box->setGroupSeparatorShown(true);
    box->setKeyboardTracking(false);
    return box;
}

}  // namespace

SweepForm::SweepForm(Context& context, QWidget* parent) : QWidget(parent), m_context(context) {
    m_split = gui::splitter(Qt::Horizontal, {makeForm(), makeText()}, {46, 54});
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_split);
    m_pause.setSingleShot(true);
    m_pause.setInterval(kPauseMilliseconds);
    connect(&m_pause, &QTimer::timeout, this, &SweepForm::check);
    connect(m_text, &QPlainTextEdit::textChanged, this, &SweepForm::textChanged);
}

QWidget* SweepForm::makeForm() {
    auto* area = new QScrollArea(this);
    area->setFrameShape(QFrame::NoFrame);
    area->setWidgetResizable(true);
    auto* body = new QWidget(area);
    auto* column = new QVBoxLayout(body);
    column->setContentsMargins(px(16), px(12), px(16), px(12));
    column->setSpacing(px(10));
    const auto heading = [&](const QString& text) {
        auto* label = new QLabel(text, body);
        label->setFont(fontOf(1.0, true));
        column->addWidget(label);
    };
    auto* names = new QFormLayout;
    m_name = new QLineEdit(body);
    m_name->setObjectName(QStringLiteral("sweepName"));
    m_question = new QLineEdit(body);
    m_question->setObjectName(QStringLiteral("sweepQuestion"));
    names->addRow(tr("Name"), m_name);
    names->addRow(tr("Question"), m_question);
    column->addLayout(names);
    heading(tr("Axes"));
    auto* hint = quietLabel(
        wordJoined(tr(
            "Values as a list (1, 2, 4) or a range (1..8, 1..9 +2, 1..64 x2). The trials are the product of all axes.")),
        body, kSideSize);
    hint->setWordWrap(true);
    column->addWidget(hint);
    m_axes = new QGridLayout;
    m_axes->setHorizontalSpacing(px(8));
    column->addLayout(m_axes);
    auto* add = new QPushButton(tr("Add an axis"), body);
    add->setObjectName(QStringLiteral("addAxis"));
    connect(add, &QPushButton::clicked, this, [this] {
        m_form.axes.push_back({"parallel.tp", QStringLiteral("1, 2")});
        showAxes();
        takeForm();
        m_rows.back().field->setFocus();
    });
    column->addWidget(add, 0, Qt::AlignLeft);
    heading(tr("Search"));
    auto* search = new QFormLayout;
    m_method = choices<SearchMethod>("searchMethod", tr("every point, in order"), body);
    m_objective = choices<SweepObjective>("searchObjective", {}, body);
    m_searchTrials = number("searchTrials", tr("all that can run"), body);
    search->addRow(tr("Method"), m_method);
    search->addRow(tr("Objective"), m_objective);
    search->addRow(tr("Maximum points"), m_searchTrials);
    column->addLayout(search);
    heading(tr("Stop rules"));
    auto* rules = new QFormLayout;
    m_steps = number("stopSteps", tr("as the config has them"), body);
    m_trialSeconds = number("stopTrialSeconds", tr("none"), body);
    m_seconds = number("stopSeconds", tr("none"), body);
    m_failures = number("stopFailures", tr("never"), body);
    m_medianAfter = number("stopMedian", tr("never"), body);
    m_medianAfter->setToolTip(wordJoined(tr(
        "At every multiple of these steps, a trial worse than the median of the others at the same step is stopped.")));
    m_diverged = new QCheckBox(tr("Stop a trial whose loss is not finite"), body);
    m_diverged->setObjectName(QStringLiteral("stopDiverged"));
    rules->addRow(tr("Steps per trial"), m_steps);
    rules->addRow(tr("Time limit per trial, s"), m_trialSeconds);
    rules->addRow(tr("Budget of the sweep, s"), m_seconds);
    rules->addRow(tr("End after failures"), m_failures);
    rules->addRow(tr("Compare with the median every, steps"), m_medianAfter);
    rules->addRow(QString(), m_diverged);
    column->addLayout(rules);
    heading(tr("Where"));
    m_place = new QVBoxLayout;
    column->addLayout(m_place);
    auto* share = new QFormLayout;
    m_jobs = new QSpinBox(body);
    m_jobs->setObjectName(QStringLiteral("sweepJobs"));
    m_jobs->setRange(1, 1024);
    m_jobs->setToolTip(tr("Trials that run at the same time share the machine: compare speeds with one at a time."));
    m_jobsName = new QLabel(body);
    m_jobsName->setBuddy(m_jobs);
    share->addRow(m_jobsName, m_jobs);
    column->addLayout(share);
    column->addStretch(1);
    for (QLineEdit* edit : {m_name, m_question}) connect(edit, &QLineEdit::textEdited, this, &SweepForm::takeForm);
    for (QComboBox* box : {m_method, m_objective}) connect(box, &QComboBox::activated, this, &SweepForm::takeForm);
    for (QSpinBox* box : {m_steps, m_trialSeconds, m_seconds, m_failures, m_searchTrials, m_medianAfter})
        connect(box, &QSpinBox::valueChanged, this, &SweepForm::takeForm);
    connect(m_diverged, &QCheckBox::toggled, this, &SweepForm::takeForm);
    connect(m_jobs, &QSpinBox::valueChanged, this, &SweepForm::showCheck);
    area->setWidget(body);
    return area;
}

QWidget* SweepForm::makeText() {
    auto* holder = new QWidget(this);
    m_text = new QPlainTextEdit(holder);
    m_text->setObjectName(QStringLiteral("sweepText"));
    m_text->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    m_text->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_text->setTabChangesFocus(true);
    m_text->setFrameShape(QFrame::NoFrame);
    auto* textPane = new Pane(tr("The file"), m_text, holder);
    textPane->setSideText(tr("changes with the form, and the form with it"));
    m_verdict = new QLabel(holder);
    m_verdict->setObjectName(QStringLiteral("draftVerdict"));
    m_verdict->setFont(fontOf(1.0, true));
    m_verdict->setWordWrap(true);
    m_verdict->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_problems = new IssueList(holder);
    m_problems->setObjectName(QStringLiteral("draftProblems"));
    m_problems->setAccessibleName(tr("Problems of the file"));
    m_problems->hide();  // until there are some
    m_skipped = new CountBars(holder);
    m_skipped->setObjectName(QStringLiteral("draftSkipped"));
    m_skipped->setAccessibleName(tr("Points that cannot run"));
    auto* skipped = new QScrollArea(holder);
    skipped->setFrameShape(QFrame::NoFrame);
    skipped->setWidgetResizable(true);
    skipped->setFocusPolicy(Qt::NoFocus);
    skipped->setWidget(m_skipped);
    auto* count = new QWidget(holder);
    auto* lines = new QVBoxLayout(count);
    lines->setContentsMargins(0, 0, 0, 0);
    lines->addWidget(m_verdict);
    lines->addWidget(m_problems, 1);
    lines->addWidget(skipped, 1);
    auto* countPane = new Pane(tr("Before it starts"), count, holder);
    auto* rows = gui::splitter(Qt::Vertical, {textPane, countPane}, {70, 30});
    rows->setSizes({px(480), px(220)});
    auto* column = new QVBoxLayout(holder);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(rows);
    return holder;
}

void SweepForm::setText(const std::string& text) {
    delete m_where;
    m_where = new WhereForm(m_context, {}, {}, m_jobs->parentWidget());
    m_place->addWidget(m_where);
    connect(m_where, &WhereForm::changed, this, &SweepForm::showCheck);
    m_text->setPlainText(exactText(text));
}

std::string SweepForm::text() const {
    return m_text->toPlainText().toStdString();
}

int SweepForm::jobs() const {
    return m_jobs->value();
}

std::vector<std::string> SweepForm::nodes() const {
    return m_where ? m_where->nodes() : std::vector<std::string>{};
}

void SweepForm::textChanged() {
    m_canStart = false;
    emit checked();
    m_pause.start();
    if (m_filling) return;
    if (auto form = formOf(text())) {
        m_form = std::move(*form);
        showForm();
    }
}

// Shows the text in the form, unless someone is typing into the form.
void SweepForm::showForm() {
    m_filling = true;
    const auto show = [](QLineEdit* edit, const QString& now) {
        if (edit->text() != now) edit->setText(now);
    };
    show(m_name, m_form.name);
    show(m_question, m_form.question);
    const SearchRules search = m_form.search.value_or(SearchRules{});
    m_method->setCurrentIndex(m_method->findData(m_form.search ? static_cast<int>(search.method) : -1));
    m_objective->setCurrentIndex(m_objective->findData(static_cast<int>(search.objective)));
    m_searchTrials->setValue(static_cast<int>(search.trials));
    for (QWidget* part : std::initializer_list<QWidget*>{m_objective, m_searchTrials})
        part->setEnabled(m_form.search.has_value());
    m_medianAfter->setValue(static_cast<int>(m_form.stop.medianAfterSteps));
    m_steps->setValue(static_cast<int>(m_form.stop.steps));
    m_trialSeconds->setValue(static_cast<int>(m_form.stop.secondsPerTrial));
    m_seconds->setValue(static_cast<int>(m_form.stop.seconds));
    m_failures->setValue(static_cast<int>(m_form.stop.failures));
    m_diverged->setChecked(m_form.stop.diverged);
    showAxes();
    m_filling = false;
}

void SweepForm::showAxes() {
    const bool wasFilling = std::exchange(m_filling, true);
    while (m_rows.size() > m_form.axes.size()) {
        const AxisRow row = m_rows.back();
        for (QWidget* widget : std::initializer_list<QWidget*>{row.field, row.values, row.remove})
            widget->deleteLater();
        m_rows.pop_back();
    }
    while (m_rows.size() < m_form.axes.size()) {
        const auto i = m_rows.size();
        auto* holder = m_name->parentWidget();
        AxisRow row{new QComboBox(holder), new QLineEdit(holder), new QPushButton(tr("Remove"), holder)};
        for (const FieldInfo& info : runConfigFields()) {
            row.field->addItem(qs(info.path), qs(info.path));
            row.field->setItemData(row.field->count() - 1, fieldLabel(info.path), Qt::ToolTipRole);
        }
        row.field->addItem(tr("see the file"), QString());
        row.field->setEditable(true);
        row.field->setInsertPolicy(QComboBox::NoInsert);
        row.field->completer()->setFilterMode(Qt::MatchContains);
        row.field->completer()->setCompletionMode(QCompleter::PopupCompletion);
        row.field->setAccessibleName(tr("Field of axis %1").arg(i + 1));
        row.field->setObjectName(QStringLiteral("axisField%1").arg(i));
        row.values->setAccessibleName(tr("Values of axis %1").arg(i + 1));
        row.values->setObjectName(QStringLiteral("axisValues%1").arg(i));
        row.remove->setObjectName(QStringLiteral("axisRemove%1").arg(i));
        m_axes->addWidget(row.field, static_cast<int>(i), 0);
        m_axes->addWidget(row.values, static_cast<int>(i), 1);
        m_axes->addWidget(row.remove, static_cast<int>(i), 2);
        m_axes->setColumnStretch(1, 1);
        connect(row.field, &QComboBox::activated, this, &SweepForm::takeForm);
        connect(row.values, &QLineEdit::editingFinished, this, &SweepForm::takeForm);
        connect(row.remove, &QPushButton::clicked, this, [this, i] {
            m_form.axes.erase(m_form.axes.begin() + static_cast<std::ptrdiff_t>(i));
            showAxes();
            takeForm();
        });
        m_rows.push_back(row);
    }
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        const DraftAxis& axis = m_form.axes[i];
        const bool plain = !axis.field.empty();
        m_rows[i].field->setCurrentIndex(m_rows[i].field->findData(qs(axis.field)));
        if (m_rows[i].field->currentIndex() < 0) m_rows[i].field->setEditText(qs(axis.field));  // unknown field
        if (m_rows[i].values->text() != axis.values) m_rows[i].values->setText(axis.values);
        m_rows[i].field->setEnabled(plain);
        m_rows[i].values->setReadOnly(!plain);
    }
    m_filling = wasFilling;
}

void SweepForm::takeForm() {
    if (m_filling) return;
    m_form.name = m_name->text();
    m_form.question = m_question->text();
    for (std::size_t i = 0; i < m_rows.size() && i < m_form.axes.size(); ++i) {
        DraftAxis& axis = m_form.axes[i];
        if (axis.field.empty()) continue;
        const std::string field = m_rows[i].field->currentData().toString().toStdString();
        if (!field.empty()) axis.field = field;
        axis.values = m_rows[i].values->text();
    }
    if (const int method = m_method->currentData().toInt(); method < 0) {
        m_form.search.reset();
    } else {
        if (!m_form.search) m_form.search.emplace();
        m_form.search->method = static_cast<SearchMethod>(method);
        m_form.search->objective = static_cast<SweepObjective>(m_objective->currentData().toInt());
        m_form.search->trials = m_searchTrials->value();
    }
    m_form.stop.medianAfterSteps = m_medianAfter->value();
    m_form.stop.steps = m_steps->value();
    m_form.stop.secondsPerTrial = m_trialSeconds->value();
    m_form.stop.seconds = m_seconds->value();
    m_form.stop.failures = m_failures->value();
    m_form.stop.diverged = m_diverged->isChecked();
    const auto changed = withForm(text(), m_form);
    if (!changed || *changed == text()) return;
    m_filling = true;
    // Through a cursor, so that the text's own undo can restore the previous text.
    QTextCursor cursor(m_text->document());
    cursor.select(QTextCursor::Document);
    cursor.insertText(exactText(*changed));
    m_filling = false;
    if (auto form = formOf(*changed)) {
        m_form = std::move(*form);
        showForm();
    }
}

void SweepForm::check() {
    m_checking = true;
    m_job.start([text = text(), home = m_context.engine.home()](
                    const std::stop_token& token) { return checkDraft(text, home, token); },
                [this](DraftCheck answer) {
                    m_check = std::move(answer);
                    m_checking = false;
                    showCheck();
                });
}

QString SweepForm::verdict() const {
    const DraftCheck& c = m_check;
    if (!c.problems.empty())
        return tr("%n problem(s); nothing can start.", nullptr, static_cast<int>(c.problems.size()));
    if (m_where && !m_where->isChecked()) return tr("Checking the nodes…");
    const QString points = countText(c.numPoints);
    if (!c.isPlanned) return tr("%1 points: too many to plan while typing, counted only.").arg(points);
    const int skipped = static_cast<int>(c.numPoints) - c.numRun;
    QString text = skipped == 0
                       ? tr("%1 points, all of them can run").arg(points)
                       : tr("%1 points: %2 can run, %3 cannot").arg(points, countText(c.numRun), countText(skipped));
    const double atOnce = static_cast<double>(m_jobs->value()) * std::max(1.0, static_cast<double>(nodes().size()));
    if (c.seconds) text += QStringLiteral("; ") + tr("about %1 by forecast").arg(secondsText(*c.seconds / atOnce));
    if (c.isBudgetShorter && c.numRun > 0)
        text += QStringLiteral("; ") + tr("the budget of %1 may end it earlier").arg(secondsText(m_form.stop.seconds));
    return text + '.';
}

void SweepForm::showCheck() {
    const Issues places = m_where ? m_where->issues() : Issues{};
    m_canStart = m_check.problems.empty() && (!m_check.isPlanned || m_check.numRun > 0) && !hasErrors(places) &&
                 (!m_where || m_where->isChecked());
    m_jobsName->setText(nodes().empty() ? tr("Trials at a time") : tr("Trials at a time, on each node"));
    m_verdict->setText(wordJoined(verdict()));
    std::vector<IssueRow> rows;
    QList<QTextEdit::ExtraSelection> marks;
    for (const DraftProblem& problem : m_check.problems) {
        rows.push_back({Icon::Error, theme().bad, tr("line %1").arg(problem.line), problem.text, problem.text,
                        tr("Go to"), [this, line = problem.line] { goToLine(line); }});
        QTextEdit::ExtraSelection mark;
        mark.cursor = QTextCursor(m_text->document()->findBlockByNumber(problem.line - 1));
        mark.format.setBackground(theme().badBackground);
        mark.format.setProperty(QTextFormat::FullWidthSelection, true);
        marks << mark;
    }
    for (const Issue& issue : places) {
        const bool isError = issue.severity == Severity::Error;
        rows.push_back({isError ? Icon::Error : Icon::Warning,
                        isError ? theme().bad : theme().warn,
                        {},
                        issueText(issue),
                        shownLines(issue.message),
                        {}});
    }
    m_text->setExtraSelections(marks);
    m_problems->setRows(rows);
    m_problems->setVisible(!rows.empty());
    m_skipped->setShares(m_check.skipped);
    m_skipped->parentWidget()->parentWidget()->setVisible(!m_check.skipped.empty());
    emit checked();
}

void SweepForm::goToLine(int line) {
    m_text->setTextCursor(QTextCursor(m_text->document()->findBlockByNumber(line - 1)));
    m_text->setFocus();
}

}  // namespace slipway::gui
