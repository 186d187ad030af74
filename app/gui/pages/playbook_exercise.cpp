#include "app/gui/pages/playbook_exercise.h"

#include "app/gui/look/theme.h"
#include "app/gui/pages/playbook_experiment.h"
#include "app/gui/pages/playbook_parts.h"
#include "app/gui/text/format.h"
#include "app/gui/text/text.h"
#include "app/gui/widgets/number_line.h"
#include "app/gui/widgets/pane.h"
#include "app/gui/widgets/reading_text.h"

#include <nlohmann/json.hpp>

#include <QButtonGroup>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QPushButton>
#include <QVBoxLayout>

namespace slipway::gui {

PlaybookExercise::PlaybookExercise(PlaybookController& controller, const Chapter& chapter, const Exercise& exercise,
                                   QWidget* parent)
    : QWidget(parent), m_controller(controller), m_exercise(exercise) {
    if (const Guess* guess = controller.guessFor(chapter.subjectOf(exercise))) m_guess = *guess;
    setObjectName(QStringLiteral("exercise.") + qs(exercise.id));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, px(8));
    column->setSpacing(px(6));
    auto* title = addText(column, says(exercise.title));
    title->setFont(fontOf(1.0, true));
    addText(column, says(exercise.question));
    addText(column, says(exercise.guess.asked), true);
    addGuessLine(column, controller, chapter.subjectOf(exercise), exercise.guess);
    if (!m_guess) return;
    if (exercise.editions.size() > 1) addSwitch(column);
    m_solution = new QWidget(this);
    column->addWidget(m_solution);
    showEdition(exercise.editions.front());
}

void PlaybookExercise::addSwitch(QVBoxLayout* column) {
    auto* row = new QHBoxLayout;
    row->setSpacing(px(8));
    row->addWidget(quietLabel(tr("Edition of the source:"), this));
    auto* group = new QButtonGroup(this);
    for (const Edition& edition : m_exercise.editions) {
        auto* button = new QPushButton(says(edition.name), this);
        button->setObjectName(QStringLiteral("edition.") + qs(edition.id));
        button->setCheckable(true);
        button->setChecked(&edition == &m_exercise.editions.front());
        group->addButton(button);
        row->addWidget(button);
        connect(button, &QPushButton::clicked, this, [this, &edition] { showEdition(edition); });
    }
    row->addStretch(1);
    column->addLayout(row);
}

void PlaybookExercise::showEdition(const Edition& edition) {
    auto* solution = new QWidget(this);
    solution->setObjectName(QStringLiteral("solution"));
    auto* column = new QVBoxLayout(solution);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(px(6));
    const QString unit = says(m_exercise.guess.unit);
    if (const auto answer = answerOf(m_exercise.guess, edition.answer)) {
        auto* line = new NumberLine(solution);
        line->setObjectName(QStringLiteral("exerciseLine"));
        line->setAccessibleName(tr("Where the answers are"));
        line->setMarks({{tr("answer"), *answer, Hue::Blue}, {tr("your guess"), m_guess->value, Hue::Violet}}, unit);
        column->addWidget(line);
        QString text = tr("Answer: %1").arg(figureText(*answer) + QChar(0x202f) + unit);
        if (const auto score = scoreOf(m_exercise.guess, m_guess->value, *answer))
            text += QStringLiteral(". ") + tr("Your guess is off by %1.").arg(deltaText(score->relativeError));
        addText(column, text)->setObjectName(QStringLiteral("answer"));
    }
    addText(column, says(edition.verdict))->setFont(fontOf(1.0, true));
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(px(12));
    grid->setVerticalSpacing(px(4));
    grid->setColumnStretch(1, 1);
    int row = 0;
    for (const SolutionStep& step : edition.steps) {
        grid->addWidget(quietLabel(QString::number(row + 1), solution), row, 0, Qt::AlignTop);
        grid->addWidget(new ReadingText(wordJoined(says(step.text)), solution), row, 1);
        if (step.call) {
            const QString stepUnit = says(step.unit);
            auto* value = new QLabel(valueText(resultOf(*step.call), *m_controller.playbook()) +
                                         (stepUnit.isEmpty() ? QString() : QChar(0x202f) + stepUnit),
                                     solution);
            value->setFont(fontOf(1.0, true));
            value->setAlignment(Qt::AlignRight);
            value->setTextInteractionFlags(Qt::TextSelectableByMouse);
            grid->addWidget(value, row, 2, Qt::AlignRight | Qt::AlignTop);
        }
        ++row;
    }
    column->addLayout(grid);
    layout()->replaceWidget(m_solution, solution);
    m_solution->deleteLater();
    m_solution = solution;
}

}  // namespace slipway::gui
