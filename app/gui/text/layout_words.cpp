#include "app/gui/text/layout_words.h"

#include "app/gui/text/format.h"
#include "app/gui/text/text.h"
#include "core/planner/search/layout_axes.h"
#include "core/planner/search/layout_search.h"

#include <QCoreApplication>
#include <QLocale>
#include <QRegularExpression>

namespace slipway::gui {
namespace {

QString say(const char* text) {
    return QCoreApplication::translate("LayoutWords", text);
}

/// Layers of the stages, equal neighbours together: "7 + 14 × 8 + 7".
QString layersWords(const std::vector<std::int64_t>& layers) {
    QStringList parts;
    for (std::size_t first = 0; first < layers.size();) {
        std::size_t end = first;
        while (end < layers.size() && layers[end] == layers[first]) ++end;
        parts << (end - first > 1 ? QStringLiteral("%1 × ").arg(end - first) : QString()) +
                     QString::number(layers[first]);
        first = end;
    }
    return parts.join(QStringLiteral(" + "));
}

}  // namespace

std::string axisField(SearchAxis axis) {
    if (axis == SearchAxis::Recompute) return "train.recompute.policy";
    if (axis == SearchAxis::MicroBatchSize) return "train.micro_batch_size";
    if (axis == SearchAxis::LayerSplit) return "parallel.layers_per_stage";
    return "parallel." + std::string(wordOf(axis));
}

QString layoutChangeWords(const RunConfig& from, const RunConfig& to) {
    QStringList parts;
    for (const auto& axis : enumNames(SearchAxis{})) {
        const std::int64_t value = axisValue(to, axis.value);
        if (value == axisValue(from, axis.value)) continue;
        const std::string field = axisField(axis.value);
        parts << say(QT_TRANSLATE_NOOP("LayoutWords", "%1: %2"))
                     .arg(fieldLabel(field), valueWords(field, axisText(axis.value, value)));
    }
    return parts.join(QStringLiteral(", "));
}

QString choiceWord(std::string_view path, std::string_view word) {
    return choiceText(path, std::string(word)).section(':', 0, 0);
}

QString valueWords(std::string_view path, std::string_view json) {
    if (json == "true" || json == "false") return choiceText("bool", std::string(json));
    if (json.size() > 1 && json.front() == '"' && json.back() == '"') json = json.substr(1, json.size() - 2);
    if (path == "parallel.layers_per_stage" && json == "[]") json = "even";
    return choiceWord(path, json);
}

QString layoutWords(const ParallelLayout& p, std::int64_t microBatchSize, RecomputePolicy recompute) {
    if (QLocale().language() != QLocale::Korean) return qs(layoutText(p, microBatchSize, recompute));
    QStringList parts;
    const auto degree = [&](const char* name, std::int64_t value) {
        if (value > 1) parts << QStringLiteral("%1 %2").arg(QLatin1String(name)).arg(value);
    };
    degree("DP", p.dp);
    degree("TP", p.tp);
    degree("PP", p.pp);
    degree("CP", p.cp);
    if (p.cp > 1 && p.cpKind != CpKind::Ring) parts.back() += ' ' + choiceWord("parallel.cp_kind", wordOf(p.cpKind));
    degree("EP", p.ep);
    degree("ETP", p.etp);
    if (p.zeroStage > 0)
        parts << (p.dpShard && *p.dpShard != p.dp
                      ? say(QT_TRANSLATE_NOOP("LayoutWords", "ZeRO-%1 over %2")).arg(p.zeroStage).arg(*p.dpShard)
                      : QStringLiteral("ZeRO-%1").arg(p.zeroStage));
    if (p.sequenceParallel)
        parts << (p.asyncTp ? say(QT_TRANSLATE_NOOP("LayoutWords", "SP, overlapped TP")) : QStringLiteral("SP"));
    if (p.pp > 1) {
        parts << choiceWord("parallel.schedule", wordOf(p.schedule));
        if (p.schedule == ScheduleKind::InterleavedOneFOneB)
            parts.back() += QStringLiteral(" ×%1").arg(p.virtualStages);
        if (!p.layersPerStage.empty())
            parts << say(QT_TRANSLATE_NOOP("LayoutWords", "layers %1")).arg(layersWords(p.layersPerStage));
    }
    if (recompute != RecomputePolicy::None)
        parts << say(QT_TRANSLATE_NOOP("LayoutWords", "recompute: %1"))
                     .arg(choiceWord("train.recompute.policy", wordOf(recompute)));
    if (p.offload != Offload::None)
        parts << say(QT_TRANSLATE_NOOP("LayoutWords", "offload: %1"))
                     .arg(choiceWord("parallel.offload", wordOf(p.offload)));
    parts << say(QT_TRANSLATE_NOOP("LayoutWords", "micro-batch %1")).arg(microBatchSize);
    return parts.join(QStringLiteral(", "));
}

QStringList impossibleSentences(const std::vector<ImpossibleLimit>& limits) {
    QStringList out;
    for (const ImpossibleLimit& limit : limits) {
        QString value = qs(limit.limit).mid(static_cast<qsizetype>(wordOf(limit.axis).size()));
        if (value.startsWith('=')) value.remove(0, 1);
        value.replace(QStringLiteral(">="), QStringLiteral("≥ ")).replace(QStringLiteral("<="), QStringLiteral("≤ "));
        QStringList reasons;
        for (const Issue& issue : limit.issues) reasons << issueText(issue);
        QStringList options;
        for (const std::int64_t option : limit.options) options << QString::number(option);
        if (!options.isEmpty())
            reasons << say(QT_TRANSLATE_NOOP("LayoutWords", "Values of this search: %1."))
                           .arg(options.join(QStringLiteral(", ")));
        out << say(QT_TRANSLATE_NOOP("LayoutWords", "No layout has %1 %2."))
                       .arg(fieldLabel(axisField(limit.axis)), value) +
                   ' ' + reasons.join(' ');
    }
    return out;
}

QString withFormWords(QString sentence) {
    static const QRegularExpression degree(QStringLiteral("\\bparallel\\.(dp|tp|pp|cp|ep|etp)\\b"));
    return sentence.replace(degree, QStringLiteral("\\1"));
}

}  // namespace slipway::gui
