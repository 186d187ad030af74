#include "app/gui/pages/compare_data.h"

#include "app/gui/engine/list_store.h"
#include "app/gui/engine/store_access.h"
#include "app/gui/pages/fields_data.h"
#include "app/gui/text/format.h"
#include "app/gui/text/label_text.h"
#include "app/gui/text/layout_words.h"
#include "app/gui/text/text.h"
#include "core/base/json.h"
#include "core/base/units.h"
#include "core/metrics/forecast_label.h"
#include "core/metrics/metric_series.h"
#include "core/spec/metric_names.h"

#include <nlohmann/json.hpp>

#include <QCoreApplication>
#include <QRegularExpression>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

namespace slipway::gui {
namespace {

constexpr std::size_t kMaxPoints = 1000;
constexpr std::size_t kFineBuckets = 4 * kMaxPoints;  // for few runs
constexpr std::size_t kCoarseBuckets = kMaxPoints / 2;
constexpr std::size_t kFewRuns = 50;
constexpr std::size_t kBucketsAmongMany = 50;  // those of an outline, which the index has in one row
constexpr std::size_t kManyRuns = 200;

QString say(const char* text) {
    return QCoreApplication::translate("CompareData", text);
}

std::optional<double> RunFigures::*memberOf(std::string_view key) {
    for (const FigureInfo& info : figureInfos())
        if (info.key == key) return info.member;
    return nullptr;
}

// One line: of a single run, or the mean of repeats with their range as a band.
Curve curveOf(RunStore& store, const CompareGroup& group, const CompareRequest& request, int index) {
    Curve curve;
    curve.name = group.name;
    curve.letter = group.letter;
    curve.colour = index;
    std::map<double, std::vector<SeriesBucket>> at;
    bool raw = true;
    const std::size_t fineness = request.runs.size() > kManyRuns  ? kBucketsAmongMany
                                 : request.runs.size() > kFewRuns ? kCoarseBuckets
                                                                  : kFineBuckets;
    for (const RunRecord& record : group.members) {
        const CurveSource source{record, group.config, numDevicesOf(store, record.id, group.config)};
        const ThinSeries series = smooth(metricOf(store, source, request.metric, fineness), request.smoothing);
        raw = raw && series.raw;
        std::vector<std::int64_t> steps;
        for (const SeriesBucket& bucket : series.buckets) steps.push_back(bucket.lastStep);
        MetricSeries axis{{}, {}, steps, abscissa(store, source, steps, request.x)};
        for (std::size_t i = 0; i < axis.size(); ++i)
            if (!std::isnan(axis.values[i]) && std::isfinite(series.buckets[i].mean))
                at[axis.values[i]].push_back(series.buckets[i]);
        steps.clear();
        for (const NonFinitePoint& point : series.nonFinite) steps.push_back(point.step);
        for (const double x : valuesAt(axis, steps))
            if (!std::isnan(x)) curve.nonFinite.append(x);
    }
    const std::size_t stride = std::max<std::size_t>(1, (at.size() + kMaxPoints - 1) / kMaxPoints);
    const bool band = group.members.size() > 1 || stride > 1 || !raw;
    std::size_t n = 0;
    double x = 0, sum = 0, low = 0, high = 0;
    std::size_t count = 0;
    const auto flush = [&] {
        if (count == 0) return;
        curve.points.append({x, sum / static_cast<double>(count)});
        if (band) {
            curve.low.append({x, low});
            curve.high.append({x, high});
        }
        sum = 0;
        count = 0;
    };
    for (const auto& [position, buckets] : at) {
        if (count == 0) x = position;
        for (const SeriesBucket& bucket : buckets) {
            low = count == 0 ? bucket.min : std::min(low, bucket.min);
            high = count == 0 ? bucket.max : std::max(high, bucket.max);
            sum += bucket.mean;
            ++count;
        }
        if (++n % stride == 0) flush();
    }
    flush();
    return curve;
}

// A key that is equal for runs that differ only in their seed. The trials of a sweep have their seed in their name as well.
std::string seedless(StoredConfig config) {
    config.config.train.seed = 0;
    config.config.name.clear();
    return dumpJson(config.document(), false);
}

// The beginning that the names of a group's runs share: "tp 2" of "tp 2, seed 1" and "tp 2, seed 2".
QString commonName(const CompareGroup& group) {
    QString common = group.name;
    for (const RunRecord& member : group.members) {
        const QString name = qs(member.name);
        qsizetype same = 0;
        while (same < common.size() && same < name.size() && common[same] == name[same]) ++same;
        common.truncate(same);
    }
    if (common == group.name) return common;
    static const QRegularExpression kTail(QStringLiteral("[\\s,_#./:-]*(seed)?[\\s,_#./:=-]*\\d*$"),
                                          QRegularExpression::CaseInsensitiveOption);
    common.truncate(kTail.match(common).capturedStart());
    return common.isEmpty() ? layoutText(group.config) : common;
}

std::vector<CompareGroup> makeGroups(std::vector<std::pair<RunRecord, StoredConfig>> runs, bool groupSeeds) {
    std::vector<CompareGroup> groups;
    std::map<std::string, std::size_t> byHash;
    for (auto& [record, config] : runs) {
        const std::string key = groupSeeds ? seedless(config) : record.id.value;
        if (const auto it = byHash.find(key); it != byHash.end()) {
            groups[it->second].members.push_back(std::move(record));
            continue;
        }
        byHash[key] = groups.size();
        CompareGroup group;
        group.name = record.name.empty() ? layoutText(config) : qs(record.name);
        group.config = config;
        group.members.push_back(std::move(record));
        groups.push_back(std::move(group));
    }
    for (std::size_t i = 0; i < groups.size(); ++i) {
        groups[i].letter = groupLetter(static_cast<int>(i));
        if (groups[i].members.size() > 1) groups[i].name = commonName(groups[i]);
        groups[i].failed = std::none_of(groups[i].members.begin(), groups[i].members.end(), [](const RunRecord& r) {
            return r.status == RunStatus::Completed || r.status == RunStatus::Running;
        });
    }
    return groups;
}

void addFieldRows(CompareData& data) {
    std::map<std::string, QVector<QString>> values;
    const FieldInfos order = runConfigFields();
    for (std::size_t g = 0; g < data.groups.size(); ++g)
        for (const FieldInfo& info : runConfigFields(data.groups[g].config.config)) {
            auto& cells = values[info.path];
            cells.resize(static_cast<qsizetype>(data.groups.size()));
            if (!data.groups[g].config.knows(info.path))
                cells[static_cast<qsizetype>(g)] = unknownText();
            else if (info.applies && info.defaultJson != "null")
                cells[static_cast<qsizetype>(g)] = valueWords(info.path, info.defaultJson);
        }
    data.rows.push_back(
        {DifferenceRow::Kind::Section, say(QT_TRANSLATE_NOOP("CompareData", "Configuration")), {}, {}, {}, true});
    std::set<std::string> seen;
    for (const FieldInfo& info : order) {
        if (info.path == "name" || info.path == "schema" || !seen.insert(info.path).second) continue;
        ++data.numFields;
        DifferenceRow row{DifferenceRow::Kind::Field, qs(info.path), values[info.path], {}, {}, false};
        QStringList known;  // a run that does not record the field differs from none by it
        for (QString& cell : row.cells) {
            if (cell != unknownText()) known << cell;
            if (cell.isEmpty()) cell = notApplicableText();
        }
        data.numUnknown += known.size() < row.cells.size() ? 1 : 0;
        known.removeDuplicates();
        row.differs = known.size() > 1;
        data.numDiffering += row.differs ? 1 : 0;
        data.rows.push_back(std::move(row));
    }
}

// Below this relative difference, single runs cannot be told apart (no known spread).
constexpr double kSingleRunNoise = 0.05;

void addResultRows(CompareData& data) {
    data.rows.push_back(
        {DifferenceRow::Kind::Section, say(QT_TRANSLATE_NOOP("CompareData", "Results")), {}, {}, {}, true});
    DifferenceRow basis{
        DifferenceRow::Kind::Result, say(QT_TRANSLATE_NOOP("CompareData", "Forecast basis")), {}, {}, {}, true};
    bool anyBasis = false;
    for (const CompareGroup& group : data.groups) {
        const std::string label = forecastLabel(group.members.front().forecastJson);
        anyBasis = anyBasis || !label.empty();
        basis.cells.append(label.empty() ? unknownText()
                                         : labelText(label, forecastSoftware(group.members.front().forecastJson)));
        basis.deltas.append(QString());
        basis.better.append(0);
    }
    if (anyBasis) data.rows.push_back(std::move(basis));
    for (const FigureInfo& info : figureInfos()) {
        for (const bool forecast : {false, true}) {
            DifferenceRow row{DifferenceRow::Kind::Result, {}, {}, {}, {}, true};
            const QString title = columnTitle(info.key);
            row.title = forecast ? say(QT_TRANSLATE_NOOP("CompareData", "%1, forecast")).arg(title) : title;
            const auto base = data.groups.front().middle(info.member, forecast);
            bool any = false;
            for (const CompareGroup& group : data.groups) {
                const auto value = group.middle(info.member, forecast);
                any = any || value.has_value();
                row.cells.append(value                       ? figureText(info.key, value)
                                 : group.failed && !forecast ? notApplicableText()
                                                             : unknownText());
                QString delta;
                int better = 0;
                // A forecast is followed by its error, a measurement by its change against the baseline.
                const auto against = forecast ? group.middle(info.member, false) : base;
                if (forecast || &group != &data.groups.front()) delta = differenceText(info.key, value, against);
                if (!delta.isEmpty()) {
                    const auto own = group.spread(info.member), others = data.groups.front().spread(info.member);
                    const bool isKnown = own || others;
                    const double noise =
                        isKnown ? std::max(own.value_or(0), others.value_or(0)) : std::fabs(*against) * kSingleRunNoise;
                    if (!forecast && std::fabs(*value - *against) > noise)
                        better = betterDirection(info.key) * (*value > *against ? 1 : -1);
                    else if (!forecast && isKnown && *value != *against)
                        delta = say(QT_TRANSLATE_NOOP("CompareData", "%1, noise")).arg(delta);
                }
                row.deltas.append(delta);
                row.better.append(better);
            }
            if (any) data.rows.push_back(std::move(row));
        }
    }
}

// The compared runs, whatever their outcome, followed by the newest other runs.
void addPoints(RunStore& store, CompareData& data, const CompareRequest& request, const std::stop_token& token) {
    const auto figure = memberOf(request.plotY);
    if (!figure) return;
    std::map<std::string, int> groups;
    for (std::size_t g = 0; g < data.groups.size(); ++g)
        for (const RunRecord& record : data.groups[g].members) groups[record.id.value] = static_cast<int>(g);
    RunQuery everywhere;
    everywhere.scope = RunScope::All;
    const auto all = store.listing(everywhere, token);
    const auto active = store.listing({}, token);
    if (!all || !active) return;
    std::vector<std::int64_t> keys;
    for (const auto& [id, group] : groups)
        if (const int place = all->ids.find(RunId(id)); place >= 0)
            keys.push_back(all->keys[static_cast<std::size_t>(place)]);
    const std::set<std::int64_t> compared(keys.begin(), keys.end());
    for (const std::int64_t key : active->keys)
        if (!compared.contains(key) && ++data.numOthers <= kMaxOtherRuns) keys.push_back(key);
    const auto rows = store.rows(keys, {request.plotX});
    if (!rows) return;
    for (const RunRow& row : *rows) {
        if (row.record.id.empty()) continue;
        const auto known = groups.find(row.record.id.value);
        const int group = known == groups.end() ? -1 : known->second;
        const bool hasValue = !std::holds_alternative<std::monostate>(row.cells[0]);
        if (!hasValue && (group < 0 || request.plotX.starts_with("measured."))) continue;
        PlotPoint point;
        point.run = row.record.id;
        point.group = group;
        point.name = row.record.name.empty() ? qs(row.record.id.value) : qs(row.record.name);
        point.x = textOf(request.plotX, row.cells[0]);
        point.xNumber = numberOf(row.cells[0]);
        const std::optional<double> value = row.record.measured.*figure;
        if (!value && !hasFailed(row.record.status)) {  // the place of failed runs is not its place
            data.numWithoutValue += group >= 0 ? 1 : 0;
            continue;
        }
        point.y = value.value_or(std::nan(""));
        point.forecast = row.record.forecast.*figure;
        if (hasFailed(row.record.status)) point.reason = recordedWords(row.record.reason);
        data.points.push_back(std::move(point));
    }
}

}  // namespace

std::optional<double> CompareGroup::middle(std::optional<double> RunFigures::*figure, bool forecast) const {
    std::vector<double> values;
    for (const RunRecord& record : members)
        if (const auto& value = (forecast ? record.forecast : record.measured).*figure) values.push_back(*value);
    return values.empty() ? std::nullopt : std::optional(median(std::move(values)));
}

std::optional<double> CompareGroup::spread(std::optional<double> RunFigures::*figure) const {
    std::vector<double> values;
    for (const RunRecord& record : members)
        if (const auto& value = record.measured.*figure; value && std::isfinite(*value)) values.push_back(*value);
    if (values.size() < 2) return {};
    std::sort(values.begin(), values.end());
    // Quartiles at ranks that exist; those of two or three values are the lowest and the highest, as on the charts.
    return values[(3 * values.size() - 1) / 4] - values[values.size() / 4];
}

QString curveXName(CurveX x) {
    switch (x) {
        case CurveX::Tokens: return say(QT_TRANSLATE_NOOP("CompareData", "Tokens"));
        case CurveX::Time: return say(QT_TRANSLATE_NOOP("CompareData", "Time"));
        case CurveX::Flops: return QStringLiteral("FLOPs");
        case CurveX::Step: break;
    }
    return say(QT_TRANSLATE_NOOP("CompareData", "Step"));
}

QString groupLetter(int index) {
    return index < 26 ? QString(QChar('A' + index)) : groupLetter(index / 26 - 1) + QChar('A' + index % 26);
}

QString layoutText(const RunConfig& config) {
    StoredConfig whole;
    whole.config = config;
    return layoutText(whole);
}

QString layoutText(const StoredConfig& stored) {
    if (!stored.knows("parallel.dp")) return unknownText();
    const ParallelLayout& p = stored.config.parallel;
    QStringList degrees{QStringLiteral("dp %1").arg(p.dp)};
    const auto add = [&](const char* key, std::int64_t degree, std::int64_t least) {
        if (degree >= least && stored.knows(std::string("parallel.") + key))
            degrees << QStringLiteral("%1 %2").arg(QLatin1String(key)).arg(degree);
    };
    add("tp", p.tp, 1);
    add("pp", p.pp, 1);
    add("cp", p.cp, 2);
    add("ep", p.ep, 2);
    QStringList parts{degrees.join(QStringLiteral(" × "))};
    if (stored.knows("train.micro_batch_size"))
        parts << QStringLiteral("mb %1").arg(stored.config.train.microBatchSize);
    if (p.zeroStage > 0 && stored.knows("parallel.zero_stage")) parts << QStringLiteral("ZeRO-%1").arg(p.zeroStage);
    if (p.sequenceParallel && stored.knows("parallel.sequence_parallel")) parts << QStringLiteral("SP");
    if (p.pp > 1 && stored.knows("parallel.schedule")) parts << choiceWord("parallel.schedule", wordOf(p.schedule));
    return parts.join(QStringLiteral(", "));
}

namespace {

bool isShare(std::string_view key) {
    return key == "mfu" || key.starts_with("bubble") || key.ends_with("_fraction");
}

}  // namespace

QString differenceText(std::string_view key, std::optional<double> value, std::optional<double> against) {
    if (!value || !against || !std::isfinite(*value) || !std::isfinite(*against)) return {};
    if (isShare(key)) return pointsText(*value - *against);
    return *against == 0 ? QString() : deltaText(*value / *against - 1);
}

QString figureText(std::string_view key, std::optional<double> value) {
    if (!value) return unknownText();
    constexpr QChar thin(0x202F);
    if (isShare(key)) return qs(formatPercent(*value));
    if (key.ends_with("_bytes")) return qs(formatBytes(*value));
    if (key.ends_with("_seconds")) return qs(formatSeconds(*value));
    if (key.ends_with("loss")) return qs(formatFixed(*value, 3));
    if (key.ends_with("_hertz")) return qs(formatFixed(*value / 1e9, 2)) + thin + QStringLiteral("GHz");
    if (key.ends_with("_watts")) return qs(formatFixed(*value, 0)) + thin + QStringLiteral("W");
    if (key.ends_with("_celsius")) return qs(formatFixed(*value, 0)) + thin + QStringLiteral("°C");
    if (key == "peak_flops") return qs(formatFlops(*value));
    return qs(std::fabs(*value) < 1e6 ? formatCount(*value) : formatShort(*value));
}

int betterDirection(std::string_view key) {
    for (const MetricName& metric : kDerivedMetrics)
        if (metric.name == key) return metric.better;
    for (const MetricName& metric : kStepMetrics)
        if (metric.name == key) return metric.better;
    if (key == "bubble_fraction" || key.ends_with("_loss")) return -1;
    return 0;
}

CompareData loadCompare(const Home& home, const CompareRequest& request, const std::stop_token& token) {
    CompareData data;
    const auto opened = threadStore(home);
    if (!opened) {
        if (!request.runs.empty()) data.unreadable.append(errorText(opened.error()));
        return data;
    }
    RunStore& store = **opened;
    std::vector<std::pair<RunRecord, StoredConfig>> runs;
    for (const RunId& id : request.runs) {
        if (token.stop_requested()) return data;
        auto record = store.run(id);
        if (!record) {
            data.unreadable.append(qs(id.value) + QStringLiteral(": ") + errorText(record.error()));
            continue;
        }
        auto config = configOf(*record);
        if (!config) {
            data.unreadable.append(
                say(QT_TRANSLATE_NOOP("CompareData", "%1: its config.json cannot be read.")).arg(qs(id.value)));
            continue;
        }
        runs.emplace_back(std::move(*record), std::move(*config));
    }
    data.groups = makeGroups(std::move(runs), request.groupSeeds);
    if (data.groups.empty()) return data;
    for (std::size_t i = 0; i < data.groups.size(); ++i) {
        if (token.stop_requested()) return data;
        data.groups[i].curve = curveOf(store, data.groups[i], request, static_cast<int>(i));
        data.anySpread = data.anySpread || data.groups[i].members.size() > 1;
    }
    addResultRows(data);
    addFieldRows(data);
    (void)readLists(home, [&](RunStore& lists) -> Result<void> {
        addPoints(lists, data, request, token);
        return {};
    });
    data.plotRule = qs(data.groups.front().members.front().measured.mfuRule);
    return data;
}

}  // namespace slipway::gui
