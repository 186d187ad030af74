#include "app/gui/pages/field_axes.h"

#include "app/gui/pages/compare_data.h"
#include "app/gui/pages/sweep_data.h"
#include "app/gui/text/format.h"
#include "app/gui/text/text.h"
#include "core/store/run_fields.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <map>

namespace slipway::gui {
namespace {

constexpr std::size_t kMostSteps = 12;  // a numeric axis with more is a scale

ParallelAxis fieldAxis(const FieldsData& data, const std::string& field, std::size_t cell) {
    ParallelAxis axis{axisName(field), {}, {}};
    const std::vector<CellValue> values = valuesOf(data, cell);
    const bool allNumbers = std::all_of(values.begin(), values.end(), [](const CellValue& value) {
        return std::holds_alternative<std::monostate>(value) || numberOf(value);
    });
    axis.values.reserve(data.rows.size());
    if (allNumbers && values.size() > kMostSteps) {
        axis.format = [field](double value) { return textOf(field, CellValue(value)); };
        for (const RunRow& row : data.rows) axis.values.push_back(numberOf(row.cells[cell]).value_or(NAN));
        return axis;
    }
    std::map<CellValue, double> places;
    for (const CellValue& value : values) {
        if (std::holds_alternative<std::monostate>(value)) continue;
        places.emplace(value, static_cast<double>(places.size()));
        axis.steps << textOf(field, value);
    }
    for (const RunRow& row : data.rows) {
        const auto place = places.find(row.cells[cell]);
        axis.values.push_back(place == places.end() ? NAN : place->second);
    }
    if (axis.steps.isEmpty()) axis.steps << notApplicableText();  // not a figure: its lines did not fail
    return axis;
}

/// The fewest digits that the filter reads back as the same number.
std::string exactDigits(double value) {
    char digits[40];
    return {digits, std::to_chars(digits, std::end(digits), value).ptr};
}

/// A value in the form that the filter reads back.
std::string filterText(const CellValue& value) {
    if (const auto* whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
    if (const auto* real = std::get_if<double>(&value)) return exactDigits(*real);
    std::string quoted = "\"";
    for (const char c : std::get<std::string>(value)) {
        if (c == '"' || c == '\\') quoted += '\\';
        quoted += c;
    }
    return quoted + '"';
}

/// The values of the steps of an axis of words.
std::vector<CellValue> stepsOf(const FieldsData& data, std::size_t cell) {
    std::vector<CellValue> known = valuesOf(data, cell);
    std::erase_if(known, [](const CellValue& value) { return std::holds_alternative<std::monostate>(value); });
    return known;
}

}  // namespace

QString axisName(const std::string& field) {
    static const std::map<std::string, const char*> words{
        {"parallel.dp", "dp"}, {"parallel.tp", "tp"}, {"parallel.pp", "pp"},
        {"parallel.cp", "cp"}, {"parallel.ep", "ep"}, {"parallel.zero_stage", "ZeRO"},
    };
    if (const auto word = words.find(field); word != words.end()) return QString::fromLatin1(word->second);
    const RunField* known = findRunField(field);
    return hasFieldLabel(field) ? fieldLabel(field) : columnTitle(known ? known->name : field);
}

const std::vector<std::string>& defaultAxisFields() {
    // Columns of the index: reading them does not load documents.
    static const std::vector<std::string> fields{"model",
                                                 "world_size",
                                                 "parallel.dp",
                                                 "parallel.tp",
                                                 "parallel.pp",
                                                 "parallel.cp",
                                                 "parallel.ep",
                                                 "parallel.zero_stage",
                                                 "train.micro_batch_size",
                                                 "train.global_batch_size",
                                                 "train.seq_len",
                                                 "train.recompute.policy",
                                                 "train.precision",
                                                 "parallel.schedule"};
    return fields;
}

double explainedShare(const ParallelAxis& axis, const std::vector<double>& y) {
    const auto groups = static_cast<std::size_t>(axis.steps.size());
    if (groups < 2) return 0;
    std::vector<double> sums(groups, 0), counts(groups, 0);
    double sum = 0, squares = 0, n = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
        if (!std::isfinite(y[i]) || !std::isfinite(axis.values[i])) continue;
        const auto group = static_cast<std::size_t>(axis.values[i]);
        sums[group] += y[i];
        ++counts[group];
        sum += y[i];
        squares += y[i] * y[i];
        ++n;
    }
    const auto met = static_cast<double>(std::count_if(counts.begin(), counts.end(), [](double c) { return c > 0; }));
    if (n <= met || met < 2) return 0;
    const double total = squares - sum * sum / n;
    double between = -sum * sum / n;
    for (std::size_t g = 0; g < groups; ++g)
        if (counts[g] > 0) between += sums[g] * sums[g] / counts[g];
    if (!(total > 0)) return 0;
    return 1 - (1 - between / total) * (n - 1) / (n - met);
}

std::vector<ParallelAxis> runAxes(const FieldsData& data,
                                  const std::vector<std::pair<std::string, std::size_t>>& fields,
                                  const std::vector<std::string>& measures) {
    std::vector<ParallelAxis> out, figures;
    for (const std::string& measure : measures) {
        ParallelAxis axis{columnTitle(measure), {}, {}};
        axis.format = [measure](double value) { return figureText(measure, value); };
        for (const RunRow& row : data.rows)
            axis.values.push_back(
                hasFailed(row.record.status) ? NAN : figureOf(row.record, measure, FieldValue::Measured).value_or(NAN));
        figures.push_back(std::move(axis));
    }
    for (const auto& [field, cell] : fields) {
        ParallelAxis axis = fieldAxis(data, field, cell);
        if (!figures.empty()) axis.weight = explainedShare(axis, figures.back().values);
        // Two fields with the same label are distinguished by their keys.
        if (std::any_of(out.begin(), out.end(), [&](const ParallelAxis& other) { return other.name == axis.name; }))
            axis.name = qs(field);
        out.push_back(std::move(axis));
    }
    std::move(figures.begin(), figures.end(), std::back_inserter(out));
    return out;
}

std::optional<std::string> rangesAsFilter(const std::vector<ParallelPlot::Limit>& limits, const FieldsData& data,
                                          const std::vector<std::pair<std::string, std::size_t>>& fields,
                                          const std::vector<std::string>& measures) {
    std::string out;
    for (const ParallelPlot::Limit& limit : limits) {
        const bool isFigure = limit.axis >= fields.size();
        const std::string name = isFigure ? "measured." + measures[limit.axis - fields.size()]
                                          : findRunField(fields[limit.axis].first)->name;
        if (limit.takesFailed && isFigure) return {};
        if (!out.empty()) out += ' ';
        if (limit.isScale) {
            out += name + ">=" + exactDigits(limit.low) + ' ' + name + "<=" + exactDigits(limit.high);
            continue;
        }
        const std::vector<CellValue> known = stepsOf(data, fields[limit.axis].second);
        if (limit.steps.empty()) return {};  // a range between two values selects no run
        out += name + ':';
        for (const int step : limit.steps)
            out += (step == limit.steps.front() ? "" : ",") + filterText(known[static_cast<std::size_t>(step)]);
    }
    return out;
}

std::vector<ViewRange> rangesOf(const std::vector<ParallelPlot::Limit>& limits, const FieldsData& data,
                                const std::vector<std::pair<std::string, std::size_t>>& fields,
                                const std::vector<std::string>& measures) {
    std::vector<ViewRange> out;
    for (const ParallelPlot::Limit& limit : limits) {
        const bool isFigure = limit.axis >= fields.size();
        ViewRange range{isFigure ? measures[limit.axis - fields.size()] : fields[limit.axis].first, {}, {}, {}, false};
        if (limit.isScale) {
            range.low = limit.low;
            range.high = limit.high;
            range.failed = isFigure && limit.takesFailed;
        } else {
            const std::vector<CellValue> known = stepsOf(data, fields[limit.axis].second);
            for (const int step : limit.steps)
                range.values.push_back(filterText(known[static_cast<std::size_t>(step)]));
        }
        out.push_back(std::move(range));
    }
    return out;
}

std::vector<ParallelPlot::Limit> limitsOf(const std::vector<ViewRange>& ranges, const FieldsData& data,
                                          const std::vector<std::pair<std::string, std::size_t>>& fields,
                                          const std::vector<std::string>& measures) {
    std::vector<ParallelPlot::Limit> out;
    for (const ViewRange& range : ranges) {
        ParallelPlot::Limit limit;
        const auto field =
            std::find_if(fields.begin(), fields.end(), [&](const auto& f) { return f.first == range.field; });
        const auto measure = std::find(measures.begin(), measures.end(), range.field);
        if (field == fields.end() && measure == measures.end()) continue;
        limit.axis = field != fields.end() ? static_cast<std::size_t>(field - fields.begin())
                                           : fields.size() + static_cast<std::size_t>(measure - measures.begin());
        limit.isScale = range.low.has_value() && range.high.has_value();
        limit.low = range.low.value_or(0);
        limit.high = range.high.value_or(0);
        limit.takesFailed = range.failed;
        if (!limit.isScale && field != fields.end()) {
            const std::vector<CellValue> known = stepsOf(data, field->second);
            for (std::size_t step = 0; step < known.size(); ++step)
                if (std::find(range.values.begin(), range.values.end(), filterText(known[step])) != range.values.end())
                    limit.steps.push_back(static_cast<int>(step));
        }
        out.push_back(std::move(limit));
    }
    return out;
}

std::vector<ParetoPoint> paretoOf(const FieldsData& data, const std::string& x, const std::string& y) {
    std::vector<ParetoPoint> out;
    out.reserve(data.rows.size());
    for (const RunRow& row : data.rows) {
        const bool ran = !hasFailed(row.record.status);
        const auto figure = [&](const std::string& measure) {
            return ran ? figureOf(row.record, measure, FieldValue::Measured).value_or(NAN) : NAN;
        };
        out.push_back(
            {figure(x), figure(y), false, row.record.name.empty() ? qs(row.record.id.value) : qs(row.record.name)});
    }
    return out;
}

}  // namespace slipway::gui
