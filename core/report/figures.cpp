#include "core/report/figures.h"

#include "core/base/json_fields.h"
#include "core/base/message.h"
#include "core/base/units.h"
#include "core/metrics/forecast_label.h"
#include "core/report/words.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace slipway {
namespace {

std::string bytes(double value) {
    return formatBytes(value);
}
std::string percent(double value) {
    return formatPercent(value);
}
std::string loss(double value) {
    return formatFixed(value, 3);
}
std::string difference(double value) {
    return formatSignificant(value, 3);
}

std::string missingWord(const TrialResult& trial, Language language) {
    return trial.status == TrialStatus::Completed ? "–" : textOf(statusText(trial.status), language);
}

}  // namespace

std::optional<double> forecastPart(const TrialResult& trial, const std::string& section, const std::string& key) {
    const auto json = parseJson(trial.forecastJson, "forecast");
    if (!json || !json->is_object() || !json->contains(section) || !(*json)[section].is_object() ||
        !(*json)[section].contains(key))
        return {};
    const auto value = numberFromJson((*json)[section][key], key);
    return value ? std::optional<double>(*value) : std::nullopt;
}

std::string labelsOf(const std::vector<TrialResult>& trials) {
    std::set<std::string> labels;
    for (const TrialResult& trial : trials)
        if (std::string label = forecastLabel(trial.forecastJson); !label.empty()) labels.insert(std::move(label));
    std::string text;
    for (const std::string& label : labels) text += (text.empty() ? "" : "; ") + label;
    return text;
}

std::string commonLabel(const std::vector<TrialResult>& trials) {
    const std::string text = labelsOf(trials);
    return text.find(';') == std::string::npos ? text : std::string();
}

std::string withLabel(const Message& word, const std::vector<TrialResult>& trials, Language language) {
    const std::string label = commonLabel(trials), text = textOf(word, language);
    return label.empty() ? text : text + ", " + labelText(label, language);
}

std::vector<TrialResult> drawnTrials(const std::vector<TrialResult>& trials, std::size_t most) {
    if (trials.size() <= most) return trials;
    const auto speed = [](const TrialResult& trial) {
        const auto& value =
            trial.measured.tokensPerSecond ? trial.measured.tokensPerSecond : trial.forecast.tokensPerSecond;
        return std::pair(trial.measured.tokensPerSecond.has_value(), value && std::isfinite(*value) ? *value : -1);
    };
    std::vector<const TrialResult*> order;
    for (const TrialResult& trial : trials) order.push_back(&trial);
    std::stable_sort(order.begin(), order.end(),
                     [&](const TrialResult* a, const TrialResult* b) { return speed(*a) > speed(*b); });
    order.resize(most);
    std::sort(order.begin(), order.end());  // the order of the table
    std::vector<TrialResult> out;
    for (const TrialResult* trial : order) out.push_back(*trial);
    return out;
}

std::optional<std::pair<double, double>> forecastInterval(const TrialResult& trial, Member member) {
    if (member == &RunFigures::memoryPeakBytes) {
        const auto low = forecastPart(trial, "memory", "total_bytes_low");
        const auto high = forecastPart(trial, "memory", "total_bytes_high");
        return low && high ? std::optional(std::pair{*low, *high}) : std::nullopt;
    }
    const auto low = forecastPart(trial, "step", "step_seconds_low");
    const auto high = forecastPart(trial, "step", "step_seconds_high");
    const auto& step = trial.forecast.stepSeconds;
    if (!low || !high || !step || !(*low > 0) || !std::isfinite(*high)) return {};
    if (member == &RunFigures::stepSeconds) return std::pair{*low, *high};
    // Tokens per step are fixed, so throughput and MFU are proportional to the inverse step time.
    const bool follows = member == &RunFigures::tokensPerSecond || member == &RunFigures::mfu;
    const auto& value = trial.forecast.*member;
    if (!follows || !value) return {};
    return std::pair{*value * *step / *high, *value * *step / *low};
}

BarFigure barFigure(const std::vector<TrialResult>& trials, const Message& title, const Message& unit, Member member,
                    NumberFormat format, Language language) {
    BarFigure figure;
    figure.title = textOf(title, language);
    figure.unit = textOf(unit, language);
    figure.format = format;
    figure.barName = textOf("measured"_text, language);
    figure.intervalName = textOf("interval of the forecast"_text, language);
    figure.markNames = {withLabel("forecast"_text, trials, language)};
    for (const TrialResult& trial : trials) {
        BarFigure::Row row{trial.name, trial.measured.*member,      {trial.forecast.*member}, {},
                           {},         missingWord(trial, language)};
        if (const auto interval = forecastInterval(trial, member)) {
            row.low = interval->first;
            row.high = interval->second;
        }
        if (member == &RunFigures::commBytes || member == &RunFigures::memoryPeakBytes)
            figure.tickUnit =
                std::max(figure.tickUnit, byteUnit(std::max(row.bar.value_or(0), row.marks[0].value_or(0))));
        figure.rows.push_back(std::move(row));
    }
    return figure;
}

double byteUnit(double maximum) {
    return maximum >= kGiB ? kGiB : maximum >= kMiB ? kMiB : maximum >= kKiB ? kKiB : 1;
}

bool hasAny(const BarFigure& figure) {
    return std::any_of(figure.rows.begin(), figure.rows.end(), [](const BarFigure::Row& row) {
        return row.bar ||
               std::any_of(row.marks.begin(), row.marks.end(), [](const auto& mark) { return mark.has_value(); });
    });
}

std::optional<StackFigure> memoryFigure(const std::vector<TrialResult>& trials, Language language) {
    StackFigure figure;
    figure.title = textOf("Memory, worst rank"_text, language);
    figure.unit =
        textOf("%1; measured peak of tensors"_text(withLabel("forecast by part"_text, trials, language)), language);
    figure.markName = textOf("measured"_text, language);
    figure.format = bytes;
    // Fixed colours of look.md 3: weights blue, gradients sky, optimizer violet, activations orange, logits ochre, buffers teal.
    static const std::vector<std::pair<SourceText, std::string>> parts = {
        {"weights"_text, "weight_bytes"},      {"gradients"_text, "gradient_bytes"},
        {"optimizer"_text, "optimizer_bytes"}, {"activations"_text, "activation_bytes"},
        {"logits"_text, "logits_bytes"},       {"buffers"_text, "buffer_bytes"},
        {"reserve"_text, "reserve_bytes"}};
    figure.partColours = {0, 4, 5, 1, 6, 2, 7};
    for (const auto& part : parts) figure.partNames.push_back(textOf(part.first, language));
    bool any = false;
    for (const TrialResult& trial : trials) {
        StackFigure::Row row{trial.name, std::vector<double>(parts.size(), 0), trial.measured.memoryPeakBytes};
        for (std::size_t i = 0; i < parts.size(); ++i)
            if (const auto value = forecastPart(trial, "memory", parts[i].second); value && std::isfinite(*value)) {
                row.parts[i] = *value;
                any = any || *value > 0;
            }
        figure.rows.push_back(std::move(row));
    }
    if (!any) return {};
    double most = 0;
    for (const auto& row : figure.rows) {
        double total = 0;
        for (const double part : row.parts) total += part;
        most = std::max({most, total, row.mark.value_or(0)});
    }
    figure.tickUnit = byteUnit(most);
    // A part absent from all trials is not in the legend.
    for (std::size_t i = figure.partNames.size(); i-- > 0;) {
        if (std::any_of(figure.rows.begin(), figure.rows.end(), [&](const auto& row) { return row.parts[i] > 0; }))
            continue;
        const auto at = static_cast<std::ptrdiff_t>(i);
        figure.partNames.erase(figure.partNames.begin() + at);
        figure.partColours.erase(figure.partColours.begin() + at);
        for (auto& row : figure.rows) row.parts.erase(row.parts.begin() + at);
    }
    return figure;
}

std::optional<BarFigure> bubbleFigure(const std::vector<TrialResult>& trials, Language language) {
    BarFigure figure;
    figure.title = textOf("Pipeline bubble"_text, language);
    figure.unit = textOf("idle share of the pipeline's time"_text, language);
    figure.barName = textOf("observed"_text, language);
    figure.markNames = {withLabel("in theory"_text, trials, language), withLabel("simulated"_text, trials, language)};
    figure.format = percent;
    for (const TrialResult& trial : trials)
        if (trial.config.parallel.pp > 1)
            figure.rows.push_back({trial.name,
                                   trial.measured.bubbleFraction,
                                   {trial.forecast.bubbleTheoretical, trial.forecast.bubbleSimulated},
                                   {},
                                   {},
                                   missingWord(trial, language)});
    if (figure.rows.empty()) return {};
    return figure;
}

std::vector<LineFigure> lossFigures(const std::vector<TrialResult>& trials, const ReportData& data, Language language) {
    LineFigure curves;
    const std::string notFinite = textOf("not finite here"_text, language);
    curves.title = textOf("Loss"_text, language);
    curves.unit = textOf("nats/token"_text, language);
    curves.xName = textOf("step"_text, language);
    curves.notFiniteName = notFinite;
    curves.format = loss;
    LineFigure apart;
    const MetricSeries* base = nullptr;
    std::string baseName;
    for (const TrialResult& trial : trials) {
        const auto it = data.losses.find(trial.run.value);
        if (it == data.losses.end() || it->second.empty()) continue;
        const MetricSeries& series = it->second;
        LineFigure::Series line{trial.name, {}, series.values};
        for (const std::int64_t step : series.steps) line.x.push_back(static_cast<double>(step));
        if (base == nullptr) {
            base = &series;
            baseName = trial.name;
        } else {
            LineFigure::Series delta{trial.name, {}, {}};
            for (std::size_t i = 0; i < series.size(); ++i) {
                const auto at = std::lower_bound(base->steps.begin(), base->steps.end(), series.steps[i]);
                if (at == base->steps.end() || *at != series.steps[i]) continue;
                delta.x.push_back(static_cast<double>(series.steps[i]));
                delta.y.push_back(series.values[i] - base->values[static_cast<std::size_t>(at - base->steps.begin())]);
            }
            if (!delta.x.empty()) apart.series.push_back(std::move(delta));
        }
        curves.series.push_back(std::move(line));
    }
    std::vector<LineFigure> out;
    if (curves.series.empty()) return out;
    if (data.unigramEntropy)
        curves.references.emplace_back(textOf("unigram entropy of the text"_text, language), *data.unigramEntropy);
    out.push_back(std::move(curves));
    if (apart.series.empty()) return out;
    apart.title = textOf("Loss, difference to %1"_text(baseName), language);
    apart.unit = out.front().unit;
    apart.xName = out.front().xName;
    apart.notFiniteName = notFinite;
    apart.format = difference;
    apart.references.emplace_back("", 0);
    out.push_back(std::move(apart));
    return out;
}

}  // namespace slipway
