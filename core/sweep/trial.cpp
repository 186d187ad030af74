#include "core/sweep/trial.h"

#include "core/base/hash.h"
#include "core/base/json_fields.h"
#include "core/base/untrusted_text.h"
#include "core/planner/plan.h"
#include "core/spec/stored_config.h"

#include <map>
#include <set>

namespace slipway {
namespace {

struct StatusWord {
    TrialStatus status;
    const char* word;
};
constexpr StatusWord kStatusWords[] = {{TrialStatus::Planned, "planned"},     {TrialStatus::Running, "running"},
                                       {TrialStatus::Completed, "completed"}, {TrialStatus::Failed, "failed"},
                                       {TrialStatus::Cancelled, "cancelled"}, {TrialStatus::Lost, "lost"},
                                       {TrialStatus::Skipped, "skipped"},     {TrialStatus::Infeasible, "infeasible"}};

/// "parallel.tp" -> "tp", or with the section if another field of the sweep has the same last part.
std::string shortName(const std::string& path, const std::map<std::string, int>& leaves) {
    const std::string leaf = path.substr(path.rfind('.') + 1);
    const auto it = leaves.find(leaf);
    return it != leaves.end() && it->second > 1 ? path : leaf;
}

std::string plainValue(const std::string& json) {
    return json.size() >= 2 && json.front() == '"' ? json.substr(1, json.size() - 2)
           : json == "null"                        ? "default"
                                                   : json;
}

/// Number of varied fields per leaf name.
std::map<std::string, int> countLeaves(const SweepFile& file) {
    std::set<std::string> paths;
    const auto collect = [&](const SettingGroup& group) {
        for (const Setting& setting : group.settings) paths.insert(setting.path);
    };
    for (const SweepAxis& axis : file.axes)
        for (const SettingGroup& choice : axis.choices) collect(choice);
    for (const SettingGroup& point : file.points) collect(point);
    std::map<std::string, int> leaves;
    for (const std::string& path : paths) ++leaves[path.substr(path.rfind('.') + 1)];
    return leaves;
}

std::string nameOf(const SettingGroup& group, const std::map<std::string, int>& leaves) {
    if (!group.name.empty()) return group.name;
    std::string name;
    for (const Setting& setting : group.settings)
        name += (name.empty() ? "" : ", ") + shortName(setting.path, leaves) + " " + plainValue(setting.value);
    return name;
}

/// Writes one setting into the document; null removes the key, so that the default applies.
void apply(Json& document, const Setting& setting) {
    Json* at = &document;
    std::size_t begin = 0;
    for (std::size_t dot = setting.path.find('.'); dot != std::string::npos; dot = setting.path.find('.', begin)) {
        Json& next = (*at)[setting.path.substr(begin, dot - begin)];
        if (!next.is_object()) next = Json::object();
        at = &next;
        begin = dot + 1;
    }
    const std::string leaf = setting.path.substr(begin);
    if (setting.value == "null")
        at->erase(leaf);
    else
        (*at)[leaf] = Json::parse(setting.value);
}

Trial makeTrial(const SweepFile& file, const Json& base, std::size_t index, SettingGroup group) {
    Trial trial;
    trial.index = index;
    trial.name = group.name.empty() ? "base" : repairedName(group.name);
    trial.settings = std::move(group.settings);
    Json document = base;
    for (const Setting& setting : trial.settings) apply(document, setting);
    document["name"] = trial.name;
    // One axis may make another's values ineffective; the point is trained without them.
    if (auto read = readStoredConfig(document, trial.name)) {
        trial.config = std::move(read->acting);
        trial.leftOut = std::move(read->leftOut);
    } else {
        Issues ignored;
        trial.config = runConfigFromJson(document, ignored);
        trial.skipReason = read.error().message.substr(0, read.error().message.find('\n'));
    }
    if (file.corpus && trial.config.data.tokens.empty()) trial.config.data.tokens = file.corpus->name + ".tok";
    return trial;
}

const Issue* firstError(const Issues& issues) {
    for (const Issue& issue : issues)
        if (issue.severity == Severity::Error) return &issue;
    return nullptr;
}

}  // namespace

std::string wordOf(TrialStatus status) {
    for (const StatusWord& entry : kStatusWords)
        if (entry.status == status) return entry.word;
    return "unknown";
}

std::optional<TrialStatus> trialStatusFrom(const std::string& word) {
    for (const StatusWord& entry : kStatusWords)
        if (word == entry.word) return entry.status;
    return {};
}

bool isSettled(TrialStatus status) {
    return status == TrialStatus::Completed || status == TrialStatus::Failed || status == TrialStatus::Skipped ||
           status == TrialStatus::Infeasible;
}

std::vector<Trial> expandSweep(const SweepFile& file) {
    const Json base = Json::parse(file.baseJson.empty() ? "{}" : file.baseJson);
    const std::map<std::string, int> leaves = countLeaves(file);
    std::vector<Trial> trials;
    std::map<std::string, int> names;
    const auto push = [&](SettingGroup group) {
        const int count = ++names[group.name];
        if (count > 1) group.name += " #" + std::to_string(count);
        trials.push_back(makeTrial(file, base, trials.size(), std::move(group)));
    };

    std::vector<std::size_t> choice(file.axes.size(), 0);
    bool more = !file.axes.empty() || file.points.empty();
    for (const SweepAxis& axis : file.axes) more = more && !axis.choices.empty();
    while (more) {
        SettingGroup group;
        for (std::size_t a = 0; a < file.axes.size(); ++a) {
            const SettingGroup& part = file.axes[a].choices[choice[a]];
            group.name += (group.name.empty() ? "" : ", ") + nameOf(part, leaves);
            group.settings.insert(group.settings.end(), part.settings.begin(), part.settings.end());
        }
        push(std::move(group));
        more = false;
        for (std::size_t a = file.axes.size(); a-- > 0 && !more;) {
            if (++choice[a] < file.axes[a].choices.size())
                more = true;
            else
                choice[a] = 0;
        }
    }
    for (const SettingGroup& point : file.points) push({nameOf(point, leaves), point.settings});
    return trials;
}

void planTrials(std::vector<Trial>& trials, const ClusterSpec& cluster) {
    std::map<std::string, std::string> seen;
    struct Forecast {
        std::string json, problem;
    };
    std::map<std::string, Forecast> forecasts;  // trials that differ only in their seed have the same
    for (Trial& trial : trials) {
        if (!trial.skipReason.empty()) continue;
        const auto [same, isNew] = seen.emplace(configHash(trial.config), trial.name);
        if (!isNew) {
            trial.skipReason = textOf("The same training as %1."_text(Message::name(same->second)));
            continue;
        }
        RunConfig alike = trial.config;
        alike.name.clear();
        alike.train.seed = 0;
        const auto [forecast, isNewForecast] = forecasts.emplace(configHash(alike), Forecast());
        if (isNewForecast) {
            const Plan plan = makePlan(trial.config, cluster);
            forecast->second.json = dumpJson(forecastJson(plan), false);
            if (const Issue* issue = firstError(plan.issues)) forecast->second.problem = issue->message;
        }
        trial.forecastJson = forecast->second.json;
        trial.skipReason = forecast->second.problem;
        const Issues unsupported = trainerSupports(trial.config);
        if (trial.skipReason.empty() && !unsupported.empty())
            trial.skipReason = firstError(unsupported) ? firstError(unsupported)->message : "";
    }
}

Json toJson(const SweepFile& file) {
    Json out{{"schema", file.schema},
             {"name", file.name},
             {"question", file.question},
             {"hypothesis", file.hypothesis},
             {"seed", file.seed}};
    Issues ignored;
    const Json base = Json::parse(file.baseJson.empty() ? "{}" : file.baseJson);
    out["base"] = toJson(runConfigFromJson(base, ignored));
    if (file.corpus) out["corpus"] = toJson(*file.corpus);
    if (file.cluster) out["cluster"] = toJson(*file.cluster);
    const auto groupJson = [](const SettingGroup& group) {
        Json json = Json::object();
        if (!group.name.empty()) json["name"] = group.name;
        for (const Setting& setting : group.settings) json[setting.path] = Json::parse(setting.value);
        return json;
    };
    Json axes = Json::array();
    for (const SweepAxis& axis : file.axes) {
        Json list = Json::array();
        for (const SettingGroup& choice : axis.choices) list.push_back(groupJson(choice));
        axes.push_back({{"list", std::move(list)}});
    }
    if (!axes.empty()) out["axes"] = std::move(axes);
    Json points = Json::array();
    for (const SettingGroup& point : file.points) points.push_back(groupJson(point));
    if (!points.empty()) out["points"] = std::move(points);
    out["stop"] = fields::toJson(file.stop);
    if (file.search) out["search"] = fields::toJson(*file.search);
    return out;
}

std::string sweepIdentity(const SweepFile& file, const std::vector<Trial>& trials, const std::string& trainerVersion) {
    Json what{{"trainer", trainerVersion}, {"name", file.name}, {"stop", fields::toJson(file.stop)}};
    // Older sweeps, without these rules, keep their names.
    if (file.stop.medianAfterSteps == 0) what["stop"].erase("median_after_steps");
    if (file.search) what["search"] = fields::toJson(*file.search);
    if (file.corpus) what["corpus"] = toJson(*file.corpus);
    if (file.cluster) what["cluster"] = toJson(*file.cluster);
    Json list = Json::array();
    for (const Trial& trial : trials) {
        Json settings = Json::object();
        for (const Setting& setting : trial.settings) settings[setting.path] = setting.value;
        list.push_back({{"name", trial.name}, {"settings", std::move(settings)}, {"config", toJson(trial.config)}});
    }
    what["trials"] = std::move(list);
    return hashText(dumpJson(what, false));
}

}  // namespace slipway
