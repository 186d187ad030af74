#include "app/gui/pages/playbook_experiment.h"

#include "app/gui/look/theme.h"
#include "app/gui/pages/dialogs.h"
#include "app/gui/pages/plan_controller.h"
#include "app/gui/pages/playbook_parts.h"
#include "app/gui/pages/playbook_shelf.h"
#include "app/gui/text/format.h"
#include "app/gui/text/text.h"
#include "app/gui/widgets/number_line.h"
#include "app/gui/widgets/pane.h"
#include "app/gui/widgets/reading_text.h"
#include "core/base/units.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QLocale>
#include <QVBoxLayout>
#include <cmath>

namespace slipway::gui {
namespace {

constexpr std::int64_t kMostRepeats = 40;  // more take hours; a quieter computer decides sooner

bool runsHere(const PlaybookController& controller, const Experiment& experiment) {
    return runsOn(experiment, controller.plan().thisMachine());
}

/// Whether --short changes nothing: the file has no short form, and the experiment is no bench, which has its own.
bool hasOneForm(const Experiment& experiment) {
    return experiment.shortSweepJson.empty() && !experiment.sweepJson.empty();
}

QString costText(const Result<ExperimentCost>& cost) {
    if (!cost) return errorText(cost.error());
    QString text = PlaybookExperiment::tr("%1 points, %2 runs, %3, %4 on disk.")
                       .arg(cost->points)
                       .arg(cost->runs)
                       .arg(cost->seconds ? PlaybookExperiment::tr("about %1").arg(secondsText(cost->seconds))
                                          : PlaybookExperiment::tr("time unknown"),
                            bytesText(cost->diskBytes));
    for (const auto& skipped : cost->skipped)
        text += QLatin1Char('\n') + PlaybookExperiment::tr("Left out: %1: %2").arg(qs(skipped.run), qs(skipped.reason));
    return text;
}

}  // namespace

void addGuessLine(QVBoxLayout* column, PlaybookController& controller, const std::string& subject,
                  const GuessQuestion& question) {
    auto* row = new QHBoxLayout;
    row->setSpacing(px(8));
    auto* edit = new QLineEdit(column->parentWidget());
    edit->setObjectName(QStringLiteral("guess.") + qs(subject));
    edit->setAccessibleName(PlaybookExperiment::tr("Your guess: %1").arg(says(question.asked)));
    edit->setAlignment(Qt::AlignRight);
    edit->setFixedWidth(px(96));
    row->addWidget(edit);
    row->addWidget(quietLabel(wordJoined(says(question.unit)), column->parentWidget()));
    if (const Guess* guess = controller.guessFor(subject)) {
        edit->setText(figureText(guess->value));
        edit->setReadOnly(true);
        edit->setFocusPolicy(Qt::ClickFocus);
        row->addStretch(1);
        row->addWidget(quietLabel(PlaybookExperiment::tr("the first guess is the one that counts"),
                                  column->parentWidget(), kSideSize));
        column->addLayout(row);
        return;
    }
    auto* button = new QPushButton(PlaybookExperiment::tr("Guess"), column->parentWidget());
    button->setObjectName(QStringLiteral("makeGuess.") + qs(subject));
    button->setEnabled(false);
    row->addWidget(button);
    row->addStretch(1);
    column->addLayout(row);
    addText(
        column,
        PlaybookExperiment::tr(
            "Type a number before anything is shown; the rest of the page follows. It is kept and never overwritten."),
        true);
    const auto typed = [edit]() -> std::optional<double> {
        bool isNumber = false;
        double value = edit->locale().toDouble(edit->text().trimmed(), &isNumber);
        if (!isNumber) value = QLocale::c().toDouble(edit->text().trimmed(), &isNumber);
        return isNumber && std::isfinite(value) ? std::optional(value) : std::nullopt;
    };
    const auto make = [&controller, subject, typed] {
        if (const auto value = typed()) controller.guess(subject, *value);
    };
    QObject::connect(edit, &QLineEdit::textChanged, button,
                     [button, typed] { button->setEnabled(typed().has_value()); });
    QObject::connect(edit, &QLineEdit::returnPressed, button, make);
    QObject::connect(button, &QPushButton::clicked, button, make);
}

PlaybookExperiment::PlaybookExperiment(PlaybookController& controller, const Experiment& experiment, QWidget* parent)
    : QWidget(parent), m_controller(controller), m_experiment(experiment) {
    setObjectName(QStringLiteral("experiment.") + qs(experiment.id));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, px(8));
    column->setSpacing(px(6));
    const ExperimentStanding standing = controller.standing(experiment);
    auto* head = new QHBoxLayout;
    head->setSpacing(px(8));
    auto* sign = new QLabel(this);
    sign->setPixmap(iconPixmap(iconOf(standing.verdict), inkOf(standing.verdict), 12));
    auto* title = new QLabel(QStringLiteral("%1  %2").arg(qs(experiment.id), says(experiment.title)), this);
    title->setFont(fontOf(1.0, true));
    head->addWidget(sign);
    head->addWidget(title);
    head->addWidget(quietLabel(needText(experiment.need), this, kSideSize), 1);
    head->addWidget(quietLabel(wordsOf(standing.verdict), this, kSideSize));
    column->addLayout(head);
    addText(column, says(experiment.question));
    addText(column, says(experiment.guess.asked), true);
    addGuessLine(column, controller, experiment.id, experiment.guess);
    if (standing.guess == nullptr) return;
    addText(column, says(experiment.hypothesis));
    for (const auto& [name, text] : {std::pair{tr("Axes"), &experiment.axes}, {tr("Fixed"), &experiment.fixed}})
        if (!text->empty()) addText(column, QStringLiteral("%1: %2").arg(name, says(*text)), true);
    addRunning(column);
    addFound(column, standing);
    addTheirs(column);
    addNote(column);
}

void PlaybookExperiment::addNote(QVBoxLayout* column) {
    auto* note = new QLineEdit(qs(m_controller.remarkOn(m_experiment.id)), this);
    note->setObjectName(QStringLiteral("note"));
    note->setAccessibleName(tr("Note on %1").arg(qs(m_experiment.id)));
    note->setPlaceholderText(tr("A note of your own"));
    column->addWidget(note);
    connect(note, &QLineEdit::editingFinished, this,
            [this, note] { m_controller.remark(m_experiment.id, note->text().trimmed().toStdString()); });
}

// Export for other hardware: the sweep file, or the job of other programs.
void PlaybookExperiment::addExport(QVBoxLayout* column) {
    addMarked(column, Icon::Info, theme().text2, tr("It needs other hardware: %1.").arg(says(m_experiment.hardware)));
    const bool isScript = m_experiment.sweepJson.empty();
    if (isScript && m_experiment.script.empty()) return;
    auto* button = new QPushButton(isScript ? tr("Export the job…") : tr("Export the sweep…"), this);
    button->setObjectName(QStringLiteral("export"));
    if (!isScript)
        button->setToolTip(
            tr("`slipway playbook export %1 --write slurm -o FOLDER` writes Slurm arrays, torchrun scripts likewise.")
                .arg(qs(m_experiment.id)));
    column->addWidget(button, 0, Qt::AlignLeft);
    connect(button, &QPushButton::clicked, this, [this, isScript] {
        const QString name = qs(m_experiment.id).toLower() + (isScript ? QLatin1String(".sh") : QLatin1String(".json"));
        const QString file = askSaveFile(this, tr("Save %1 for another machine").arg(qs(m_experiment.id)), name);
        if (file.isEmpty()) return;
        const auto text = exportOf(m_experiment, false, isScript);
        if (!text) return emit m_controller.said(errorText(text.error()));
        saveText(this, file, exactText(*text), [this, file](const QString& problem) {
            emit m_controller.said(problem.isEmpty() ? tr("Saved %1").arg(shown(file)) : problem);
        });
    });
}

void PlaybookExperiment::addRunning(QVBoxLayout* column) {
    if (!m_experiment.waitsFor.empty())
        return addMarked(column, Icon::Info, theme().text2, tr("It waits for: %1.").arg(says(m_experiment.waitsFor)));
    if (m_experiment.need == ExperimentNeed::Plan) return;
    if (!runsHere(m_controller, m_experiment)) return addExport(column);
    m_cost = addText(column, tr("Computing the cost of a run…"), true);
    m_cost->setObjectName(QStringLiteral("cost"));
    auto* row = new QHBoxLayout;
    row->setSpacing(px(8));
    const bool isOne = hasOneForm(m_experiment);
    if (!isOne) {
        m_short = new QPushButton(tr("Run the short form"), this);
        m_short->setObjectName(QStringLiteral("runShort"));
        row->addWidget(m_short);
        connect(m_short, &QPushButton::clicked, this, [this] { m_controller.run(m_experiment, true); });
    }
    m_full = new QPushButton(isOne ? tr("Run the experiment") : tr("Run the full form"), this);
    m_full->setObjectName(QStringLiteral("runFull"));
    m_progress = quietLabel({}, this);
    m_progress->setObjectName(QStringLiteral("progress"));
    row->addWidget(m_full);
    row->addWidget(m_progress, 1);
    column->addLayout(row);
    connect(m_full, &QPushButton::clicked, this, [this] { m_controller.run(m_experiment, false); });
    connect(&m_controller, &PlaybookController::runChanged, this, &PlaybookExperiment::showRunning);
    showRunning();
    if (isOne)
        return m_controller.findCost(this, m_experiment, false, [this](const Result<ExperimentCost>& cost) {
            m_cost->setText(wordJoined(costText(cost)));
            m_cost->updateGeometry();
        });
    m_controller.findCost(this, m_experiment, true, [this](const Result<ExperimentCost>& shortCost) {
        m_cost->setText(wordJoined(tr("Short form: %1").arg(costText(shortCost))));
        m_controller.findCost(this, m_experiment, false, [this, shortCost](const Result<ExperimentCost>& cost) {
            m_cost->setText(wordJoined(tr("Short form: %1").arg(costText(shortCost)) + QLatin1Char('\n') +
                                       tr("Full form: %1").arg(costText(cost))));
            m_cost->updateGeometry();
        });
    });
}

void PlaybookExperiment::showRunning() {
    const bool isIdle = m_controller.running().empty(), isIts = m_controller.running() == m_experiment.id;
    for (QPushButton* button : {m_short, m_full}) {
        if (button == nullptr) continue;
        if (!isIdle && button->hasFocus()) setFocus();  // otherwise it would move on to the note
        button->setEnabled(isIdle);
    }
    m_progress->setText(isIts    ? m_controller.progress()
                        : isIdle ? QString()
                                 : tr("%1 is running.").arg(qs(m_controller.running())));
}

void PlaybookExperiment::addFound(QVBoxLayout* column, const ExperimentStanding& standing) {
    if (standing.verdict == Verdict::NotRun) {
        addMarked(column, Icon::Planned, theme().idle,
                  tr("Not run yet. Expected: %1").arg(says(m_experiment.finding.text)));
        return addPublished(column);
    }
    auto* word = new QLabel(wordsOf(standing.verdict), this);
    word->setObjectName(QStringLiteral("verdict"));
    word->setFont(fontOf(kTitleSize, true));
    setInk(word, inkOf(standing.verdict));
    column->addWidget(word);
    std::vector<NumberLine::Mark> marks;
    for (const ClaimResult& result : standing.claims) {
        if (result.claim->id != m_experiment.guess.claim || result.judgement.repeats == 0) continue;
        const double scale = m_experiment.guess.scale;
        marks.push_back({tr("published"), result.claim->expected * scale, Hue::Umber, result.claim->tolerance * scale});
        if (result.forecast) marks.push_back({tr("forecast"), *result.forecast * scale, Hue::Blue});
        marks.push_back(
            {tr("measured"), result.judgement.measured * scale, Hue::Orange, result.judgement.spread * scale / 2});
    }
    if (marks.empty() && standing.answer) marks.push_back({tr("answer"), *standing.answer, Hue::Blue});
    if (!marks.empty() && standing.guess) marks.push_back({tr("your guess"), standing.guess->value, Hue::Violet});
    if (!marks.empty()) {
        auto* line = new NumberLine(this);
        line->setObjectName(QStringLiteral("numberLine"));
        line->setAccessibleName(tr("Where the answers are"));
        line->setMarks(std::move(marks), says(m_experiment.guess.unit));
        column->addWidget(line);
    }
    addClaims(column, standing);
    addPublished(column);
    if (standing.score) {
        constexpr double kShown = 0.0005;  // of the figure's last digit
        addText(column,
                std::fabs(standing.score->relativeError) < kShown
                    ? tr("Your guess is right.")
                    : tr("Your guess is off by %1.").arg(deltaText(standing.score->relativeError)),
                true);
    }
    for (const ClaimResult& result : standing.claims)
        if (const auto error = result.forecastError(); error && result.claim->id == m_experiment.guess.claim)
            addText(column, tr("The planner's forecast is off by %1.").arg(deltaText(*error)), true);
    addText(column, tr("Expected: %1").arg(says(m_experiment.finding.text)), true);
    if (!m_experiment.derivation.empty())
        addText(column, tr("Derivation: %1").arg(says(m_experiment.derivation)), true);
    addText(column, tr("It would be contradicted by: %1").arg(says(m_experiment.finding.contradictedBy)), true);
    if (!standing.at) return;
    auto* row = new QHBoxLayout;
    auto* where =
        new ReadingText(wordJoined(tr("%1 on %2, load %3 at the start%4")
                                       .arg(dateText(standing.at->unixMilliseconds),
                                            messageText(hardwareOf(*standing.at)), fixedText(standing.at->load, 1))
                                       .arg(standing.at->isShort ? tr(", short form") : QString())),
                        this);
    where->setFont(fontOf(kSideSize));
    setInk(where, theme().text2);
    row->addWidget(where, 1);
    auto* save = linkButton(tr("Save record…"), this);
    save->setObjectName(QStringLiteral("saveRecord"));
    save->setToolTip(tr("A plain file to commit, or to take on another computer (Map of claims)."));
    connect(save, &QPushButton::clicked, this, [this] {
        const QString name = qs(m_experiment.id).toLower() + QStringLiteral(".record.json");
        const QString file = askSaveFile(this, tr("Save the record of %1").arg(qs(m_experiment.id)), name);
        if (file.isEmpty()) return;
        saveText(this, file, exactText(m_controller.recordText(m_experiment)), [this, file](const QString& problem) {
            emit m_controller.said(problem.isEmpty() ? tr("Saved %1").arg(shown(file)) : problem);
        });
    });
    row->addWidget(save);
    if (!standing.at->sweepId.empty()) {
        auto* open = linkButton(tr("Open runs"), this);
        open->setObjectName(QStringLiteral("openSweep"));
        connect(open, &QPushButton::clicked, this,
                [this, id = SweepId(standing.at->sweepId)] { emit sweepWanted(id); });
        row->addWidget(open);
    }
    column->addLayout(row);
}

void PlaybookExperiment::addPublished(QVBoxLayout* column) {
    const ReplayResult replay = m_controller.replay(m_experiment);
    if (replay.reference == nullptr) {
        const bool isElsewhere =
            m_experiment.need != ExperimentNeed::Laptop && m_experiment.need != ExperimentNeed::Plan;
        if (isElsewhere)
            addMarked(column, Icon::Info, theme().text2, messageText(noReplayText(m_experiment, windowLanguage())));
        return;
    }
    auto* head = new QHBoxLayout;
    head->setSpacing(px(8));
    auto* name = new ReadingText(wordJoined(tr("Published data: %1").arg(says(replay.reference->title))), this);
    setInk(name, theme().text2);
    head->addWidget(name, 1);
    column->addLayout(head);
    if (!replay.isFetched) {
        auto* fetch = new QPushButton(tr("Replay published data…"), this);
        fetch->setObjectName(QStringLiteral("replay"));
        fetch->setToolTip(tr("Shows URL, licence and size first; stores the data in your home."));
        fetch->setEnabled(!m_controller.isFetching());
        head->addWidget(fetch);
        connect(fetch, &QPushButton::clicked, this, [this, reference = *replay.reference] {
            if (confirmFetch(this, reference)) m_controller.takeReference(reference, {});
        });
        return;
    }
    auto* word = quietLabel(wordsOf(replay.verdict), this);
    word->setObjectName(QStringLiteral("replayVerdict"));
    setInk(word, inkOf(replay.verdict));
    head->addWidget(word);
    const auto figure = [](double value) { return figureText(value).toStdString(); };
    for (const ReplayRow& row : replay.rows)
        addMarked(column, iconOf(row.verdict), inkOf(row.verdict),
                  tr("%1: %2 (expected %3)")
                      .arg(says(row.text), row.published ? figureText(*row.published) : unknownText(),
                           qs(expectedText(row, figure))));
}

void PlaybookExperiment::addClaims(QVBoxLayout* column, const ExperimentStanding& standing) {
    if (standing.claims.empty()) return;
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(px(12));
    grid->setVerticalSpacing(px(4));
    grid->setColumnStretch(1, 1);
    int column2 = 1;
    for (const QString& title : {tr("Claim"), tr("Expected"), tr("Forecast"), tr("Measured"), tr("Verdict")})
        grid->addWidget(quietLabel(title, this, kSideSize), 0, column2++,
                        title == tr("Claim") ? Qt::AlignLeft : Qt::AlignRight);
    int row = 1;
    std::int64_t wanted = 0;  // repeats needed to decide all claims
    const auto figure = [&](const QString& text, int at, bool strong = false) {
        auto* label = new QLabel(text, this);
        label->setFont(fontOf(1.0, strong));
        grid->addWidget(label, row, at, Qt::AlignRight | Qt::AlignTop);
    };
    for (const ClaimResult& r : standing.claims) {
        auto* sign = new QLabel(this);
        sign->setPixmap(iconPixmap(iconOf(r.judgement.verdict), inkOf(r.judgement.verdict), 12));
        grid->addWidget(sign, row, 0, Qt::AlignTop);
        grid->addWidget(new ReadingText(wordJoined(says(r.claim->text)), this), row, 1);
        figure(expectedWords(*r.claim), 2);
        figure(r.forecast ? figureText(*r.forecast) : unknownText(), 3);
        const bool isMeasured = r.judgement.repeats > 0;
        figure(isMeasured
                   ? QStringLiteral("%1 ± %2").arg(figureText(r.judgement.measured), figureText(r.judgement.spread / 2))
                   : unknownText(),
               4, true);
        figure(wordsOf(r.judgement.verdict), 5);
        ++row;
        QStringList why;
        if (r.wasBusy) why.append(tr("The computer was busy, so times are not conclusive."));
        if (r.judgement.repeatsToDecide) {
            wanted = std::max(wanted, *r.judgement.repeatsToDecide);
            why.append(tr("%n repeat(s) would decide.", nullptr, static_cast<int>(*r.judgement.repeatsToDecide)));
        }
        if (why.isEmpty()) continue;
        grid->addWidget(quietLabel(why.join(QLatin1Char(' ')), this, kSideSize), row, 1, 1, 5);
        ++row;
    }
    column->addLayout(grid);
    if (wanted == 0 || wanted > kMostRepeats || !runsHere(m_controller, m_experiment)) return;
    auto* more = new QPushButton(tr("Run %n repeat(s)", nullptr, static_cast<int>(wanted)), this);
    more->setObjectName(QStringLiteral("runMore"));
    more->setEnabled(m_controller.running().empty());
    column->addWidget(more, 0, Qt::AlignLeft);
    connect(more, &QPushButton::clicked, this, [this, wanted, isShort = standing.at && standing.at->isShort] {
        m_controller.run(m_experiment, isShort, wanted);
    });
}

void PlaybookExperiment::addTheirs(QVBoxLayout* column) {
    for (const ExperimentStanding& theirs : m_controller.theirStandings(m_experiment)) {
        addMarked(column, iconOf(theirs.verdict), inkOf(theirs.verdict),
                  tr("Measured by others on %1, %2: %3")
                      .arg(messageText(hardwareOf(*theirs.at)), dateText(theirs.at->unixMilliseconds),
                           wordsOf(theirs.verdict)));
        for (const ClaimResult& r : theirs.claims)
            if (r.judgement.repeats > 0)
                addText(column,
                        tr("%1: %2 (expected %3)")
                            .arg(says(r.claim->text), figureText(r.judgement.measured), expectedWords(*r.claim)),
                        true);
    }
}

}  // namespace slipway::gui
