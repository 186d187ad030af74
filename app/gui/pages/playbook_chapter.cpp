#include "app/gui/pages/playbook_chapter.h"

#include "app/gui/look/theme.h"
#include "app/gui/pages/page.h"
#include "app/gui/pages/plan_controller.h"
#include "app/gui/pages/playbook_exercise.h"
#include "app/gui/pages/playbook_experiment.h"
#include "app/gui/pages/playbook_figure.h"
#include "app/gui/pages/playbook_parts.h"
#include "app/gui/pages/tab_view.h"
#include "app/gui/text/format.h"
#include "app/gui/text/text.h"
#include "app/gui/widgets/drawing_view.h"
#include "app/gui/widgets/number_line.h"
#include "app/gui/widgets/pane.h"
#include "app/gui/widgets/reading_text.h"
#include "core/report/chapter_picture.h"

#include <nlohmann/json.hpp>

#include <QGridLayout>
#include <QHBoxLayout>
#include <QScrollArea>
#include <QScrollBar>
#include <QSplitter>
#include <QVBoxLayout>
#include <cmath>

namespace slipway::gui {
namespace {

/// Paths may break behind their separators.
QString breakable(QString text) {
    for (const QChar separator : {QLatin1Char('/'), QLatin1Char('_'), QLatin1Char('-')})
        text.replace(separator, QString(separator) + QChar(0x200b));
    return text;
}

}  // namespace

PlaybookChapter::PlaybookChapter(PlaybookController& controller, QWidget* parent)
    : QWidget(parent), m_controller(controller) {
    m_text = new QScrollArea(this);
    m_text->setObjectName(QStringLiteral("chapterText"));
    m_side = new QScrollArea(this);
    m_side->setObjectName(QStringLiteral("chapterSide"));
    m_splitter = gui::splitter(Qt::Horizontal, {m_text, m_side}, {66, 34});
    m_splitter->setSizes({690, 352});
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_splitter);
}

void PlaybookChapter::showChapter(const Chapter& chapter) {
    const bool isSame = m_shown == chapter.id;
    const int at = isSame ? m_text->verticalScrollBar()->value() : 0;
    m_shown = chapter.id;
    auto* text = new QWidget;
    fillText(chapter, newColumn(text));
    scrollDown(m_text, text);
    auto* side = new QWidget;
    fillSide(chapter, newColumn(side));
    scrollDown(m_side, side);
    for (QScrollArea* area : {m_text, m_side}) area->setFocusPolicy(Qt::StrongFocus);  // keys scroll the text
    m_text->setAccessibleName(says(chapter.title));
    m_side->setAccessibleName(tr("Numbers, traps and sources"));
    m_text->widget()->layout()->activate();
    m_text->verticalScrollBar()->setValue(at);
}

void PlaybookChapter::fillText(const Chapter& chapter, QVBoxLayout* column) {
    Section question = addSection(column, QStringLiteral("1"), tr("Question"));
    addText(question.body, says(chapter.question));
    Section guessed = addSection(column, QStringLiteral("2"), tr("Your guess"), says(chapter.guess.asked));
    addGuessLine(guessed.body, m_controller, chapter.id, chapter.guess);
    const Guess* guess = m_controller.guessFor(chapter.id);
    if (guess == nullptr) return column->addStretch(1);
    if (const auto answer = answerOf(chapter.guess)) {
        auto* line = new NumberLine(guessed.widget);
        line->setObjectName(QStringLiteral("guessLine"));
        line->setAccessibleName(tr("Where the answers are"));
        line->setMarks({{tr("answer"), *answer, Hue::Blue}, {tr("your guess"), guess->value, Hue::Violet}},
                       says(chapter.guess.unit));
        guessed.body->addWidget(line);
    }
    Section idea = addSection(column, QStringLiteral("3"), tr("Idea"));
    QLabel* text = addText(idea.body, says(chapter.idea));
    text->setObjectName(QStringLiteral("idea"));
    addPicture(chapter, idea.body);
    addFigures(chapter, column);
    addTables(chapter, column);
    if (!chapter.exercises.empty()) {
        Section exercises = addSection(column, {}, tr("Exercises"), tr("guess, then compare with the worked solution"));
        for (const Exercise& exercise : chapter.exercises)
            exercises.body->addWidget(new PlaybookExercise(m_controller, chapter, exercise, exercises.widget));
    }
    Section finding = addSection(column, QStringLiteral("5"), tr("Expected finding"));
    addText(finding.body, says(chapter.finding.text));
    addText(finding.body, tr("It would be contradicted by: %1").arg(says(chapter.finding.contradictedBy)), true);
    addText(finding.body, wordText(chapter.finding.source, *m_controller.playbook()), true);
    if (!chapter.experiments.empty()) {
        Section tries = addSection(column, QStringLiteral("6"), tr("Try it and note your findings"));
        for (const std::string& id : chapter.experiments) {
            auto* one = new PlaybookExperiment(m_controller, *m_controller.playbook()->experiment(id), tries.widget);
            connect(one, &PlaybookExperiment::sweepWanted, this, &PlaybookChapter::sweepWanted);
            tries.body->addWidget(one);
        }
    }
    column->addStretch(1);
}

void PlaybookChapter::addPicture(const Chapter& chapter, QVBoxLayout* body) {
    const auto plan = m_controller.plan().plan();
    if (!plan) return;
    auto picture = chapterPicture(chapter.id, *plan, windowLanguage());
    if (!picture) return;
    QWidget* parent = body->parentWidget();
    body->addWidget(quietLabel(tr("drawn from the open plan %1").arg(qs(plan->config.name)), parent, kSideSize));
    addText(body, qs(picture->caption), true);
    auto* view = new DrawingView(std::move(*picture), parent);
    view->setObjectName(QStringLiteral("ideaPicture"));
    view->setAccessibleName(tr("Picture of the idea"));
    body->addWidget(view);
}

void PlaybookChapter::addTables(const Chapter& chapter, QVBoxLayout* column) {
    for (const ChapterTable& table : chapter.tables) {
        Section section = addSection(column, {}, says(table.title));
        auto* grid = new QGridLayout;
        grid->setHorizontalSpacing(px(14));
        grid->setVerticalSpacing(px(6));
        for (int c = 0; c < static_cast<int>(table.columns.size()); ++c) {
            grid->setColumnStretch(c, 1);
            QLabel* head =
                quietLabel(wordJoined(says(table.columns[static_cast<std::size_t>(c)])), section.widget, kSideSize);
            head->setWordWrap(true);
            grid->addWidget(head, 0, c, Qt::AlignBottom);
        }
        int row = 1;
        for (const auto& cells : table.rows) {
            for (int c = 0; c < static_cast<int>(cells.size()); ++c) {
                auto* text = new ReadingText(wordJoined(says(cells[static_cast<std::size_t>(c)])), section.widget);
                if (c == 0) text->setFont(fontOf(1.0, true));
                grid->addWidget(text, row, c, Qt::AlignTop);
            }
            ++row;
        }
        section.body->addLayout(grid);
    }
}

void PlaybookChapter::addFigures(const Chapter& chapter, QVBoxLayout* column) {
    int number = 1;
    for (const FigureUse& use : chapter.figures) {
        const QString place = chapter.figures.size() == 1 ? QStringLiteral("4") : QStringLiteral("4.%1").arg(number++);
        Section section = addSection(column, place, says(use.title));
        auto* figure = new PlaybookFigure(m_controller, use, section.widget);
        auto* formulas = linkButton(tr("Formulas and sources"), section.widget);
        formulas->setObjectName(QStringLiteral("formulas"));
        formulas->setCheckable(true);
        connect(formulas, &QPushButton::toggled, figure, &PlaybookFigure::setFormulasShown);
        section.head->addWidget(formulas);
        section.body->addWidget(figure);
    }
}

void PlaybookChapter::fillSide(const Chapter& chapter, QVBoxLayout* column) {
    const auto hit = trapsHit(chapter, m_controller.broken());
    if (!hit.empty()) {
        Section open = addSection(column, {}, tr("Your plan"));
        for (const Trap* trap : hit) addMarked(open.body, Icon::Warning, theme().warn, says(trap->text));
    }
    if (m_controller.guessFor(chapter.id) == nullptr) {
        Section wait = addSection(column, {}, tr("After your guess"));
        addText(wait.body, tr("Numbers, traps and sources are shown once a guess is typed."), true);
        return column->addStretch(1);
    }
    addChecks(chapter, column);
    if (!chapter.traps.empty()) {
        Section traps = addSection(column, {}, tr("Traps"));
        for (const Trap& trap : chapter.traps)
            addMarked(traps.body, Icon::Warning, theme().text2,
                      says(trap.text) +
                          (trap.rule.empty() ? QString() : QStringLiteral(" (slipway lint: %1)").arg(qs(trap.rule))));
    }
    Section sources = addSection(column, {}, tr("Sources"));
    for (const std::string& source : chapter.sources)
        addText(sources.body, wordText(source, *m_controller.playbook()), true);
    column->addStretch(1);
}

void PlaybookChapter::addChecks(const Chapter& chapter, QVBoxLayout* column) {
    if (chapter.checks.empty()) return;
    const std::vector<CheckResult>& results = m_controller.checks(chapter);
    int reached = 0;
    for (const CheckResult& result : results) reached += result.verdict != CheckVerdict::Fails;
    Section section = addSection(column, {}, tr("Worked numbers of the sources"),
                                 tr("%1 of %2 reached").arg(reached).arg(results.size()));
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(px(10));
    grid->setVerticalSpacing(px(6));
    grid->setColumnStretch(1, 1);
    grid->addWidget(quietLabel(tr("Example"), section.widget, kSideSize), 0, 1);
    grid->addWidget(quietLabel(tr("Recomputed"), section.widget, kSideSize), 0, 2, Qt::AlignRight);
    int row = 1;
    QString said;
    for (std::size_t i = 0; i < results.size(); ++i, ++row) {
        const Check& check = chapter.checks[i];
        const CheckResult& result = results[i];
        const bool isFailed = result.verdict == CheckVerdict::Fails;
        const bool isMistake = result.verdict == CheckVerdict::SourceMistake;
        auto* sign = new QLabel(section.widget);
        sign->setPixmap(iconPixmap(isFailed    ? Icon::Failed
                                   : isMistake ? Icon::Warning
                                               : Icon::Completed,
                                   isFailed    ? theme().bad
                                   : isMistake ? theme().warn
                                               : theme().ok,
                                   12));
        grid->addWidget(sign, row, 0, Qt::AlignTop);
        // The source's figure below its example: a narrow pane has no room beside it.
        const QString printed =
            check.printed.empty() ? QString() : QLatin1Char('\n') + tr("Source: %1").arg(qs(check.printed));
        grid->addWidget(new ReadingText(wordJoined(says(check.label) + printed), section.widget), row, 1);
        const auto actual = parseJson(result.actualJson, "actual");
        const QString text = actual ? valueText(*actual, *m_controller.playbook()) : messageText(result.problem);
        auto* value = new ReadingText(breakable(text), section.widget);
        value->setFont(fontOf(1.0, true));
        value->setAlignment(Qt::AlignRight);
        value->setFixedWidth(px(130));
        grid->addWidget(value, row, 2, Qt::AlignRight | Qt::AlignTop);
        if (!isMistake) continue;
        QString note = says(check.mistake);
        if (const auto right = parseJson(result.rightJson, "right"); right && !result.rightJson.empty())
            note += QLatin1Char(' ') + tr("Right: %1").arg(valueText(*right, *m_controller.playbook()));
        if (note == said) continue;  // several figures with one mistake
        said = note;
        auto* label = new ReadingText(wordJoined(note), section.widget);
        setInk(label, theme().warn);
        grid->addWidget(label, ++row, 1, 1, 2);
    }
    section.body->addLayout(grid);
}

}  // namespace slipway::gui
