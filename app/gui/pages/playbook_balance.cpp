#include "app/gui/pages/playbook_balance.h"

#include "app/gui/pages/dialogs.h"
#include "app/gui/pages/playbook_parts.h"
#include "app/gui/text/format.h"
#include "app/gui/text/text.h"
#include "app/gui/widgets/pane.h"
#include "app/gui/widgets/tables.h"
#include "core/process/host_identity.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QTableView>
#include <QVBoxLayout>
#include <array>

namespace slipway::gui {
namespace {

/// A summary line above a table; returns the line.
QLabel* layOut(QWidget* page, QTableView* table, QAbstractItemModel* model, const char* name, const QString& title) {
    table->setObjectName(QString::fromLatin1(name));
    table->setAccessibleName(title);
    table->setModel(model);
    prepareTable(table);
    keepColumnsFitted(table);
    auto* summary = new QLabel(page);
    summary->setObjectName(QString::fromLatin1(name) + QStringLiteral("Summary"));
    summary->setWordWrap(true);
    summary->setContentsMargins(px(16), px(10), px(16), px(10));
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(summary);
    layout->addWidget(edgeLine(Qt::Horizontal, page));
    layout->addWidget(table, 1);
    return summary;
}

QColor inkOfState(ClaimState state) {
    switch (state) {
        case ClaimState::Confirmed: return theme().ok;
        case ClaimState::Contradicted: return theme().bad;
        case ClaimState::Undecided: return theme().warn;
        case ClaimState::Untested: break;
    }
    return theme().text3;
}

}  // namespace

PlaybookGuesses::PlaybookGuesses(PlaybookController& controller, QWidget* parent)
    : QWidget(parent), m_controller(controller) {
    using C = RowColumn<GuessRow>;
    const auto figure = [](const std::optional<double>& value) { return value ? figureText(*value) : unknownText(); };
    m_model = new RowsModel<GuessRow>(
        {C(tr("Question"),
           [](const GuessRow& row) {
               return row.experiment != nullptr ? qs(row.experiment->id)
                      : row.exercise != nullptr ? tr("Exercise, chapter %1").arg(row.chapter->number)
                                                : tr("Chapter %1").arg(row.chapter->number);
           }),
         C(tr("Title"), [](const GuessRow& row) { return says(row.title()); }),
         C(
             tr("Your guess"), [](const GuessRow& row) { return figureText(row.value); }, Qt::AlignRight),
         C(
             tr("Answer"), [figure](const GuessRow& row) { return figure(row.answer); }, Qt::AlignRight),
         C(
             tr("Off by"),
             [](const GuessRow& row) { return row.score ? deltaText(row.score->relativeError) : unknownText(); },
             Qt::AlignRight),
         C(
             tr("Within the tolerance"),
             [](const GuessRow& row) { return !row.score           ? unknownText()
                                              : row.score->isRight ? tr("yes")
                                                                   : tr("no"); },
             Qt::AlignLeft,
             [](const GuessRow& row) {
                 return !row.score ? theme().text3 : row.score->isRight ? theme().ok : theme().warn;
             })},
        this);
    m_table = new QTableView(this);
    m_summary = layOut(this, m_table, m_model, "playbookGuesses", tr("Your guesses"));
    connect(m_table, &QTableView::activated, this, [this](const QModelIndex& at) {
        emit chapterWanted(m_model->rows()[static_cast<std::size_t>(at.row())].chapter->id);
    });
}

void PlaybookGuesses::showAll() {
    if (m_controller.playbook() == nullptr) return;
    GuessCalibration all =
        guessCalibrationOf(*m_controller.playbook(), m_controller.guesses(), m_controller.records(), thisHost().host);
    QString text = all.rows.empty()   ? tr("No guess yet. Each chapter begins with one.")
                   : !all.medianError ? tr("None of your guesses has an answer yet: run their experiments.")
                                      : tr("%1 of %2 guesses are right; half of them are off by less than %3.")
                                            .arg(all.right)
                                            .arg(all.answered)
                                            .arg(percentText(*all.medianError));
    if (all.chapters.size() > 1)
        text += QLatin1Char(' ') +
                tr("Furthest off: chapter %1, %2 (%3).")
                    .arg(all.chapters.front().chapter->number)
                    .arg(says(all.chapters.front().chapter->title), percentText(all.chapters.front().medianError));
    if (all.medianForecastError)
        text += QLatin1Char(' ') + tr("The planner's forecasts of %n claim(s): half of them are off by less than %1.",
                                      nullptr, static_cast<int>(all.forecasts.size()))
                                       .arg(percentText(*all.medianForecastError));
    m_summary->setText(wordJoined(text));
    m_model->setRows(std::move(all.rows));
    fitColumns(m_table);
}

PlaybookClaims::PlaybookClaims(PlaybookController& controller, QWidget* parent)
    : QWidget(parent), m_controller(controller) {
    using C = RowColumn<MappedClaim>;
    const auto sentence = [](const MappedClaim& row) {
        const ClaimRow& claim = row.claim;
        return says(claim.claim == nullptr ? claim.experiment->finding.text : claim.claim->text);
    };
    m_model = new RowsModel<MappedClaim>(
        {C(tr("Experiment"), [](const MappedClaim& row) { return qs(row.claim.experiment->id); }),
         C(tr("Claim"), sentence, Qt::AlignLeft, nullptr, nullptr, sentence),
         C(
             tr("Expected"),
             [](const MappedClaim& row) {
                 return row.claim.claim == nullptr ? unknownText() : expectedWords(*row.claim.claim);
             },
             Qt::AlignRight),
         C(
             tr("Measured"),
             [](const MappedClaim& row) {
                 return row.claim.measured ? figureText(*row.claim.measured) : unknownText();
             },
             Qt::AlignRight),
         C(
             tr("On this computer"), [](const MappedClaim& row) { return messageText(textOf(row.claim.state)); },
             Qt::AlignLeft, [](const MappedClaim& row) { return inkOfState(row.claim.state); }),
         C(
             tr("Published data"),
             [](const MappedClaim& row) {
                 return row.published == Verdict::NotRun ? QString() : wordsOf(row.published);
             },
             Qt::AlignLeft, [](const MappedClaim& row) { return inkOf(row.published); }),
         C(
             tr("Runs"),
             [](const MappedClaim& row) {
                 return row.claim.at && !row.claim.at->sweepId.empty() ? tr("open") : QString();
             },
             Qt::AlignLeft, [](const MappedClaim&) { return theme().accent; })},
        this);
    m_table = new QTableView(this);
    m_summary = layOut(this, m_table, m_model, "playbookClaims", tr("Map of claims"));
    auto* take = new QPushButton(tr("Take a record…"), this);
    take->setObjectName(QStringLiteral("takeRecord"));
    take->setToolTip(tr("Add a record from another computer. It is listed with its hardware, apart from your own."));
    connect(take, &QPushButton::clicked, this, [this] {
        const QString file = askOpenFile(this, tr("Record of an experiment"), tr("Records (*.json);;All files (*)"));
        if (!file.isEmpty()) m_controller.takeRecord(file.toStdString());
    });
    auto* line = new QHBoxLayout;
    line->setContentsMargins(px(16), px(6), px(16), px(6));
    line->addWidget(take);
    line->addStretch(1);
    static_cast<QVBoxLayout*>(layout())->addLayout(line);
    connect(m_table, &QTableView::activated, this, [this](const QModelIndex& at) {
        const ClaimRow& row = m_model->rows()[static_cast<std::size_t>(at.row())].claim;
        if (row.at && !row.at->sweepId.empty())
            emit sweepWanted(SweepId(row.at->sweepId));
        else
            emit chapterWanted(row.experiment->chapter);
    });
}

void PlaybookClaims::showAll() {
    if (m_controller.playbook() == nullptr) return;
    std::vector<MappedClaim> rows;
    std::array<int, 4> counts{};
    for (const ClaimRow& row : claimsOf(*m_controller.playbook(), m_controller.records(), thisHost().host)) {
        ++counts[static_cast<std::size_t>(row.state)];
        const ReplayResult replay = m_controller.replay(*row.experiment);
        MappedClaim mapped{row, row.claim == nullptr ? replay.verdict : Verdict::NotRun};
        for (const ReplayRow& published : replay.rows)
            if (row.claim != nullptr && published.id == row.claim->id) mapped.published = published.verdict;
        rows.push_back(mapped);
    }
    m_summary->setText(wordJoined(tr("%1 confirmed, %2 contradicted, %3 undecided, %4 untested on this computer. "
                                     "Enter opens the runs of a claim, or its chapter.")
                                      .arg(counts[0])
                                      .arg(counts[1])
                                      .arg(counts[2])
                                      .arg(counts[3])));
    m_model->setRows(std::move(rows));
    fitColumns(m_table);
}

}  // namespace slipway::gui
