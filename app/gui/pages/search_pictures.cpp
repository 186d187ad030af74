#include "app/gui/pages/search_pictures.h"

#include "app/gui/pages/field_axes.h"
#include "app/gui/text/config_change.h"
#include "app/gui/text/format.h"
#include "app/gui/text/layout_words.h"
#include "app/gui/text/text.h"
#include "core/base/units.h"
#include "core/planner/search/layout_axes.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace slipway::gui {
namespace {

QString say(const char* text) {
    return QCoreApplication::translate("SearchPictures", text);
}

ParallelAxis numbers(const QString& name, const std::vector<FoundRow>& rows,
                     const std::function<std::int64_t(const FoundLayout&)>& value) {
    std::set<std::int64_t> steps;
    for (const FoundRow& row : rows) steps.insert(value(row.layout));
    ParallelAxis axis{name, {}, {}};
    for (const std::int64_t step : steps) axis.steps << QString::number(step);
    for (const FoundRow& row : rows)
        axis.values.push_back(static_cast<double>(std::distance(steps.begin(), steps.find(value(row.layout)))));
    return axis;
}

ParallelAxis words(const QString& name, const std::vector<FoundRow>& rows,
                   const std::function<QString(const FoundLayout&)>& value) {
    ParallelAxis axis{name, {}, {}};
    for (const FoundRow& row : rows) {
        const QString word = value(row.layout);
        if (!axis.steps.contains(word)) axis.steps << word;
        axis.values.push_back(static_cast<double>(axis.steps.indexOf(word)));
    }
    return axis;
}

ParallelAxis figure(const QString& name, const std::vector<FoundRow>& rows,
                    const std::function<double(const FoundLayout&)>& value, QString (*format)(std::optional<double>)) {
    ParallelAxis axis{name, {}, {}, [format](double v) { return format(v); }};
    for (const FoundRow& row : rows) axis.values.push_back(value(row.layout));
    return axis;
}

/// The partition of a found layout's layers.
QString splitText(const FoundLayout& l) {
    RunConfig config;
    config.parallel = l.parallel;
    const std::vector<std::int64_t>& layers = l.parallel.layersPerStage;
    if (!layers.empty()) config.model.numLayers = std::accumulate(layers.begin(), layers.end(), std::int64_t{0});
    return choiceText("parallel.layers_per_stage",
                      axisText(SearchAxis::LayerSplit, axisValue(config, SearchAxis::LayerSplit)));
}

QString asPlain(double count) {
    return qs(formatCount(count));
}

}  // namespace

std::vector<ParallelAxis> layoutAxes(const std::vector<FoundRow>& rows) {
    const auto degree = [](auto member) { return [member](const FoundLayout& l) { return l.parallel.*member; }; };
    std::vector<ParallelAxis> all{
        numbers(say(QT_TRANSLATE_NOOP("SearchPictures", "Devices")), rows,
                [](const FoundLayout& l) { return l.parallel.worldSize(); }),
        numbers(QStringLiteral("dp"), rows, degree(&ParallelLayout::dp)),
        numbers(QStringLiteral("tp"), rows, degree(&ParallelLayout::tp)),
        numbers(QStringLiteral("pp"), rows, degree(&ParallelLayout::pp)),
        numbers(QStringLiteral("cp"), rows, degree(&ParallelLayout::cp)),
        numbers(QStringLiteral("ep"), rows, degree(&ParallelLayout::ep)),
        numbers(QStringLiteral("etp"), rows, degree(&ParallelLayout::etp)),
        words(say(QT_TRANSLATE_NOOP("SearchPictures", "Exchange")), rows,
              [](const FoundLayout& l) {
                  return l.parallel.cp > 1 ? choiceWord("parallel.cp_kind", wordOf(l.parallel.cpKind))
                                           : notApplicableText();
              }),
        numbers(QStringLiteral("ZeRO"), rows, degree(&ParallelLayout::zeroStage)),
        numbers(say(QT_TRANSLATE_NOOP("SearchPictures", "Shard group")), rows,
                [](const FoundLayout& l) {
                    return l.parallel.zeroStage > 0 ? l.parallel.dpShard.value_or(l.parallel.dp) : l.parallel.dp;
                }),
        words(QStringLiteral("SP"), rows,
              [](const FoundLayout& l) {
                  return l.parallel.sequenceParallel ? say(QT_TRANSLATE_NOOP("SearchPictures", "on"))
                                                     : say(QT_TRANSLATE_NOOP("SearchPictures", "off"));
              }),
        words(say(QT_TRANSLATE_NOOP("SearchPictures", "Overlapped TP")), rows,
              [](const FoundLayout& l) {
                  return l.parallel.asyncTp ? say(QT_TRANSLATE_NOOP("SearchPictures", "on"))
                                            : say(QT_TRANSLATE_NOOP("SearchPictures", "off"));
              }),
        words(say(QT_TRANSLATE_NOOP("SearchPictures", "Recompute")), rows,
              [](const FoundLayout& l) { return choiceWord("train.recompute.policy", wordOf(l.recompute)); }),
        words(say(QT_TRANSLATE_NOOP("SearchPictures", "Schedule")), rows,
              [](const FoundLayout& l) {
                  return l.parallel.pp > 1 ? choiceWord("parallel.schedule", wordOf(l.parallel.schedule))
                                           : notApplicableText();
              }),
        numbers(say(QT_TRANSLATE_NOOP("SearchPictures", "Chunks")), rows, degree(&ParallelLayout::virtualStages)),
        words(say(QT_TRANSLATE_NOOP("SearchPictures", "Layers")), rows,
              [](const FoundLayout& l) { return l.parallel.pp > 1 ? splitText(l) : notApplicableText(); }),
        numbers(say(QT_TRANSLATE_NOOP("SearchPictures", "Micro-batch")), rows,
                [](const FoundLayout& l) { return l.microBatchSize; }),
        words(say(QT_TRANSLATE_NOOP("SearchPictures", "Offload")), rows,
              [](const FoundLayout& l) { return choiceWord("parallel.offload", wordOf(l.parallel.offload)); }),
    };
    const bool devicesDiffer = all.front().steps.size() > 1;
    std::vector<double> times;
    for (const FoundRow& row : rows) times.push_back(std::log(row.layout.step.stepSeconds));
    for (ParallelAxis& axis : all) axis.weight = explainedShare(axis, times);
    all.push_back(figure(
        say(QT_TRANSLATE_NOOP("SearchPictures", "Step time")), rows,
        [](const FoundLayout& l) { return l.step.stepSeconds; }, secondsText));
    all.push_back(figure(
        say(QT_TRANSLATE_NOOP("SearchPictures", "Memory")), rows,
        [](const FoundLayout& l) { return l.memoryPeakBytes; }, bytesText));
    if (devicesDiffer)
        all.push_back(figure(
            say(QT_TRANSLATE_NOOP("SearchPictures", "Device-hours")), rows,
            [](const FoundLayout& l) { return l.cost.deviceHours; }, countText));
    else
        all.push_back(figure(
            say(QT_TRANSLATE_NOOP("SearchPictures", "MFU")), rows,
            [](const FoundLayout& l) { return l.step.mfu.value_or(kUnknown); }, percentText));
    return all;
}

QStringList whySentences(const WhyAnswer& answer) {
    const LayoutExplanation& e = answer.explanation;
    QStringList out{messageText(e.verdict)};
    for (const Message& reason : e.reasons) out << messageText(reason);
    for (const LayoutChange& change : e.changes)
        out << messageText(changeSentence(configChangeText(answer.config, change.config).toStdString(), change));
    return out;
}

QStringList countSentences(const LayoutSearch& found) {
    QStringList out;
    for (const SearchCount& count : found.counts)
        out << QStringLiteral("%1 %2").arg(asPlain(count.layouts), messageText(count.text));
    return out;
}

}  // namespace slipway::gui
