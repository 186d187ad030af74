#include "app/gui/pages/fields_data.h"

#include "app/gui/models/runs_model.h"
#include "app/gui/pages/compare_data.h"
#include "app/gui/pages/sweep_data.h"
#include "app/gui/text/format.h"
#include "app/gui/text/text.h"
#include "core/base/json.h"
#include "core/metrics/metric_series.h"
#include "core/spec/stored_config.h"
#include "core/store/run_fields.h"
#include "core/store/skipped_trials.h"

#include <nlohmann/json.hpp>

#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <set>

namespace slipway::gui {
namespace {

constexpr int kMaxColours = 8;
constexpr std::size_t kMaxLines = 40;  // of a heat map, in either direction

/// A field in the name of a layout, and its word; read for every run after the requested fields.
struct LayoutField {
    const char* field;
    const char* word;
    double unnamed;  ///< the value that is omitted
};
constexpr LayoutField kLayout[] = {{"dp", "dp", -1},         {"tp", "tp", -1}, {"pp", "pp", -1},
                                   {"cp", "cp", 1},          {"ep", "ep", 1},  {"micro_batch_size", "mb", -1},
                                   {"zero_stage", "ZeRO", 0}};

QString say(const char* text) {
    return QCoreApplication::translate("FieldsData", text);
}

/// Numbers by value, texts by the alphabet, unknown values last.
bool isBefore(const CellValue& a, const CellValue& b) {
    const auto rank = [](const CellValue& v) {
        return std::holds_alternative<std::monostate>(v) ? 2 : std::holds_alternative<std::string>(v) ? 1 : 0;
    };
    if (rank(a) != rank(b)) return rank(a) < rank(b);
    if (rank(a) == 1) return std::get<std::string>(a) < std::get<std::string>(b);
    const auto number = [](const CellValue& v) {
        const auto* whole = std::get_if<std::int64_t>(&v);
        return whole ? static_cast<double>(*whole) : std::get<double>(v);
    };
    return rank(a) == 0 && number(a) < number(b);
}

ConfigFacts factsOf(const RunRecord& record) {
    ConfigFacts facts{record.configHash, {}};
    facts.flopsPerToken.fill(NAN);
    const auto json = parseJson(record.configJson, record.id.value);
    if (!json) return facts;
    auto stored = readStoredConfig(*json, record.id.value);
    if (!stored) return facts;
    if (stored->knows("model.num_layers") && stored->knows("model.hidden_size") && stored->knows("train.seq_len"))
        for (std::size_t rule = 0; rule < facts.flopsPerToken.size(); ++rule)
            facts.flopsPerToken[rule] =
                modelFlopsPerToken(stored->config.model, stored->config.train.seqLen, static_cast<FlopsRule>(rule));
    stored->config.train.seed = 0;
    facts.repeats = configHash(stored->config);
    return facts;
}

/// The MFU of a run under another convention: the FLOPs per token change, the speed and the peak do not.
void rescore(RunFigures& figures, const ConfigFacts* facts, FlopsRule rule, int& numLeftOut) {
    if (!figures.mfu) return;
    constexpr auto kRules = enumNames(FlopsRule{});
    const auto recorded =
        std::find_if(kRules.begin(), kRules.end(), [&](const auto& name) { return name.word == figures.mfuRule; });
    const double factor = facts && recorded != kRules.end()
                              ? facts->flopsPerToken[static_cast<std::size_t>(rule)] /
                                    facts->flopsPerToken[static_cast<std::size_t>(recorded->value)]
                              : NAN;
    if (std::isfinite(factor)) {
        *figures.mfu *= factor;
        figures.mfuRule = std::string(wordOf(rule));
    } else {
        figures.mfu.reset();
        ++numLeftOut;
    }
}

void findRepeats(RunStore& store, FieldsData& data, const FieldsRequest& request, RepeatCache& cache,
                 const std::stop_token& token) {
    std::size_t read = 0;
    for (RunRow& row : data.rows) {
        if (token.stop_requested()) return;
        const std::string& hash = row.record.configHash;
        auto known = cache.find(hash);
        if (known == cache.end() && read < kMaxRepeatConfigs) {
            ++read;
            const auto whole = store.run(row.record.id);
            known = cache.emplace(hash, whole ? factsOf(*whole) : factsOf(row.record)).first;
        }
        const ConfigFacts* facts = known == cache.end() ? nullptr : &known->second;
        data.repeatsAreKnown = data.repeatsAreKnown && facts;
        data.repeats.push_back(facts ? facts->repeats : hash);
        if (!request.mfuRule) continue;
        int unknown = 0;
        rescore(row.record.measured, facts, *request.mfuRule, unknown);
        rescore(row.record.forecast, facts, *request.mfuRule, unknown);
        data.numNotRescored += unknown > 0;
        for (std::size_t i = 0; i < request.fields.size(); ++i)
            if (request.fields[i] == "measured.mfu")
                row.cells[i] = row.record.measured.mfu ? CellValue(*row.record.measured.mfu) : CellValue();
    }
}

int skippedIn(RunStore& store, const FieldsData& data) {
    std::set<std::string> sweeps;
    for (const RunRow& row : data.rows)
        if (!row.record.sweep.empty()) sweeps.insert(row.record.sweep.value);
    int count = 0;
    for (const std::string& sweep : sweeps)
        if (const auto skipped = slipway::skippedIn(store, SweepId(sweep))) count += static_cast<int>(*skipped);
    return count;
}

QString nameOf(const RunRecord& run) {
    return run.name.empty() ? qs(run.id.value) : qs(run.name);
}

/// "dp 8, mb 2": the layout without the fields that the position of a cell already shows.
QString layoutOf(const RunRow& row, const std::vector<std::string>& known) {
    const std::size_t first = row.cells.size() - std::size(kLayout);
    QStringList parts;
    for (std::size_t i = 0; i < std::size(kLayout); ++i) {
        const bool told = std::any_of(known.begin(), known.end(), [&](const std::string& field) {
            return findRunField(field) && findRunField(kLayout[i].field) &&
                   findRunField(field)->expression == findRunField(kLayout[i].field)->expression;
        });
        const auto value = numberOf(row.cells[first + i]);
        if (told || !value || *value == kLayout[i].unnamed) continue;
        parts << QStringLiteral("%1 %2").arg(QString::fromLatin1(kLayout[i].word)).arg(*value);
    }
    return parts.join(QStringLiteral(", "));
}

QString reasonOf(const RunRecord& run) {
    return run.reason.empty() ? statusText(run.status)
                              : statusText(run.status) + QStringLiteral(": ") + recordedWords(run.reason);
}

/// Figures of completed runs, by their repeats.
std::map<std::string, std::vector<std::pair<double, std::size_t>>> byRepeats(const FieldsData& data,
                                                                             const std::vector<std::size_t>& runs,
                                                                             const std::string& measure) {
    std::map<std::string, std::vector<std::pair<double, std::size_t>>> out;
    for (const std::size_t run : runs) {
        const RunRecord& record = data.rows[run].record;
        const auto value = figureOf(record, measure, FieldValue::Measured);
        if (!hasFailed(record.status) && value && std::isfinite(*value))
            out[data.repeats[run]].emplace_back(*value, run);
    }
    for (auto& [key, values] : out) std::sort(values.begin(), values.end());
    return out;
}

double middleOf(const std::vector<std::pair<double, std::size_t>>& values) {
    std::vector<double> all;
    for (const auto& [value, run] : values) all.push_back(value);
    return median(std::move(all));
}

/// "4 ran, 2 failed"
QString countsText(int ran, int failed) {
    QStringList parts;
    if (ran > 0) parts << say(QT_TRANSLATE_NOOP("FieldsData", "%1 ran")).arg(countText(ran));
    if (failed > 0) parts << say(QT_TRANSLATE_NOOP("FieldsData", "%1 failed")).arg(countText(failed));
    return parts.join(QStringLiteral(", "));
}

}  // namespace

bool hasFailed(RunStatus status) {
    return status == RunStatus::Failed || status == RunStatus::Cancelled || status == RunStatus::Lost;
}

FieldsData loadFields(RunStore& store, const FieldsRequest& request, RepeatCache& cache, const std::stop_token& token) {
    FieldsData data;
    RunQuery query;
    query.filter = request.filter;
    const auto found = store.listing(query, token);
    if (!found) {
        data.problem = errorText(found.error());
        return data;
    }
    std::vector<std::int64_t> keys;
    if (request.runs.empty()) {
        keys = found->keys;
    } else {
        for (const RunId& id : request.runs)
            if (const int place = found->ids.find(id); place >= 0)
                keys.push_back(found->keys[static_cast<std::size_t>(place)]);
    }
    auto columns = request.fields;
    for (const LayoutField& field : kLayout) columns.emplace_back(field.field);
    auto rows = store.rows(keys, columns);
    if (!rows) {
        data.problem = errorText(rows.error());
        return data;
    }
    data.rows = std::move(*rows);
    std::erase_if(data.rows, [](const RunRow& row) { return row.record.id.empty(); });
    for (const RunRow& row : data.rows) {
        const bool ran = row.record.status == RunStatus::Completed;
        ++(ran ? data.numRan : hasFailed(row.record.status) ? data.numFailed : data.numOther);
    }
    data.numSkipped = skippedIn(store, data);
    findRepeats(store, data, request, cache, token);
    return data;
}

std::vector<ChoiceOfField> choicesOfFields() {
    struct Group {
        const char* prefix;
        const char* name;
    };
    static constexpr Group kGroups[] = {
        {"parallel.", QT_TRANSLATE_NOOP("FieldsData", "Layout")},
        {"train.", QT_TRANSLATE_NOOP("FieldsData", "Training")},
        {"model.", QT_TRANSLATE_NOOP("FieldsData", "Model")},
        {"optimizer.", QT_TRANSLATE_NOOP("FieldsData", "Optimizer")},
        {"", QT_TRANSLATE_NOOP("FieldsData", "Other settings")},
    };
    std::vector<ChoiceOfField> out;
    std::set<std::string> listed;
    std::set<QString> names;
    const auto add = [&](const char* group, QString name, const std::string& key) {
        if (!listed.insert(key).second) return;
        if (!names.insert(name).second) {  // two fields with the same label are distinguished by their keys
            name += QStringLiteral(" (%1)").arg(qs(key));
            names.insert(name);
        }
        out.push_back({say(group), name, qs(key)});
    };
    for (const Group& group : kGroups) {
        for (const FieldInfo& info : runConfigFields()) {
            const bool plottable = info.kind == FieldKind::Integer || info.kind == FieldKind::Real ||
                                   info.kind == FieldKind::Enum || info.kind == FieldKind::Bool ||
                                   info.path == "data.tokens";
            if (plottable && info.path.starts_with(group.prefix) && findRunField(info.path))
                add(group.name, fieldLabel(info.path), info.path);
        }
        if (std::string_view(group.prefix) != "parallel.") continue;
        for (const char* key : {"world_size", "num_nodes", "device", "num_micro_batches"})
            add(group.name, columnTitle(key), key);
    }
    constexpr const char* kRun = QT_TRANSLATE_NOOP("FieldsData", "Run");
    for (const char* key : {"model", "sweep", "status", "attempts", "duration_seconds"})
        add(kRun, columnTitle(key), key);
    constexpr const char* kResults = QT_TRANSLATE_NOOP("FieldsData", "Results");
    for (const FigureInfo& info : figureInfos())
        add(kResults, columnTitle(info.key), "measured." + std::string(info.key));
    return out;
}

QString textOf(const std::string& name, const CellValue& value) {
    const RunField* field = findRunField(name);
    if (std::holds_alternative<std::monostate>(value) || !field) return notApplicableText();
    if (name.starts_with("measured.")) return figureText(name.substr(9), numberOf(value));
    return cellText(*field, value, true);
}

std::optional<double> numberOf(const CellValue& value) {
    if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
    if (const auto* real = std::get_if<double>(&value); real && std::isfinite(*real)) return *real;
    return {};
}

std::vector<CellValue> valuesOf(const FieldsData& data, std::size_t cell) {
    std::set<CellValue, decltype(&isBefore)> values(&isBefore);
    for (const RunRow& row : data.rows) values.insert(row.cells[cell]);
    return {values.begin(), values.end()};
}

std::optional<double> figureOf(const RunRecord& run, const std::string& measure, FieldValue value) {
    const auto member = measureOf(measure);
    if (!member) return {};
    const auto& measured = run.measured.*member;
    const auto& forecast = run.forecast.*member;
    if (value == FieldValue::Measured) return measured;
    if (value == FieldValue::Forecast) return forecast;
    if (!measured || !forecast) return {};
    if (measure == "mfu" || measure.starts_with("bubble")) return *measured - *forecast;
    return *forecast == 0 ? std::nullopt : std::optional(*measured / *forecast - 1);
}

QString valueText(const std::string& measure, FieldValue value, double figure) {
    if (value != FieldValue::Difference) return figureText(measure, figure);
    return measure == "mfu" || measure.starts_with("bubble") ? pointsText(figure) : deltaText(figure);
}

FieldPoints pointsOf(const FieldsData& data, const PointsQuestion& question) {
    FieldPoints out;
    const auto colours = question.colour ? valuesOf(data, *question.colour) : std::vector<CellValue>{};
    for (std::size_t i = 0; i < data.rows.size(); ++i) {
        const RunRow& row = data.rows[i];
        if (question.facet && row.cells[question.facet->first] != question.facet->second) continue;
        const RunRecord& run = row.record;
        const bool failed = hasFailed(run.status);
        const auto figure = figureOf(run, question.measure, question.value);
        if (!failed && !(figure && std::isfinite(*figure))) {
            ++out.numWithout;
            continue;
        }
        FieldPoint point;
        point.x = textOf(question.xField, row.cells[question.x]);
        point.xNumber = numberOf(row.cells[question.x]);
        point.y = failed && question.value != FieldValue::Forecast ? std::nan("") : figure.value_or(std::nan(""));
        if (question.value == FieldValue::Measured)
            point.forecast = figureOf(run, question.measure, FieldValue::Forecast);
        point.name = nameOf(run);
        point.id = exactText(run.id.value);
        if (failed) point.reason = reasonOf(run);
        point.repeats = i < data.repeats.size() ? qs(data.repeats[i]) : QString();
        if (question.colour) {
            const auto at = std::find(colours.begin(), colours.end(), row.cells[*question.colour]) - colours.begin();
            if (at < kMaxColours) point.colour = static_cast<int>(at);
        }
        out.points.push_back(std::move(point));
    }
    return out;
}

FieldCells cellsOf(const FieldsData& data, const std::string& measure, const std::string& rowField, std::size_t rowCell,
                   const std::string& columnField, std::size_t columnCell) {
    FieldCells out;
    auto rows = valuesOf(data, rowCell), columns = valuesOf(data, columnCell);
    HeatGrid& grid = out.grid;
    const auto cut = [&](std::vector<CellValue>& values) {
        if (values.size() > kMaxLines) values.resize(kMaxLines);
    };
    const std::size_t numRows = rows.size(), numColumns = columns.size();
    cut(rows);
    cut(columns);
    grid.title = columnTitle(measure);
    grid.rowName = qs(rowField).section('.', -1);
    grid.columnName = qs(columnField).section('.', -1);
    for (const CellValue& value : rows) grid.rows << textOf(rowField, value);
    for (const CellValue& value : columns) grid.columns << textOf(columnField, value);
    grid.facets = {QString()};
    grid.lessIsBetter = isLessBetter(measure);
    grid.format = [measure](double value) { return figureText(measure, value); };
    out.runs.resize(rows.size() * columns.size());
    const auto placeIn = [](const std::vector<CellValue>& values, const CellValue& value) {
        return static_cast<std::size_t>(std::lower_bound(values.begin(), values.end(), value, isBefore) -
                                        values.begin());
    };
    for (std::size_t i = 0; i < data.rows.size(); ++i) {
        const std::size_t row = placeIn(rows, data.rows[i].cells[rowCell]);
        const std::size_t column = placeIn(columns, data.rows[i].cells[columnCell]);
        if (row < rows.size() && column < columns.size()) out.runs[row * columns.size() + column].push_back(i);
    }
    const double sign = grid.lessIsBetter ? -1 : 1;
    int bestCell = -1;
    double most = -INFINITY;
    for (std::size_t c = 0; c < out.runs.size(); ++c) {
        HeatCell cell;
        const QString place = QStringLiteral("%1 %2, %3 %4")
                                  .arg(grid.rowName, grid.rows[static_cast<qsizetype>(c / columns.size())],
                                       grid.columnName, grid.columns[static_cast<qsizetype>(c % columns.size())]);
        std::map<QString, int> reasons;
        int failed = 0;
        for (const std::size_t run : out.runs[c])
            if (hasFailed(data.rows[run].record.status)) {
                ++failed;
                ++reasons[reasonOf(data.rows[run].record)];
            }
        cell.numFailed = failed;
        cell.tip << place;
        int ran = 0;
        double value = 0;
        const std::vector<std::pair<double, std::size_t>>* best = nullptr;
        const auto groups = byRepeats(data, out.runs[c], measure);
        for (const auto& [key, values] : groups) {
            ran += static_cast<int>(values.size());
            const double middle = middleOf(values);
            if (best && sign * middle <= sign * value) continue;
            best = &values;
            value = middle;
        }
        if (best) {
            const RunRecord& run = data.rows[best->front().second].record;
            cell.state = HeatCell::State::Value;
            cell.value = value;
            cell.headline = figureText(measure, value);
            const QString layout = layoutOf(data.rows[best->front().second], {rowField, columnField});
            cell.lines << layout << countsText(ran, failed);
            cell.tip << grid.title + QStringLiteral(": ") + cell.headline << layout << nameOf(run);
            if (best->size() > 1)
                cell.tip << say(QT_TRANSLATE_NOOP("FieldsData", "median of %1 repeats, %2 – %3"))
                                .arg(best->size())
                                .arg(figureText(measure, best->front().first), figureText(measure, best->back().first));
            if (sign * value > most) {
                most = sign * value;
                bestCell = static_cast<int>(c);
            }
        } else if (failed > 0) {
            cell.state = HeatCell::State::Failed;
            cell.headline = say(QT_TRANSLATE_NOOP("FieldsData", "failed"));
            cell.lines << say(QT_TRANSLATE_NOOP("FieldsData", "%1 of %2")).arg(failed).arg(out.runs[c].size())
                       << reasons.begin()->first;
        } else if (!out.runs[c].empty()) {
            cell.state = HeatCell::State::NoValue;
            cell.headline = notApplicableText();
        }
        cell.tip << countsText(ran, failed);
        for (const auto& [reason, count] : reasons) cell.tip << QStringLiteral("%1 × %2").arg(count).arg(reason);
        grid.cells.push_back(std::move(cell));
    }
    if (bestCell >= 0) grid.cells[static_cast<std::size_t>(bestCell)].isBest = true;
    grid.summary = say(QT_TRANSLATE_NOOP("FieldsData", "%1 by %2 and %3: %4."))
                       .arg(grid.title, grid.rowName, grid.columnName, countsText(data.numRan, data.numFailed));
    if (numRows > rows.size() || numColumns > columns.size())
        grid.summary +=
            QStringLiteral(" ") +
            say(QT_TRANSLATE_NOOP("FieldsData", "The first %1 values of each field are shown.")).arg(kMaxLines);
    return out;
}

QString noiseText(const FieldsData& data, const std::string& measure) {
    std::vector<std::size_t> all(data.rows.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    const auto groups = byRepeats(data, all, measure);
    using Entry = std::vector<std::pair<double, std::size_t>>;
    std::vector<const Entry*> order;
    for (const auto& [key, values] : groups) order.push_back(&values);
    const double sign = isLessBetter(measure) ? -1 : 1;
    std::sort(order.begin(), order.end(),
              [&](const Entry* a, const Entry* b) { return sign * middleOf(*a) > sign * middleOf(*b); });
    if (order.size() < 2 || (order[0]->size() < 2 && order[1]->size() < 2)) return {};
    const auto span = [](const Entry& values) {
        return std::pair(values[values.size() / 4].first, values[(3 * values.size() - 1) / 4].first);
    };
    const auto [lowA, highA] = span(*order[0]);
    const auto [lowB, highB] = span(*order[1]);
    const QString a = nameOf(data.rows[order[0]->front().second].record);
    const QString b = nameOf(data.rows[order[1]->front().second].record);
    const QString change = differenceText(measure, middleOf(*order[0]), middleOf(*order[1]));
    return (lowA <= highB && lowB <= highA
                ? say(QT_TRANSLATE_NOOP(
                      "FieldsData", "%1 and %2, the two best, differ by %3: within the spread of repeats, so noise."))
                : say(QT_TRANSLATE_NOOP("FieldsData", "%1 is ahead of %2 by %3, more than the spread of repeats.")))
        .arg(a, b, change);
}

}  // namespace slipway::gui
