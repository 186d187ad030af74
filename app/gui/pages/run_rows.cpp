#include "app/gui/pages/run_rows.h"

#include "app/gui/look/theme.h"
#include "app/gui/pages/compare_data.h"
#include "app/gui/pages/run_page.h"
#include "app/gui/text/format.h"
#include "app/gui/text/text.h"
#include "core/base/units.h"
#include "core/planner/explain/explain.h"
#include "core/run/event_titles.h"

#include <cmath>

namespace slipway::gui {
namespace {

constexpr double kWorthSaying = 0.05;  // differences above it are coloured

// How a figure is measured.
QString measuredHelp(std::string_view key, const RunFigures& measured) {
    if (key == "step_seconds" && measured.numSteps)
        return RunPage::tr("Median of the steps after warm-up: %1 of %2 steps.")
            .arg(countText(*measured.numSteps - measured.warmupSteps.value_or(0)), countText(*measured.numSteps));
    if (key == "tokens_per_second") return RunPage::tr("Tokens of a step over the median step time.");
    if (key == "mfu" && measured.flopsPerToken && measured.peakFlops)
        return RunPage::tr("FLOPs per token × tokens/s ÷ peak of all devices: %1 × %2 ÷ %3.")
            .arg(shortText(*measured.flopsPerToken), countText(measured.tokensPerSecond),
                 qs(formatFlops(*measured.peakFlops)));
    if (key == "bubble_fraction")
        return RunPage::tr("Idle share of the pipeline ranks, median of the steps after warm-up.");
    if (key == "memory_peak_bytes") return RunPage::tr("Peak tensor bytes of the worst rank.");
    if (key == "comm_bytes") return RunPage::tr("Counted by the ranks at each collective, mean over ranks.");
    if (key == "comm_seconds") return RunPage::tr("Time in collectives, overlapped or exposed, mean over ranks.");
    if (key == "final_loss") return RunPage::tr("Latest recorded step.");
    if (key == "final_eval_loss") return RunPage::tr("Latest recorded evaluation.");
    return {};
}

QString forecastHelp(const PromiseRow& row) {
    if (!row.promised) return {};
    const auto now = row.plan ? explain(*row.plan, row.figure) : Result<Explanation>(fail("no_plan", ""));
    if (now && std::fabs(now->figure.value - *row.promised) > 1e-6 * std::fabs(*row.promised))
        return RunPage::tr("As recorded at launch; the current forecast is %1.")
            .arg(figureText(row.figure, now->figure.value));
    return RunPage::tr("Enter opens the formula.");
}

}  // namespace

std::vector<RowColumn<PromiseRow>> promiseColumns() {
    using R = PromiseRow;
    const auto quiet = [](const R&) { return theme().text2; };
    const auto strong = [](const R&) { return true; };
    const auto warnInk = [](const R& r) {
        return r.difference && std::fabs(*r.difference) >= kWorthSaying ? theme().warn : theme().text;
    };
    return {
        {RunPage::tr("Figure"), [](const R& r) { return r.name; }, Qt::AlignLeft},
        {RunPage::tr("Forecast"), [](const R& r) { return r.forecast; }, Qt::AlignRight, quiet, {}, forecastHelp},
        {RunPage::tr("Measured"),
         [](const R& r) { return r.measured; },
         Qt::AlignRight,
         {},
         strong,
         [](const R& r) { return r.measuredTip; }},
        {RunPage::tr("Difference"), [](const R& r) { return r.differenceShown; }, Qt::AlignRight, warnInk},
    };
}

QString eventText(const std::string& name, const std::string& detail) {
    const QString title = qs(textOf(eventTitle(name), windowLanguage()));
    return detail.empty() ? title : title + QStringLiteral(": ") + recordedWords(detail);
}

std::vector<RowColumn<EventRecord>> eventColumns() {
    using R = EventRecord;
    const auto quiet = [](const R&) { return theme().text2; };
    const auto tip = [](const R& e) {
        return clockText(e.timeUnixMilliseconds) + QStringLiteral("  ") + recordedWords(e.detail);
    };
    return {
        {RunPage::tr("Step"), [](const R& e) { return countText(static_cast<double>(e.step)); }, Qt::AlignRight, quiet},
        {RunPage::tr("Event"), [](const R& e) { return eventText(e.name, e.detail); }, Qt::AlignLeft, {}, {}, tip},
    };
}

QString eventsNote(const RunView& view) {
    if (!view.events.empty()) return RunPage::tr("latest first");
    return isFinal(view.record.status) ? RunPage::tr("none") : RunPage::tr("none yet");
}

std::vector<PromiseRow> promiseRows(const RunView& view) {
    const RunFigures& f = view.record.forecast;
    const RunFigures& m = view.record.measured;
    std::vector<PromiseRow> rows;
    // A figure that a finished run did not measure will never be measured.
    const QString none = isFinal(view.record.status) ? notApplicableText() : unknownText();
    const auto add = [&](const QString& name, std::string_view key, std::optional<double> promised,
                         std::optional<double> measured) {
        std::optional<double> difference;
        if (promised && measured && *promised != 0 && std::isfinite(*measured)) difference = *measured / *promised - 1;
        rows.push_back({std::string(key), name, figureText(key, promised), measured ? figureText(key, measured) : none,
                        difference, differenceText(key, measured, promised), promised, view.plan,
                        measured ? measuredHelp(key, m) : QString()});
    };
    add(RunPage::tr("Step time"), "step_seconds", f.stepSeconds, m.stepSeconds);
    add(RunPage::tr("Throughput, tokens/s"), "tokens_per_second", f.tokensPerSecond, m.tokensPerSecond);
    add(m.mfuRule.empty() ? RunPage::tr("MFU") : RunPage::tr("MFU (%1)").arg(mfuRuleText(m.mfuRule)), "mfu", f.mfu,
        m.mfu);
    add(RunPage::tr("Pipeline bubble"), "bubble_fraction", f.bubbleFraction, m.bubbleFraction);
    add(RunPage::tr("Memory, worst rank"), "memory_peak_bytes", f.memoryPeakBytes, m.memoryPeakBytes);
    add(RunPage::tr("Traffic per rank"), "comm_bytes", f.commBytes, m.commBytes);
    add(RunPage::tr("Time in collectives"), "comm_seconds", f.commSeconds, m.commSeconds);
    // A run in progress has no final loss: the newest point of its curve is newer than its stored figures.
    if (isFinal(view.record.status))
        add(RunPage::tr("Final loss"), "final_loss", {}, m.finalLoss);
    else
        add(RunPage::tr("Latest loss"), "final_loss", {},
            view.loss.buckets.empty() ? m.finalLoss : std::optional(view.loss.buckets.back().last));
    if (m.finalEvalLoss) add(RunPage::tr("Latest held-out loss"), "final_eval_loss", {}, m.finalEvalLoss);
    return rows;
}

}  // namespace slipway::gui
