#include "app/gui/pages/log_pane.h"

#include "app/gui/text/format.h"
#include "app/gui/widgets/log_view.h"

#include <QComboBox>
#include <QLineEdit>
#include <QSignalBlocker>
#include <algorithm>

namespace slipway::gui {

LogPane::LogPane(QWidget* parent) : LogPane(new LogView(parent), parent) {}

LogPane::LogPane(LogView* view, QWidget* parent) : Pane(tr("Log"), view, parent), m_lines(view) {
    m_lines->setObjectName(QStringLiteral("log"));
    m_lines->setAccessibleName(tr("Log"));
    m_cancel = new QPushButton(tr("Stop searching"), this);
    m_cancel->setObjectName(QStringLiteral("logStop"));
    m_cancel->hide();
    m_text = new QLineEdit(this);
    m_text->setObjectName(QStringLiteral("logSearch"));
    m_text->setPlaceholderText(tr("Search the log"));
    m_text->setAccessibleName(tr("Search the log"));
    m_text->setToolTip(tr("Searches the whole logs of the ranks, not only the lines below."));
    m_text->setClearButtonEnabled(true);
    m_rank = new QComboBox(this);
    m_rank->setObjectName(QStringLiteral("logRank"));
    m_rank->setAccessibleName(tr("Ranks shown in the log"));
    m_level = new QComboBox(this);
    m_level->setObjectName(QStringLiteral("logLevel"));
    m_level->setAccessibleName(tr("Minimum level of the log"));
    m_level->addItems({tr("Level: all"), tr("Level: warnings"), tr("Level: errors")});
    for (QWidget* control : std::initializer_list<QWidget*>{m_cancel, m_text, m_rank, m_level}) addControl(control);
    m_progress.setInterval(200);
    connect(&m_progress, &QTimer::timeout, this, &LogPane::showSide);
    connect(m_text, &QLineEdit::textChanged, this, &LogPane::ask);
    connect(m_level, &QComboBox::currentIndexChanged, this, &LogPane::ask);
    connect(m_rank, &QComboBox::currentIndexChanged, this, [this] {
        ask();
        emit rankChosen(rank());
    });
    connect(m_cancel, &QPushButton::clicked, this, [this] {
        if (m_stop) m_stop->wanted = true;
    });
}

void LogPane::setRun(const RunDir& folder, std::shared_ptr<const RunView> view, bool isActive) {
    const bool sameFiles = m_view && m_view->files == view->files;
    m_view = std::move(view);
    m_folder = folder;
    m_isActive = isActive;
    if (m_shown != m_view->record.id) {
        m_shown = m_view->record.id;
        {
            const QSignalBlocker quiet(m_rank);
            m_rank->clear();
            m_rank->addItem(tr("Ranks: all"));
            for (const RankState& rank : m_view->ranks) m_rank->addItem(tr("Rank %1").arg(rank.rank));
        }
        emit rankChosen({});
        return ask();
    }
    showLines();
    if (isSearching() && !sameFiles && !m_wasStopped && !m_job.isRunning()) search();
}

std::optional<int> LogPane::rank() const {
    return m_rank->currentIndex() > 0 ? std::optional(m_rank->currentIndex() - 1) : std::nullopt;
}

void LogPane::setRank(std::optional<int> rank) {
    m_rank->setCurrentIndex(rank ? *rank + 1 : 0);
}

void LogPane::focusSearch() {
    m_text->setFocus();
    m_text->selectAll();
}

void LogPane::showTime(std::int64_t unixMilliseconds) {
    m_text->clear();
    m_lines->showTime(unixMilliseconds);
}

LogQuestion LogPane::question() const {
    return {m_text->text().toStdString(), static_cast<LogLevel>(std::max(0, m_level->currentIndex()))};
}

void LogPane::ask() {
    m_found.reset();
    m_wasStopped = false;
    if (m_stop) m_stop->wanted = true;
    m_job.cancel();
    if (m_view && isSearching()) search();
    showLines();
}

void LogPane::search() {
    std::vector<std::int64_t> ranks;
    for (const RankState& state : m_view->ranks)
        if (!rank() || *rank() == state.rank) ranks.push_back(state.rank);
    m_stop = std::make_shared<Stop>();
    m_job.start(
        [search = m_found ? *m_found : LogSearch(m_folder, ranks, question()), stop = m_stop,
         isOver = !m_isActive](const std::stop_token& token) mutable {
            const bool whole = search.advance(isOver, [&](double share) {
                stop->permille = static_cast<int>(share * 1000);
                return !stop->wanted && !token.stop_requested();
            });
            return std::pair(std::make_shared<const LogSearch>(std::move(search)), whole);
        },
        [this](const std::pair<std::shared_ptr<const LogSearch>, bool>& answer) {
            m_found = answer.first;
            m_wasStopped = !answer.second;
            showLines();
        });
    m_progress.start();
}

void LogPane::showLines() {
    if (!m_view) return;
    const LogQuestion asked = question();
    if (m_found) {
        m_lines->setLines(logLines(m_found->hits()), m_text->text());
        return showSide();
    }
    // Until the answer comes, what the last lines have of it.
    std::vector<LogLine> shown;
    for (const LogLine& line : m_view->log)
        if ((!rank() || line.rank == *rank()) && line.level >= asked.least &&
            (asked.text.empty() || line.text.contains(m_text->text(), Qt::CaseInsensitive)))
            shown.push_back(line);
    m_lines->setLines(std::move(shown), m_text->text());
    showSide();
}

void LogPane::showSide() {
    const bool runs = m_job.isRunning() && isSearching();
    m_cancel->setVisible(runs && !m_found);
    if (!runs) m_progress.stop();
    if (!m_view) return;
    if (m_found) {
        const std::int64_t matches = m_found->numMatches();
        const auto shown = static_cast<std::int64_t>(m_lines->numShown());
        const QString count = tr("%Ln match(es)", nullptr, static_cast<int>(matches));
        const QString read = bytesText(static_cast<double>(m_found->bytesRead()));
        setSideText(m_wasStopped      ? tr("stopped: %1 in the first %2").arg(count, read)
                    : matches > shown ? tr("%1 in %2; the first and the latest %3 are shown")
                                            .arg(count, read, countText(static_cast<double>(shown)))
                                      : tr("%1 in %2").arg(count, read));
    } else if (runs) {
        setSideText(tr("searching the whole logs: %1").arg(percentText(m_stop->permille / 1000.0)));
    } else {
        setSideText(!m_view->log.empty() ? tr("%n rank(s)", nullptr, static_cast<int>(m_view->ranks.size()))
                    : m_isActive         ? tr("waiting for the first line")
                                         : tr("no log was recorded"));
    }
}

}  // namespace slipway::gui
