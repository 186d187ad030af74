#include "app/gui/pages/sweep_cells.h"

#include "app/gui/look/theme.h"
#include "app/gui/pages/compare_data.h"
#include "app/gui/text/format.h"
#include "app/gui/text/text.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <algorithm>
#include <map>

namespace slipway::gui {
namespace {

QString say(const char* text) {
    return QCoreApplication::translate("SweepCells", text);
}

int fieldAt(const SweepPlan& plan, const std::string& path) {
    for (std::size_t i = 0; i < plan.fields.size(); ++i)
        if (plan.fields[i].path == path) return static_cast<int>(i);
    return -1;
}

/// The fields in the order of their choice as axes.
std::vector<std::string> byInterest(const SweepPlan& plan) {
    std::vector<std::string> order;
    for (const char* path : {"parallel.tp", "parallel.pp", "parallel.dp", "parallel.cp", "parallel.ep"})
        if (fieldAt(plan, path) >= 0) order.emplace_back(path);
    for (const SweepField& field : plan.fields)
        if (field.path != "train.seed" && std::find(order.begin(), order.end(), field.path) == order.end())
            order.push_back(field.path);
    if (fieldAt(plan, "train.seed") >= 0) order.emplace_back("train.seed");
    return order;
}

double middle(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t n = values.size();
    return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/// The best trial of a cell; trials that differ only in their seed count as one, with their median.
struct Best {
    int trial = -1;
    double value = 0;
    std::vector<double> repeats;
};
Best bestOf(const SweepData& data, const std::vector<int>& trials, const std::string& measure) {
    std::map<std::string, std::pair<int, std::vector<double>>> repeats;
    for (const int trial : trials) {
        const auto at = static_cast<std::size_t>(trial);
        const auto value = valueOf(data.trials[at], measure);
        if (!value) continue;
        auto& [first, values] =
            repeats.try_emplace(data.plan->repeatOf[at], trial, std::vector<double>{}).first->second;
        values.push_back(*value);
    }
    Best best;
    const double sign = isLessBetter(measure) ? -1 : 1;
    for (const auto& [key, entry] : repeats) {
        const double value = middle(entry.second);
        if (best.trial < 0 || sign * value > sign * best.value) best = {entry.first, value, entry.second};
    }
    return best;
}

struct Outcomes {
    SweepCounts counts;
    const SweepTrial* running = nullptr;
    const SweepTrial* failed = nullptr;
    const SweepTrial* skipped = nullptr;
};

/// "1 of 2 done, 1 did not run"
QString doneText(const SweepCounts& counts) {
    QString text =
        say(QT_TRANSLATE_NOOP("SweepCells", "%1 of %2 done")).arg(counts.completed).arg(counts.total - counts.skipped);
    if (counts.failed > 0)
        text += QStringLiteral(", ") + say(QT_TRANSLATE_NOOP("SweepCells", "%1 failed")).arg(counts.failed);
    return text;
}

QString stepsText(const SweepTrial& trial) {
    return say(QT_TRANSLATE_NOOP("SweepCells", "step %1 of %2"))
        .arg(countText(static_cast<double>(trial.lastStep)), countText(static_cast<double>(trial.numSteps)));
}

class CellMaker {
public:
    CellMaker(const SweepData& data, const SweepQuestion& question, std::vector<int> folded)
        : m_data(data), m_question(question), m_folded(std::move(folded)) {}

    HeatCell make(const std::vector<int>& trials, const Best& best, const QString& place) const {
        HeatCell cell;
        if (trials.empty()) return cell;
        Outcomes found;
        for (const int trial : trials) {
            const SweepTrial& t = m_data.trials[static_cast<std::size_t>(trial)];
            ++found.counts.total;
            found.counts.add(t.status);
            if (t.status == TrialStatus::Running) found.running = &t;
            if (t.status == TrialStatus::Failed || t.status == TrialStatus::Infeasible) found.failed = &t;
            if (t.status == TrialStatus::Skipped && found.skipped == nullptr) found.skipped = &t;
        }
        cell.isRunning = found.running != nullptr;
        cell.numFailed = found.counts.failed;
        cell.tip << place;
        if (best.trial >= 0)
            showBest(cell, best);
        else
            showState(cell, found, trials);
        if (found.counts.total > 1 && found.counts.skipped < found.counts.total) {
            cell.lines << doneText(found.counts);
            cell.tip << doneText(found.counts);
        }
        if (found.running)
            cell.tip << say(QT_TRANSLATE_NOOP("SweepCells", "running: %1")).arg(stepsText(*found.running));
        if (found.failed && best.trial >= 0) cell.tip << outcomeText(*found.failed);
        if (found.skipped && found.counts.skipped < found.counts.total)
            cell.tip << say(QT_TRANSLATE_NOOP("SweepCells", "%1 skipped")).arg(found.counts.skipped);
        return cell;
    }

private:
    /// The values of the folded fields in that trial, or its whole layout.
    QString layoutOf(int trial) const {
        const QString rest = settingsText(*m_data.plan, static_cast<std::size_t>(trial), m_folded);
        return rest.isEmpty() ? layoutText(m_data.plan->trials[static_cast<std::size_t>(trial)].config) : rest;
    }

    void showBest(HeatCell& cell, const Best& best) const {
        const SweepTrial& trial = m_data.trials[static_cast<std::size_t>(best.trial)];
        cell.state = HeatCell::State::Value;
        cell.value = best.value;
        cell.headline = figureText(m_question.measure, best.value);
        cell.lines << layoutOf(best.trial);
        cell.tip << QStringLiteral("%1: %2").arg(columnTitle(m_question.measure), cell.headline);
        cell.tip << layoutText(m_data.plan->trials[static_cast<std::size_t>(best.trial)].config);
        if (const QString rest = layoutOf(best.trial); !cell.tip.last().endsWith(rest)) cell.tip << rest;
        if (best.repeats.size() > 1) {
            const auto [low, high] = std::minmax_element(best.repeats.begin(), best.repeats.end());
            cell.tip << say(QT_TRANSLATE_NOOP("SweepCells", "median of %1 repeats, %2 – %3"))
                            .arg(best.repeats.size())
                            .arg(figureText(m_question.measure, *low), figureText(m_question.measure, *high));
        }
        const auto forecast = trial.forecast.*measureOf(m_question.measure);
        if (forecast)
            cell.tip
                << say(QT_TRANSLATE_NOOP("SweepCells", "Forecast: %1")).arg(figureText(m_question.measure, forecast));
    }

    void showState(HeatCell& cell, const Outcomes& found, const std::vector<int>& trials) const {
        const auto firstWith = [&](auto wanted) {
            for (const int trial : trials)
                if (wanted(m_data.trials[static_cast<std::size_t>(trial)].status)) return trial;
            return trials.front();
        };
        if (found.running) {
            cell.state = HeatCell::State::Running;
            cell.headline = say(QT_TRANSLATE_NOOP("SweepCells", "running"));
            cell.lines << layoutOf(firstWith([](TrialStatus s) { return s == TrialStatus::Running; }))
                       << stepsText(*found.running);
        } else if (found.counts.waiting() > 0) {
            const int next = firstWith([](TrialStatus s) { return !isSettled(s); });
            const SweepTrial& trial = m_data.trials[static_cast<std::size_t>(next)];
            cell.state = HeatCell::State::Waiting;
            cell.headline = trial.status == TrialStatus::Planned ? say(QT_TRANSLATE_NOOP("SweepCells", "waiting"))
                                                                 : statusText(wordOf(trial.status)).toLower();
            cell.lines << layoutOf(next);
            const auto forecast = m_data.trials[static_cast<std::size_t>(next)].forecast.*measureOf(m_question.measure);
            if (forecast)
                cell.tip << say(QT_TRANSLATE_NOOP("SweepCells", "Forecast: %1"))
                                .arg(figureText(m_question.measure, forecast));
        } else if (found.failed) {
            cell.state = HeatCell::State::Failed;
            cell.headline = found.failed->status == TrialStatus::Infeasible
                                ? say(QT_TRANSLATE_NOOP("SweepCells", "out of memory"))
                                : say(QT_TRANSLATE_NOOP("SweepCells", "failed"));
            cell.lines << recordedWords(found.failed->reason);
            cell.tip << outcomeText(*found.failed);
        } else if (found.skipped && found.counts.skipped == found.counts.total) {
            cell.state = HeatCell::State::Skipped;
            cell.headline = say(QT_TRANSLATE_NOOP("SweepCells", "skipped"));
            cell.lines << recordedWords(found.skipped->reason);
            cell.tip << outcomeText(*found.skipped);
        } else {
            cell.state = HeatCell::State::NoValue;
            cell.headline = notApplicableText();
            cell.lines << say(QT_TRANSLATE_NOOP("SweepCells", "not measured"));
        }
        if (cell.tip.size() == 1) cell.tip << cell.headline << cell.lines;
    }

    const SweepData& m_data;
    const SweepQuestion& m_question;
    std::vector<int> m_folded;
};

QString summaryOf(const SweepData& data, const SweepQuestion& question) {
    const SweepCounts& c = data.counts;
    const QString counts =
        say(QT_TRANSLATE_NOOP("SweepCells", "%1 trials: %2 ran, %3 failed, %4 running, %5 waiting, %6 skipped."))
            .arg(c.total)
            .arg(c.completed)
            .arg(c.failed)
            .arg(c.running)
            .arg(c.waiting())
            .arg(c.skipped);
    const int best = bestTrial(data, question.measure);
    if (best < 0) return counts;
    const auto at = static_cast<std::size_t>(best);
    return counts + ' ' +
           say(QT_TRANSLATE_NOOP("SweepCells", "Best: %1, %2."))
               .arg(trialName(*data.plan, at),
                    figureText(question.measure, data.trials[at].measured.*measureOf(question.measure)));
}

}  // namespace

SweepQuestion defaultQuestion(const SweepPlan& plan) {
    SweepQuestion question;
    const auto order = byInterest(plan);
    // A single field is a row of cells.
    if (order.size() == 1) question.columns = order[0];
    if (order.size() > 1) {
        question.rows = order[0];
        question.columns = order[1];
    }
    return question;
}

SweepQuestion validQuestion(const SweepPlan& plan, SweepQuestion question) {
    const SweepQuestion fallback = defaultQuestion(plan);
    const auto known = [&](const std::string& path) { return path.empty() || fieldAt(plan, path) >= 0; };
    if (!known(question.rows) || !known(question.columns) || (question.rows.empty() && question.columns.empty())) {
        question.rows = fallback.rows;
        question.columns = fallback.columns;
    }
    if (!known(question.facets)) question.facets.clear();
    if (question.rows == question.columns) question.rows.clear();
    if (question.facets == question.rows || question.facets == question.columns) question.facets.clear();
    if (!measureOf(question.measure)) question.measure = fallback.measure;
    return question;
}

SweepCells sweepCells(const SweepData& data, const SweepQuestion& question) {
    SweepCells out;
    if (!data.plan) return out;
    const SweepPlan& plan = *data.plan;
    const int rows = fieldAt(plan, question.rows);
    const int columns = fieldAt(plan, question.columns);
    const int facets = fieldAt(plan, question.facets);
    const auto valuesOf = [&](int field) {
        return field < 0 ? QStringList{QString()} : plan.fields[static_cast<std::size_t>(field)].values;
    };
    const auto nameOf = [&](int field) {
        return field < 0 ? QString() : plan.fields[static_cast<std::size_t>(field)].name;
    };
    HeatGrid& grid = out.grid;
    grid.title = columnTitle(question.measure);
    grid.rowName = nameOf(rows);
    grid.columnName = nameOf(columns);
    grid.rows = valuesOf(rows);
    grid.columns = valuesOf(columns);
    for (const QString& value : valuesOf(facets))
        grid.facets << (facets < 0 ? QString() : nameOf(facets) + ' ' + value);
    grid.lessIsBetter = isLessBetter(question.measure);
    grid.format = [measure = question.measure](double value) { return figureText(measure, value); };
    grid.summary = summaryOf(data, question);

    std::vector<int> folded;
    for (int i = 0; i < static_cast<int>(plan.fields.size()); ++i)
        if (i != rows && i != columns && i != facets) folded.push_back(i);
    const auto numCells = static_cast<std::size_t>(grid.facets.size() * grid.rows.size() * grid.columns.size());
    out.trials.resize(numCells);
    const auto at = [&](std::size_t trial, int field) {
        return field < 0 ? 0 : plan.valueOf[trial][static_cast<std::size_t>(field)];
    };
    for (std::size_t trial = 0; trial < data.trials.size(); ++trial)
        out.trials[static_cast<std::size_t>(grid.cellOf(at(trial, facets), at(trial, rows), at(trial, columns)))]
            .push_back(static_cast<int>(trial));

    const CellMaker maker(data, question, folded);
    std::vector<int> placeFields;
    for (const int field : {rows, columns, facets})
        if (field >= 0) placeFields.push_back(field);
    int bestCell = -1;
    double most = 0;
    const double sign = grid.lessIsBetter ? -1 : 1;
    for (std::size_t cell = 0; cell < numCells; ++cell) {
        const std::vector<int>& trials = out.trials[cell];
        const Best best = bestOf(data, trials, question.measure);
        const QString place =
            trials.empty() ? QString() : settingsText(plan, static_cast<std::size_t>(trials.front()), placeFields);
        grid.cells.push_back(maker.make(trials, best, place.isEmpty() ? data.name : place));
        out.best.push_back(best.trial);
        if (best.trial < 0 || (bestCell >= 0 && sign * best.value <= most)) continue;
        bestCell = static_cast<int>(cell);
        most = sign * best.value;
    }
    if (bestCell >= 0) grid.cells[static_cast<std::size_t>(bestCell)].isBest = true;
    return out;
}

SweepReasons sweepReasons(const SweepData& data) {
    static const QRegularExpression figures(QStringLiteral("\\d[\\d.,\\x{202F}]*"));
    struct Group {
        bool failed = false;
        QString first;
        bool differ = false;
        std::vector<int> trials;
    };
    std::map<std::pair<bool, QString>, Group> groups;
    for (std::size_t i = 0; i < data.trials.size(); ++i) {
        const SweepTrial& trial = data.trials[i];
        const bool failed = trial.status == TrialStatus::Failed || trial.status == TrialStatus::Infeasible;
        if (!failed && trial.status != TrialStatus::Skipped) continue;
        const QString reason = trial.reason.empty() ? outcomeText(trial) : recordedWords(trial.reason);
        Group& group = groups[{!failed, QString(reason).replace(figures, QStringLiteral("…"))}];
        if (group.trials.empty()) group.first = reason;
        group.failed = failed;
        group.differ = group.differ || reason != group.first;
        group.trials.push_back(static_cast<int>(i));
    }
    std::vector<std::pair<QString, Group>> sorted;
    for (auto& [key, group] : groups) sorted.emplace_back(key.second, std::move(group));
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
        return a.second.failed != b.second.failed ? a.second.failed : a.second.trials.size() > b.second.trials.size();
    });
    SweepReasons out;
    for (auto& [pattern, group] : sorted) {
        CountShare share;
        share.name = group.differ ? pattern : group.first;
        share.count = static_cast<int>(group.trials.size());
        if (group.failed) share.colour = theme().bad;
        share.tip = group.first;
        out.shares.push_back(std::move(share));
        out.trials.push_back(std::move(group.trials));
    }
    return out;
}

}  // namespace slipway::gui
