#include "app/gui/text/layout_words.h"

#include "app/gui/text/format.h"
#include "app/gui/text/text.h"
#include "core/planner/search/layout_axes.h"
#include "core/planner/search/layout_message.h"

#include <QCoreApplication>
#include <QRegularExpression>

namespace slipway::gui {
namespace {

QString say(const char* text) {
    return QCoreApplication::translate("LayoutWords", text);
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

QString layoutWords(const ParallelLayout& parallel, std::int64_t microBatchSize, RecomputePolicy recompute) {
    return messageText(layoutMessage(parallel, microBatchSize, recompute));
}

QStringList impossibleSentences(const std::vector<ImpossibleLimit>& limits) {
    QStringList out;
    for (const ImpossibleLimit& limit : limits) {
        QString value = qs(limit.limit).mid(static_cast<qsizetype>(wordOf(limit.axis).size()));
        if (value.startsWith('=')) value.remove(0, 1);
        value.replace(QStringLiteral(">="), QStringLiteral("≥ ")).replace(QStringLiteral("<="), QStringLiteral("≤ "));
        QStringList reasons;
        for (const Message& reason : limit.reasons) reasons << messageText(reason);
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
