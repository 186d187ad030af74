#include "app/gui/pages/sweep_draft.h"

#include "app/gui/pages/sweep_cells.h"
#include "app/gui/text/format.h"
#include "app/gui/text/text.h"
#include "app/gui/values/json_lines.h"
#include "core/base/json_fields.h"
#include "core/base/untrusted_text.h"
#include "core/run/machine.h"
#include "core/sweep/trial.h"

#include <nlohmann/json.hpp>

#include <QRegularExpression>
#include <algorithm>
#include <cmath>

namespace slipway::gui {
namespace {

constexpr double kMostPlanned = 10000;  // several seconds of planning
constexpr int kMostInRange = 1000;

/// Indented, with lists of plain values on one line.
std::string written(const Json& json) {
    static const QRegularExpression list(QStringLiteral("\\[\\s*([^\\[\\]{}]*?)\\s*\\]"));
    static const QRegularExpression lineBreak(QStringLiteral("\\n\\s*"));
    QString text = exactText(dumpJson(json, true));
    QString out;
    qsizetype last = 0;
    for (auto it = list.globalMatch(text); it.hasNext();) {
        const auto match = it.next();
        out += text.mid(last, match.capturedStart() - last) + '[' +
               match.captured(1).replace(lineBreak, QStringLiteral(" ")) + ']';
        last = match.capturedEnd();
    }
    return (out + text.mid(last)).toStdString();
}

const FieldInfo* fieldNamed(const FieldInfos& fields, const std::string& path) {
    for (const FieldInfo& info : fields)
        if (info.path == path) return &info;
    return nullptr;
}

/// 1 2 4 -> "1, 2, 4".
QString valuesText(const Json& values) {
    QStringList parts;
    for (const Json& value : values)
        parts << exactText(value.is_string() ? value.get<std::string>() : dumpJson(value, false));
    return parts.join(QStringLiteral(", "));
}

bool isPlain(const Json& axis) {
    return axis.is_object() && axis.contains("field") && axis["field"].is_string() && axis.contains("values") &&
           axis["values"].is_array() && std::ranges::none_of(axis["values"], &Json::is_structured);
}

/// {"list": [{"f": 1}, {"f": 2}]}, as in stored documents, becomes {"field": "f", "values": [1, 2]}.
std::optional<Json> plainAxis(const Json& axis) {
    if (!axis.is_object() || !axis.contains("list") || !axis["list"].is_array() || axis["list"].empty()) return {};
    Json out{{"field", nullptr}, {"values", Json::array()}};
    for (const Json& choice : axis["list"]) {
        if (!choice.is_object() || choice.size() != 1 || choice.begin().value().is_structured()) return {};
        const std::string& field = choice.begin().key();
        if (field == "name" || (!out["field"].is_null() && out["field"] != field)) return {};
        out["field"] = field;
        out["values"].push_back(choice.begin().value());
    }
    return out;
}

Result<Json> oneValue(const FieldInfo& field, const QString& text) {
    Json document = Json::object();
    if (text == QLatin1String("default")) return Json(nullptr);
    if (auto set = setField(document, field.path, text.toStdString()); !set) return slipway::fail(set.error());
    const Json* at = &document;
    for (const QString& key : exactText(field.path).split('.')) at = &(*at)[key.toStdString()];
    return *at;
}

void setText(Json& json, const char* key, const QString& text) {
    if (!text.isEmpty() || json.contains(key)) json[key] = text.toStdString();
}

/// Runnable trials, reasons against the others, and the time at the forecast speed.
void addForecast(DraftCheck& check, const SweepFile& file, const std::vector<Trial>& trials) {
    SweepData data;
    double seconds = 0;
    bool isKnown = true;
    for (const Trial& trial : trials) {
        SweepTrial outcome;
        if (!trial.skipReason.empty()) {
            outcome.status = TrialStatus::Skipped;
            outcome.reason = trial.skipReason;
        } else {
            ++check.numRun;
            const auto forecast = parseJson(trial.forecastJson, "forecast");
            const auto step = forecast ? figuresFromJson(*forecast).stepSeconds : std::nullopt;
            const std::int64_t asked = trial.config.train.numSteps;
            const auto steps = static_cast<double>(file.stop.steps > 0 ? std::min(asked, file.stop.steps) : asked);
            isKnown = isKnown && step && std::isfinite(*step);
            double takes = step.value_or(0) * steps;
            if (file.stop.secondsPerTrial > 0) takes = std::min(takes, file.stop.secondsPerTrial);
            seconds += takes;
        }
        data.trials.push_back(std::move(outcome));
    }
    check.skipped = sweepReasons(data).shares;
    check.isPlanned = true;
    if (isKnown && check.numRun > 0) check.seconds = seconds;
    check.isBudgetShorter = file.stop.seconds > 0 && (!check.seconds || *check.seconds > file.stop.seconds);
}

}  // namespace

std::string newDraft(const RunConfig& base) {
    Json config = toJson(base);
    config.erase("name");
    return written({{"schema", kSweepSchema},
                    {"name", "New sweep"},
                    {"question", ""},
                    {"axes", Json::array({{{"field", "train.micro_batch_size"}, {"values", {1, 2, 4}}}})},
                    {"stop", {{"steps", 20}, {"seconds", 3600}, {"diverged", true}}},
                    {"base", std::move(config)}});
}

std::string draftOf(const std::string& document) {
    const auto json = parseJson(document, "sweep");
    if (!json || !json->is_object() || !json->contains("axes")) return json ? written(*json) : document;
    Json draft = *json;
    for (Json& axis : draft["axes"])
        if (auto plain = plainAxis(axis)) axis = std::move(*plain);
    return written(draft);
}

std::optional<DraftForm> formOf(const std::string& text) {
    const auto json = parseJson(text, "text");
    if (!json || !json->is_object()) return {};
    DraftForm form;
    const auto word = [&](const char* key) {
        return json->contains(key) && (*json)[key].is_string() ? exactText((*json)[key].get<std::string>()) : QString();
    };
    form.name = word("name");
    form.question = word("question");
    if (json->contains("axes") && (*json)["axes"].is_array())
        for (const Json& axis : (*json)["axes"])
            form.axes.push_back(isPlain(axis) ? DraftAxis{axis["field"].get<std::string>(), valuesText(axis["values"])}
                                              : DraftAxis{{}, exactText(dumpJson(axis, false))});
    Issues ignored;
    if (json->contains("stop")) form.stop = fields::fromJson<StopRules>((*json)["stop"], ignored);
    if (json->contains("search")) form.search = fields::fromJson<SearchRules>((*json)["search"], ignored);
    return form;
}

Result<Json> axisValues(const FieldInfo& field, const QString& values) {
    static const QRegularExpression range(
        QStringLiteral("^\\s*(-?[\\d.eE+-]+?)\\s*\\.\\.\\s*(-?[\\d.eE+-]+)\\s*(?:([x*+])\\s*([\\d.eE+-]+))?\\s*$"));
    Json out = Json::array();
    if (const auto match = range.match(values); match.hasMatch()) {
        const double low = match.captured(1).toDouble(), high = match.captured(2).toDouble();
        const bool times = match.captured(3) == QLatin1String("x") || match.captured(3) == QLatin1String("*");
        const double step = match.captured(4).isEmpty() ? 1 : match.captured(4).toDouble();
        if (!(low <= high) || (times ? step <= 1 || low <= 0 : step <= 0))
            return slipway::fail("bad_values", "A range goes up: 1..8, 1..8 +2 or 1..64 x2."_text, field.path);
        for (double at = low; at <= high * (1 + 1e-12) && out.size() < kMostInRange;
             at = times ? at * step : at + step) {
            auto value = oneValue(field, QString::number(at, 'g', 12));
            if (!value) return slipway::fail(value.error());
            out.push_back(std::move(*value));
        }
        return out;
    }
    for (const QString& part : values.split(',', Qt::SkipEmptyParts)) {
        auto value = oneValue(field, part.trimmed());
        if (!value) return slipway::fail(value.error());
        out.push_back(std::move(*value));
    }
    if (out.empty()) return slipway::fail("bad_values", "Name at least one value."_text, field.path);
    return out;
}

std::optional<std::string> withForm(const std::string& text, const DraftForm& form) {
    const auto before = parseJson(text, "text");
    if (!before || !before->is_object()) return {};
    Json json = *before;
    setText(json, "name", form.name);
    setText(json, "question", form.question);
    Json axes = Json::array();
    const FieldInfos fields = runConfigFields();
    for (const DraftAxis& axis : form.axes) {
        if (axis.field.empty()) {
            axes.push_back(parseJson(axis.values.toStdString(), "axis").value_or(Json::object()));
            continue;
        }
        const FieldInfo* field = fieldNamed(fields, axis.field);
        auto values = field ? axisValues(*field, axis.values) : Result<Json>(slipway::fail(Error{}));
        // Invalid input goes into the text as typed, where its problem is shown.
        if (!values) {
            values = Json::array();
            for (const QString& part : axis.values.split(',', Qt::SkipEmptyParts))
                values->push_back(part.trimmed().toStdString());
        }
        axes.push_back({{"field", axis.field}, {"values", std::move(*values)}});
    }
    if (!axes.empty() || json.contains("axes")) json["axes"] = std::move(axes);
    // A default is written only if the text has it.
    const auto put = [&json](const char* part, const Json& now, const Json& defaults) {
        for (const auto& item : now.items())
            if (item.value() != defaults[item.key()] || (json.contains(part) && json[part].contains(item.key())))
                json[part][item.key()] = item.value();
    };
    put("stop", fields::toJson(form.stop), fields::toJson(StopRules{}));
    if (form.search) {
        if (!json.contains("search")) json["search"]["method"] = wordOf(form.search->method);
        put("search", fields::toJson(*form.search), fields::toJson(SearchRules{}));
    } else {
        json.erase("search");
    }
    return json == *before ? text : written(json);
}

DraftCheck checkDraft(const std::string& text, const Home& home, const std::stop_token& token) {
    DraftCheck check;
    const auto json = parseJson(text, "text");
    if (!json) {
        // "text:LINE:COLUMN"
        const QString where = qs(json.error().where);
        check.problems.push_back({std::max(1, where.section(':', 1, 1).toInt()), errorText(json.error())});
        return check;
    }
    Issues issues;
    const SweepFile file = sweepFileFromJson(*json, issues);
    if (const auto named = checkName(file.name, "name"); !named && json->contains("name"))
        issues.push_back(issueOf(Severity::Error, "bad_name", "/name", named.error().sentence()));
    for (const Issue& issue : issues)
        if (issue.severity == Severity::Error) check.problems.push_back({lineOf(text, issue.field), issueText(issue)});
    if (!check.problems.empty()) return check;
    check.numPoints = file.countTrials();
    if (check.numPoints > kMostPlanned || token.stop_requested()) return check;
    std::vector<Trial> trials = expandSweep(file);
    planTrials(trials, file.cluster ? *file.cluster : thisMachine(home));
    addForecast(check, file, trials);
    return check;
}

}  // namespace slipway::gui
