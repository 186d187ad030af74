#include "app/gui/pages/playbook_shelf.h"

#include "app/gui/pages/plan_controller.h"
#include "app/gui/pages/playbook_parts.h"
#include "app/gui/pages/tab_view.h"
#include "app/gui/text/format.h"
#include "app/gui/text/text.h"
#include "app/gui/widgets/drawing_view.h"
#include "app/gui/widgets/pane.h"
#include "app/gui/widgets/reading_text.h"
#include "app/gui/widgets/tables.h"
#include "core/report/chapter_picture.h"

#include <QButtonGroup>
#include <QCheckBox>
#include <QHBoxLayout>
#include <QPushButton>
#include <QScrollArea>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <set>

namespace slipway::gui {
QString needText(ExperimentNeed need) {
    switch (need) {
        case ExperimentNeed::Laptop: return PlaybookShelf::tr("this computer");
        case ExperimentNeed::Gpu: return PlaybookShelf::tr("one GPU");
        case ExperimentNeed::Node: return PlaybookShelf::tr("one node");
        case ExperimentNeed::Cluster: return PlaybookShelf::tr("a cluster");
        case ExperimentNeed::Plan: break;
    }
    return PlaybookShelf::tr("a calculation");
}

PlaybookShelf::PlaybookShelf(PlaybookController& controller, QWidget* parent)
    : QWidget(parent), m_controller(controller) {
    using C = RowColumn<ChapterRow>;
    const auto ink = [](const ChapterRow& row) { return row.isMarked ? theme().warn : QColor(); };
    m_chapters = new RowsModel<ChapterRow>(
        {C(
             tr("Number"), [](const ChapterRow& row) { return QString::number(row.chapter->number); }, Qt::AlignRight),
         C(tr("Chapter"), [](const ChapterRow& row) { return says(row.chapter->title); }),
         C(tr("Your guess"), [](const ChapterRow& row) { return row.guess; }),
         C(
             tr("Checks reached"), [](const ChapterRow& row) { return row.checks; }, Qt::AlignRight),
         C(tr("Experiments"), [](const ChapterRow& row) { return row.experiments; }),
         C(
             tr("Your plan"), [](const ChapterRow& row) { return row.isMarked ? tr("breaks a rule") : QString(); },
             Qt::AlignLeft, ink)},
        this);
    using E = RowColumn<ExperimentRow>;
    m_experiments = new RowsModel<ExperimentRow>(
        {E(tr("Experiment"), [](const ExperimentRow& row) { return qs(row.experiment->id); }),
         E(tr("Title"), [](const ExperimentRow& row) { return says(row.experiment->title); }),
         E(tr("Needs"), [](const ExperimentRow& row) { return row.need; }),
         E(
             tr("Runs"), [](const ExperimentRow& row) { return row.runs; }, Qt::AlignRight),
         E(
             tr("Short form"), [](const ExperimentRow& row) { return row.shortTime; }, Qt::AlignRight),
         E(
             tr("Full form"), [](const ExperimentRow& row) { return row.fullTime; }, Qt::AlignRight),
         E(
             tr("Disk"), [](const ExperimentRow& row) { return row.disk; }, Qt::AlignRight),
         E(tr("Does not fit"), [](const ExperimentRow& row) { return row.leftOut; }),
         E(
             tr("Verdict"), [](const ExperimentRow& row) { return row.state; }, Qt::AlignLeft,
             [](const ExperimentRow& row) { return inkOf(row.verdict); })},
        this);
    auto* chapters = newTable(m_chapters, "shelfChapters", tr("Chapters"), this);
    connect(chapters, &QTableView::activated, this, [this](const QModelIndex& at) {
        emit chapterWanted(m_chapters->rows()[static_cast<std::size_t>(at.row())].chapter->id);
    });
    auto* experiments = newTable(m_experiments, "shelfExperiments", tr("Experiments"), this);
    connect(experiments, &QTableView::activated, this, [this](const QModelIndex& at) {
        emit chapterWanted(m_experiments->rows()[static_cast<std::size_t>(at.row())].experiment->chapter);
    });
    m_planner = new QScrollArea(this);
    m_planner->setObjectName(QStringLiteral("shelfPlanner"));
    m_planner->setAccessibleName(tr("Your plan"));
    m_stack = new QStackedWidget(this);
    m_stack->addWidget(chapters);
    m_stack->addWidget(m_planner);
    m_stack->addWidget(experiments);
    m_catalogue = new QScrollArea(this);
    m_catalogue->setObjectName(QStringLiteral("shelfCatalogue"));
    m_catalogue->setAccessibleName(tr("Catalogue"));
    m_stack->addWidget(m_catalogue);

    auto* line = new QHBoxLayout;
    line->setContentsMargins(px(16), px(8), px(16), px(8));
    line->setSpacing(px(8));
    line->addWidget(quietLabel(tr("Three ways through:"), this));
    m_ways = new QButtonGroup(this);
    const QString names[] = {tr("Reader"), tr("Planner"), tr("Experimenter"), tr("Catalogue")};
    const QString tips[] = {
        tr("Chapters in order: guess, read, move the figures."),
        tr("Rules that the open plan breaks, each with its chapter."),
        tr("All experiments: required hardware, duration, verdict. Times on GPUs are forecasts for H100s."),
        tr("Systems of the sources, large models, words in two languages.")};
    for (int i = 0; i < 4; ++i) {
        auto* button = new QPushButton(names[i], this);
        button->setCheckable(true);
        button->setToolTip(tips[i]);
        m_ways->addButton(button, i);
        line->addWidget(button);
    }
    line->addStretch(1);
    connect(m_ways, &QButtonGroup::idClicked, this, [this](int way) { setWay(static_cast<Way>(way)); });
    connect(&m_controller, &PlaybookController::costsChanged, this, &PlaybookShelf::fillExperiments);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(line);
    layout->addWidget(edgeLine(Qt::Horizontal, this));
    layout->addWidget(m_stack, 1);
    setWay(Reader);
}

void PlaybookShelf::setWay(Way way) {
    m_ways->button(way)->setChecked(true);
    m_stack->setCurrentIndex(way);
}

void PlaybookShelf::showAll() {
    const Playbook* playbook = m_controller.playbook();
    if (playbook == nullptr) return;
    std::vector<ChapterRow> chapters;
    for (const Chapter& chapter : playbook->chapters) {
        ChapterRow row{&chapter};
        if (const Guess* guess = m_controller.guessFor(chapter.id))
            row.guess = figureText(guess->value) + QLatin1Char(' ') + says(chapter.guess.unit);
        const auto& results = m_controller.checks(chapter);
        const auto reached = std::count_if(results.begin(), results.end(), [](const CheckResult& result) {
            return result.verdict != CheckVerdict::Fails;
        });
        row.checks = tr("%1 of %2").arg(reached).arg(results.size());
        QStringList states;
        for (const std::string& id : chapter.experiments)
            states.append(qs(id) + QLatin1Char(' ') +
                          wordsOf(m_controller.standing(*playbook->experiment(id)).verdict));
        row.experiments = states.join(QStringLiteral(", "));
        row.isMarked = !trapsHit(chapter, m_controller.broken()).empty();
        chapters.push_back(std::move(row));
    }
    m_chapters->setRows(std::move(chapters));
    fillExperiments();
    fillPlanner();
    fillCatalogue();
}

// Runs, disk and what does not fit are those of the full form.
void PlaybookShelf::fillExperiments() {
    const Playbook* playbook = m_controller.playbook();
    if (playbook == nullptr) return;
    const auto time = [](const ExperimentCost& cost) {
        return cost.runs == 0 ? unknownText() : cost.seconds ? secondsText(cost.seconds) : tr("unknown");
    };
    std::vector<ExperimentRow> experiments;
    for (const Experiment& experiment : playbook->experiments) {
        ExperimentRow row{&experiment, needText(experiment.need)};
        const auto& [shortForm, fullForm] = m_controller.costs(experiment);
        if (shortForm && fullForm) {
            row.runs = QStringLiteral("%1 × %2").arg(fullForm->points).arg(experiment.repeats);
            row.shortTime = time(*shortForm);
            row.fullTime = time(*fullForm);
            row.disk = bytesText(fullForm->diskBytes);
            QStringList names;
            for (const auto& skipped : fullForm->skipped) names.append(qs(skipped.run));
            row.leftOut = names.join(QStringLiteral("; "));
        }
        row.verdict = m_controller.standing(experiment).verdict;
        row.state =
            !experiment.waitsFor.empty() ? tr("waits for: %1").arg(says(experiment.waitsFor)) : wordsOf(row.verdict);
        experiments.push_back(std::move(row));
    }
    m_experiments->setRows(std::move(experiments));
    for (auto* table : findChildren<QTableView*>()) fitColumns(table);
}

void PlaybookShelf::addPoints(QVBoxLayout* body) {
    for (const PreflightPoint& point : m_controller.lookUps().preflight) {
        auto* box = new QCheckBox(says(point.text), body->parentWidget());
        box->setObjectName(QStringLiteral("point.") + qs(point.id));
        box->setChecked(!m_controller.remarkOn(point.subject()).empty());
        connect(box, &QCheckBox::toggled, this,
                [this, subject = point.subject()](bool isDone) { m_controller.remark(subject, isDone ? "done" : ""); });
        body->addWidget(box);
    }
}

// Documents that may be fetched, with what is to be known before.
void PlaybookShelf::addPublished(QVBoxLayout* column) {
    if (!m_controller.benchmark()) return;
    const PublishedData& data = m_controller.benchmark()->data;
    Section section = addSection(column, {}, tr("Published data"), tr("fetched only when you ask, kept in your home"));
    for (const slipway::Reference& one : data.references) {
        const bool isHere = data.figures.count(one.id) > 0;
        auto* row = new QHBoxLayout;
        row->setSpacing(px(8));
        row->addWidget(
            new ReadingText(
                wordJoined(tr("%1. %2, about %3.").arg(says(one.title), qs(one.licence), bytesText(one.aboutBytes))),
                section.widget),
            1);
        if (isHere) {
            row->addWidget(quietLabel(tr("on this computer"), section.widget), 0, Qt::AlignTop);
        } else {
            auto* fetch = new QPushButton(tr("Fetch…"), section.widget);
            fetch->setObjectName(QStringLiteral("fetch.") + qs(one.id));
            fetch->setAccessibleName(tr("Fetch “%1”").arg(says(one.title)));
            fetch->setEnabled(!m_controller.isFetching());
            connect(fetch, &QPushButton::clicked, this, [this, one] {
                if (confirmFetch(this, one)) m_controller.takeReference(one, {});
            });
            row->addWidget(fetch, 0, Qt::AlignTop);
        }
        section.body->addLayout(row);
    }
}

void PlaybookShelf::fillCatalogue() {
    const PlaybookController::LookUps& all = m_controller.lookUps();
    auto* content = new QWidget;
    QVBoxLayout* column = newColumn(content);
    Section systems = addSection(column, {}, tr("Systems"), tr("what the sources train with"));
    for (const TrainingSystem& system : all.systems) {
        QString text = QStringLiteral("%1: %2").arg(qs(system.title), says(system.offers));
        QStringList axes;
        for (const std::string& axis : system.axes) axes.append(qs(axis));
        if (!axes.isEmpty()) text += QLatin1Char(' ') + tr("Layout axes: %1.").arg(axes.join(QStringLiteral(", ")));
        if (!system.configFormat.empty())
            text += QLatin1Char(' ') + tr("Config: `slipway convert --to %1`.").arg(qs(system.configFormat));
        if (!system.launchFormat.empty())
            text += QLatin1Char(' ') + tr("Launch file: `slipway convert --to %1`.").arg(qs(system.launchFormat));
        addText(systems.body, text);
    }
    addPublished(column);
    Section models = addSection(column, {}, tr("Large models"), tr("as published"));
    for (const PublishedModel& model : all.models) {
        QStringList values;
        for (const auto& [key, value] : model.values)
            if (value || key != "active_parameters")
                values.append(QStringLiteral("%1 %2").arg(says(m_controller.playbook()->label(key)),
                                                          value ? figureText(*value) : tr("unpublished")));
        addText(models.body, QStringLiteral("%1 (%2): %3. %4")
                                 .arg(qs(model.name))
                                 .arg(model.year)
                                 .arg(values.join(QStringLiteral(", ")), qs(model.source)));
    }
    Section words = addSection(column, {}, tr("Words"), tr("English and Korean"));
    for (const GlossaryTerm& term : all.words)
        addText(words.body, QStringLiteral("%1 = %2").arg(qs(term.english), qs(term.korean)), true);
    column->addStretch(1);
    scrollDown(m_catalogue, content);
    m_catalogue->setFocusPolicy(Qt::StrongFocus);
}

void PlaybookShelf::addDiagram(QVBoxLayout* column) {
    const auto plan = m_controller.plan().plan();
    auto picture = plan ? chapterPicture("finding_layout", *plan, windowLanguage()) : std::nullopt;
    if (!picture) return;
    Section diagram =
        addSection(column, {}, qs(picture->title), tr("drawn from the open plan %1").arg(qs(plan->config.name)));
    auto* view = new DrawingView(std::move(*picture), diagram.widget);
    view->setObjectName(QStringLiteral("plannerDiagram"));
    view->setAccessibleName(tr("When to use what"));
    diagram.body->addWidget(view);
}

void PlaybookShelf::fillPlanner() {
    auto* content = new QWidget;
    QVBoxLayout* column = newColumn(content);
    Section marked =
        addSection(column, {}, tr("Chapters for your plan"), tr("the open plan breaks one of their rules"));
    bool isClean = true;
    for (const Chapter& chapter : m_controller.playbook()->chapters) {
        const auto hit = trapsHit(chapter, m_controller.broken());
        if (hit.empty()) continue;
        isClean = false;
        auto* open = linkButton(QStringLiteral("%1  %2").arg(chapter.number).arg(says(chapter.title)), marked.widget);
        open->setObjectName(QStringLiteral("open.") + qs(chapter.id));
        connect(open, &QPushButton::clicked, this, [this, id = chapter.id] { emit chapterWanted(id); });
        marked.body->addWidget(open, 0, Qt::AlignLeft);
        for (const Trap* trap : hit) addMarked(marked.body, Icon::Warning, theme().warn, says(trap->text));
    }
    if (isClean) addText(marked.body, tr("The open plan breaks none of the rules."), true);
    addDiagram(column);
    Section list = addSection(column, {}, tr("Pre-flight list"), tr("every rule of the chapters, on the open plan"));
    std::set<std::string> seen;
    for (const Chapter& chapter : m_controller.playbook()->chapters)
        for (const Trap& trap : chapter.traps) {
            if (trap.rule.empty() || !seen.insert(trap.rule).second) continue;
            const bool isHit = std::find(m_controller.broken().begin(), m_controller.broken().end(), trap.rule) !=
                               m_controller.broken().end();
            addMarked(list.body, isHit ? Icon::Warning : Icon::Completed, isHit ? theme().warn : theme().ok,
                      isHit ? tr("Found: %1").arg(says(trap.text)) : tr("Not found: %1").arg(says(trap.text)));
        }
    Section points = addSection(column, {}, tr("Manual checks"), tr("what no program can see"));
    addPoints(points.body);
    column->addStretch(1);
    scrollDown(m_planner, content);
    m_planner->setFocusPolicy(Qt::StrongFocus);
}

}  // namespace slipway::gui
