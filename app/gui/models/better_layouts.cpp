#include "app/gui/models/better_layouts.h"

#include "app/gui/look/theme.h"
#include "app/gui/text/format.h"
#include "app/gui/text/label_text.h"
#include "app/gui/text/text.h"
#include "core/planner/memory/memory_interval.h"

#include <QCoreApplication>

namespace slipway::gui {
namespace {

QString say(const char* text) {
    return QCoreApplication::translate("BetterLayouts", text);
}

}  // namespace

std::vector<RowColumn<LayoutRow>> betterLayoutColumns(bool gpu) {
    using R = LayoutRow;
    const auto degree = [](auto member) {
        return [member](const R& r) { return QString::number(r.choice.parallel.*member); };
    };
    return {
        {QStringLiteral("#"),
         [](const R& r) { return r.rank > 0 ? QString::number(r.rank) : unknownText(); },
         Qt::AlignRight,
         {},
         {},
         [](const R& r) {
             return r.rank > 0 ? QString()
                               : say(QT_TRANSLATE_NOOP("BetterLayouts",
                                                       "This plan is not among the fastest that were ranked"));
         }},
        {say(QT_TRANSLATE_NOOP("BetterLayouts", "dp")), degree(&ParallelLayout::dp), Qt::AlignRight},
        {say(QT_TRANSLATE_NOOP("BetterLayouts", "tp")), degree(&ParallelLayout::tp), Qt::AlignRight},
        {say(QT_TRANSLATE_NOOP("BetterLayouts", "pp")),
         degree(&ParallelLayout::pp),
         Qt::AlignRight,
         {},
         {},
         [](const R& r) {
             return r.choice.parallel.pp > 1
                        ? choiceText("parallel.schedule", std::string(wordOf(r.choice.parallel.schedule)))
                        : QString();
         }},
        {say(QT_TRANSLATE_NOOP("BetterLayouts", "cp")), degree(&ParallelLayout::cp), Qt::AlignRight},
        {say(QT_TRANSLATE_NOOP("BetterLayouts", "ZeRO")), degree(&ParallelLayout::zeroStage), Qt::AlignRight},
        {say(QT_TRANSLATE_NOOP("BetterLayouts", "Micro-batch")),
         [](const R& r) { return QString::number(r.choice.microBatchSize); }, Qt::AlignRight},
        {say(QT_TRANSLATE_NOOP("BetterLayouts", "Step time")),
         [](const R& r) {
             const StepEstimate& s = r.plan->step;
             return secondsWithin(s.stepSeconds, {s.stepSecondsLow, s.stepSecondsHigh});
         },
         Qt::AlignRight,
         {},
         {},
         [](const R& r) {
             return intervalText({r.plan->step.stepSecondsLow, r.plan->step.stepSecondsHigh}, r.plan->step.label,
                                 secondsText);
         }},
        {gpu ? say(QT_TRANSLATE_NOOP("BetterLayouts", "tokens/s/GPU"))
             : say(QT_TRANSLATE_NOOP("BetterLayouts", "tokens/s/device")),
         [](const R& r) { return countText(r.plan->step.tokensPerSecondPerDevice); }, Qt::AlignRight},
        {say(QT_TRANSLATE_NOOP("BetterLayouts", "Bubble")),
         [](const R& r) { return percentText(r.plan->step.bubbleSimulated); }, Qt::AlignRight},
        {say(QT_TRANSLATE_NOOP("BetterLayouts", "Memory")),
         [](const R& r) { return bytesText(r.plan->memoryPeakBytes); },
         Qt::AlignRight,
         {},
         {},
         [](const R& r) { return intervalText(memoryInterval(*r.plan), r.plan->step.label, bytesText); }},
        {say(QT_TRANSLATE_NOOP("BetterLayouts", "Change")),
         [](const R& r) {
             return r.isCurrent ? say(QT_TRANSLATE_NOOP("BetterLayouts", "this plan")) : deltaText(r.change);
         },
         Qt::AlignRight,
         [](const R& r) { return r.isCurrent         ? theme().text2
                                 : r.change < -0.005 ? theme().ok
                                                     : theme().text; }},
    };
}

QList<int> dispensableLayoutColumns() {
    return {8, 9, 4};
}

std::string figureOfLayoutColumn(int column) {
    constexpr int kFirst = 7;
    constexpr const char* kFigures[] = {"step_seconds", "tokens_per_second_per_device", "bubble_simulated",
                                        "memory_peak_bytes", "step_seconds"};
    return column < kFirst ? std::string() : kFigures[column - kFirst];
}

}  // namespace slipway::gui
