// The heat map of a sweep, and the reasons of points that did not run.
#include "core/base/json.h"
#include "core/base/recorded_text.h"
#include "core/base/units.h"
#include "core/report/figures.h"
#include "core/report/words.h"
#include "core/spec/run_config.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>

namespace slipway {
namespace {

constexpr std::size_t kMostColumns = 12, kMostCellRows = 16;
constexpr std::size_t kMostNames = 8;  ///< listed for a reason

/// The reason with every run of digits as one '#': "needs 81 GiB" and "needs 93 GiB" are one.
std::string patternOf(const TrialResult& trial) {
    std::string out = wordOf(trial.status) + ' ';
    for (const char c : trial.reason) {
        const bool isDigit =
            std::isdigit(static_cast<unsigned char>(c)) != 0 || ((c == '.' || c == ',') && out.back() == '#');
        if (!isDigit)
            out += c;
        else if (out.back() != '#')
            out += '#';
    }
    return out;
}

bool didNotRun(const TrialResult& trial) {
    return trial.status == TrialStatus::Failed || trial.status == TrialStatus::Skipped ||
           trial.status == TrialStatus::Infeasible || trial.status == TrialStatus::Lost ||
           trial.status == TrialStatus::Cancelled || (!trial.reason.empty() && trial.status != TrialStatus::Completed);
}

struct Reason {
    std::string pattern;
    std::vector<const TrialResult*> trials;
};

/// In the order of the trials; their numbers begin with 1.
std::vector<Reason> reasonsOf(const std::vector<TrialResult>& trials) {
    std::vector<Reason> reasons;
    for (const TrialResult& trial : trials) {
        if (!didNotRun(trial)) continue;
        const std::string pattern = patternOf(trial);
        auto at = std::find_if(reasons.begin(), reasons.end(), [&](const Reason& r) { return r.pattern == pattern; });
        if (at == reasons.end()) at = reasons.insert(reasons.end(), {pattern, {}});
        at->trials.push_back(&trial);
    }
    return reasons;
}

/// The fields of the trials as texts. A point that does not set a field has the value of its config: a sweep of named points
/// sets only what differs from the base.
class FieldTexts {
public:
    std::string of(const TrialResult& trial, const std::string& path) {
        for (const Setting& setting : trial.settings)
            if (setting.path == path) return unquoted(setting.value);
        if (!trial.knows(path)) return {};
        auto at = m_configs.find(&trial);
        if (at == m_configs.end()) at = m_configs.emplace(&trial, toJson(trial.config)).first;
        return textIn(at->second, path);
    }
    /// Not the value that a config has from the start: worth a word.
    bool isSpecial(const std::string& path, const std::string& value) const {
        return value != textIn(m_defaults, path);
    }

private:
    static std::string unquoted(const std::string& json) {
        return json.size() > 1 && json.front() == '"' ? json.substr(1, json.size() - 2) : json;
    }
    static std::string textIn(const Json& config, const std::string& path) {
        const Json* at = &config;
        for (std::size_t from = 0; from != std::string::npos;) {
            const std::size_t dot = path.find('.', from);
            const auto it = at->is_object() ? at->find(path.substr(from, dot - from)) : at->end();
            if (!at->is_object() || it == at->end()) return {};
            at = &*it;
            from = dot == std::string::npos ? dot : dot + 1;
        }
        return at->is_null() ? std::string() : unquoted(dumpJson(*at, false));
    }

    std::map<const TrialResult*, Json> m_configs;
    Json m_defaults = toJson(RunConfig{});
};

/// Numbers by size, other texts by the alphabet.
bool isBefore(const std::string& a, const std::string& b) {
    char* endA = nullptr;
    char* endB = nullptr;
    const double x = std::strtod(a.c_str(), &endA), y = std::strtod(b.c_str(), &endB);
    const bool numbers = !a.empty() && !b.empty() && *endA == '\0' && *endB == '\0';
    return numbers ? x < y : a < b;
}

struct MapAxis {
    std::string path;
    std::vector<std::string> values;
};

bool isSetAnywhere(const std::vector<TrialResult>& trials, const std::string& path) {
    return std::any_of(trials.begin(), trials.end(), [&](const TrialResult& trial) {
        return std::any_of(trial.settings.begin(), trial.settings.end(),
                           [&](const Setting& setting) { return setting.path == path; });
    });
}

/// The fields that differ, in the order in which they become axes; the seed comes last.
std::vector<MapAxis> axesOf(const std::vector<TrialResult>& trials, FieldTexts& texts) {
    std::vector<std::string> order{"parallel.tp", "parallel.pp", "parallel.dp", "parallel.cp", "parallel.ep"};
    for (const TrialResult& trial : trials)
        for (const Setting& setting : trial.settings)
            if (setting.path != "train.seed" && std::find(order.begin(), order.end(), setting.path) == order.end())
                order.push_back(setting.path);
    order.emplace_back("train.seed");
    std::vector<MapAxis> axes;
    for (const std::string& path : order) {
        if (!isSetAnywhere(trials, path)) continue;
        MapAxis axis{path, {}};
        for (const TrialResult& trial : trials)
            if (const std::string value = texts.of(trial, path);
                std::find(axis.values.begin(), axis.values.end(), value) == axis.values.end())
                axis.values.push_back(value);
        std::sort(axis.values.begin(), axis.values.end(), isBefore);
        if (axis.values.size() > 1 && axis.values.size() <= kMostCellRows) axes.push_back(std::move(axis));
    }
    return axes;
}

/// Distinguishes a point from the others of its cell.
std::string restOf(const TrialResult& trial, const std::vector<MapAxis>& axes, FieldTexts& texts) {
    std::string out;
    for (std::size_t i = 2; i < axes.size(); ++i) {
        const std::string name = axes[i].path.substr(axes[i].path.rfind('.') + 1);
        const std::string value = texts.of(trial, axes[i].path);
        if (texts.isSpecial(axes[i].path, value)) out += (out.empty() ? "" : ", ") + name + " " + value;
    }
    return out;
}

HeatFigure::Cell cellOf(const std::vector<const TrialResult*>& points, Member member, const std::vector<MapAxis>& axes,
                        FieldTexts& texts, const std::vector<Reason>& reasons, NumberFormat format, bool isLessBetter,
                        Language language) {
    HeatFigure::Cell cell;
    const TrialResult* best = nullptr;
    const TrialResult* other = nullptr;
    for (const TrialResult* point : points) {
        const auto& value = point->measured.*member;
        if (!value || !std::isfinite(*value) || point->status != TrialStatus::Completed) {
            if (other == nullptr || point->status == TrialStatus::Failed) other = point;
            continue;
        }
        const auto& before = best == nullptr ? value : best->measured.*member;
        if (best == nullptr || (isLessBetter ? *value < *before : *value > *before)) best = point;
    }
    if (best != nullptr) {
        cell.state = HeatFigure::State::Value;
        cell.value = *(best->measured.*member);
        cell.text = format(cell.value);
        if (points.size() > 1) cell.below = restOf(*best, axes, texts);
        return cell;
    }
    if (other == nullptr) return cell;
    cell.text = textOf(statusText(other->status), language);
    const std::string pattern = patternOf(*other);
    for (std::size_t i = 0; i < reasons.size(); ++i)
        if (didNotRun(*other) && reasons[i].pattern == pattern)
            cell.below = textOf("reason %1"_text(static_cast<std::int64_t>(i + 1)), language);
    switch (other->status) {
        case TrialStatus::Failed:
        case TrialStatus::Infeasible:
        case TrialStatus::Lost: cell.state = HeatFigure::State::Failed; break;
        case TrialStatus::Skipped:
        case TrialStatus::Cancelled: cell.state = HeatFigure::State::Skipped; break;
        default: cell.state = HeatFigure::State::Waiting;
    }
    return cell;
}

}  // namespace

std::optional<HeatFigure> heatFigure(const std::vector<TrialResult>& trials, Language language) {
    FieldTexts texts;
    std::vector<MapAxis> axes = axesOf(trials, texts);
    if (axes.empty()) return {};
    // The axis with more values is horizontal, if it fits.
    MapAxis none{"", {""}};
    if (axes.size() == 1) axes.push_back(none);
    if (axes[0].values.size() > axes[1].values.size() && axes[0].values.size() <= kMostColumns)
        std::swap(axes[0], axes[1]);
    const MapAxis &rows = axes[0], &columns = axes[1];
    if (columns.values.size() > kMostColumns) return {};

    const auto hasAny = [&](Member member) {
        return std::any_of(trials.begin(), trials.end(),
                           [&](const auto& t) { return (t.measured.*member).has_value(); });
    };
    struct Measure {
        Member member;
        SourceText title;
        NumberFormat format;
        bool isLessBetter;
    };
    const Measure measures[] = {
        {&RunFigures::mfu, "MFU over the fields of the sweep"_text, [](double v) { return formatPercent(v); }, false},
        {&RunFigures::tokensPerSecond, "Throughput over the fields of the sweep"_text, shortFormat(language), false},
        {&RunFigures::stepSeconds, "Step time over the fields of the sweep"_text, secondsFormat(language), true},
        {&RunFigures::finalLoss, "Final loss over the fields of the sweep"_text,
         [](double v) { return formatFixed(v, 3); }, true}};
    const Measure* measure =
        std::find_if(std::begin(measures), std::end(measures), [&](const Measure& m) { return hasAny(m.member); });
    if (measure == std::end(measures)) measure = measures;

    HeatFigure figure;
    figure.title = textOf(measure->title, language);
    figure.isLessBetter = measure->isLessBetter;
    figure.rowName = rows.path;
    figure.columnName = columns.path;
    figure.rows = rows.values;
    figure.columns = columns.values;
    const std::vector<Reason> reasons = reasonsOf(trials);
    for (const std::string& row : rows.values)
        for (const std::string& column : columns.values) {
            std::vector<const TrialResult*> points;
            for (const TrialResult& trial : trials)
                if (texts.of(trial, rows.path) == row && texts.of(trial, columns.path) == column)
                    points.push_back(&trial);
            figure.cells.push_back(cellOf(points, measure->member, axes, texts, reasons, measure->format,
                                          measure->isLessBetter, language));
        }
    figure.caption = textOf(
        reasons.empty()
            ? "Each cell has the best of its points; the darkest is the best."_text
            : "Each cell has the best of its points; the darkest is the best. The reasons are in the table."_text,
        language);
    return figure;
}

std::optional<Table> reasonsTable(const std::vector<TrialResult>& trials, Language language) {
    const std::vector<Reason> reasons = reasonsOf(trials);
    if (reasons.empty()) return {};
    const auto say = [&](const Message& message) { return textOf(message, language); };
    Table table;
    table.columns = {{say("No."_text), "number", "", true, ""},
                     {say("Status"_text), "status", "", false, ""},
                     {say("Reason"_text), "reason", "", false, ""},
                     {say("Count"_text), "count", "", true, ""},
                     {say("Names"_text), "names", "", false, ""}};
    for (std::size_t i = 0; i < reasons.size(); ++i) {
        const auto& own = reasons[i].trials;
        std::string names;
        for (std::size_t n = 0; n < std::min(own.size(), kMostNames); ++n) names += (n == 0 ? "" : ", ") + own[n]->name;
        if (own.size() > kMostNames)
            names = say("%1 and %2 more"_text(names, static_cast<std::int64_t>(own.size() - kMostNames)));
        const TrialResult& first = *own.front();
        const bool isBad = first.status == TrialStatus::Failed || first.status == TrialStatus::Infeasible;
        const auto number = static_cast<double>(i + 1), count = static_cast<double>(own.size());
        table.rows.push_back(
            {{formatCount(number), number, Tone::Plain},
             {textOf(statusText(first.status), language), {}, isBad ? Tone::Bad : Tone::Quiet},
             {first.reason.empty() ? say("not recorded"_text) : recordedText(first.reason, language), {}, Tone::Plain},
             {formatCount(count), count, Tone::Plain},
             {names, {}, Tone::Plain}});
    }
    return table;
}

}  // namespace slipway
