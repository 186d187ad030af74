#include "core/sweep/sweep_file.h"

#include "core/base/json_fields.h"
#include "core/base/untrusted_text.h"
#include "core/spec/run_config.h"
#include "core/sweep/axis_reader.h"

#include <set>

namespace slipway {
namespace {

/// "model.num_layer" below "base" -> "/base/model/num_layer".
std::string pointerOf(const std::string& section, const std::string& dottedPath) {
    std::string out = section.empty() ? "" : pointerToken(section);
    for (std::size_t begin = 0; begin < dottedPath.size();) {
        const std::size_t dot = std::min(dottedPath.find('.', begin), dottedPath.size());
        out += pointerToken(dottedPath.substr(begin, dot - begin));
        begin = dot + 1;
    }
    return out;
}

template <class T>
T readSection(const Json& json, const std::string& section, Issues& issues) {
    Issues found;
    T value = fields::fromJson<T>(json, found);
    for (Issue& issue : found) {
        issue.field = pointerOf(section, issue.field);
        issues.push_back(std::move(issue));
    }
    return value;
}

void readText(const Json& json, const char* key, std::string& out, Issues& issues) {
    if (!json.contains(key)) return;
    if (!json[key].is_string())
        issues.push_back(
            issueOf(Severity::Error, "type_mismatch", std::string("/") + key, "Must be text in quotes."_text));
    else
        out = json[key].get<std::string>();
}

void checkTopKeys(const Json& json, Issues& issues) {
    static const std::vector<std::string> known = {"schema", "name",    "question", "hypothesis", "seed", "base",
                                                   "corpus", "cluster", "axes",     "points",     "stop", "search"};
    for (const auto& item : json.items()) {
        if (std::find(known.begin(), known.end(), item.key()) != known.end()) continue;
        const std::string near = issues.size() < kListedProblems ? nearestKey(item.key(), known) : "";
        issues.push_back(issueOf(Severity::Error, "unknown_key", pointerToken(item.key()),
                                 "Unknown key %1%2"_text(item.key(), didYouMean(near))));
    }
}

/// Checks the base alone: wrong keys, types, ranges. The effect of a field depends on the point and is checked later.
void readBase(const Json& json, SweepFile& file, Issues& issues) {
    if (!json.contains("base") || !json["base"].is_object()) {
        issues.push_back(issueOf(Severity::Error, "missing", "/base",
                                 "The base config of all trials is missing: \"base\": { ... }."_text));
        return;
    }
    Issues found;
    (void)runConfigFromJson(json["base"], found);
    for (Issue& issue : found) {
        if (issue.code == "no_effect") continue;
        issue.field = pointerOf("base", issue.field);
        issues.push_back(std::move(issue));
    }
    file.baseJson = dumpJson(json["base"], false);
}

void readCorpus(const Json& json, SweepFile& file, Issues& issues) {
    if (!json.contains("corpus")) return;
    Issues found;
    file.corpus = corpusSpecFromJson(json["corpus"], found, "corpus");
    for (Issue& issue : found) {
        issue.field = pointerOf("", issue.field);
        issues.push_back(std::move(issue));
    }
}

void readSearch(const Json& json, SweepFile& file, Issues& issues) {
    if (!json.contains("search")) return;
    file.search = readSection<SearchRules>(json["search"], "search", issues);
    if (file.search->method == SearchMethod::Planner && !isForecast(file.search->objective))
        issues.push_back(
            issueOf(Severity::Error, "no_forecast", "/search/objective",
                    "The planner forecasts no loss; use bayesian, or step_seconds, tokens_per_second or mfu."_text));
}

std::int64_t baseSeed(const SweepFile& file) {
    const auto json = parseJson(file.baseJson.empty() ? "{}" : file.baseJson, "base");
    Issues ignored;
    return json ? runConfigFromJson(*json, ignored).train.seed : TrainSpec{}.seed;
}

void readAxes(const Json& json, SweepFile& file, Issues& issues) {
    AxisContext context{runConfigFields(), static_cast<std::uint64_t>(file.seed), baseSeed(file), issues};
    std::set<std::string> pathsSeen;
    for (const char* key : {"axes", "points"}) {
        if (!json.contains(key)) continue;
        if (!json[key].is_array()) {
            issues.push_back(
                issueOf(Severity::Error, "type_mismatch", std::string("/") + key, "Must be a list [ ... ]."_text));
            continue;
        }
        for (std::size_t i = 0; i < json[key].size(); ++i) {
            const std::string at = std::string("/") + key + "/" + std::to_string(i);
            if (key[0] == 'p') {
                file.points.push_back(readSettingGroup(json[key][i], at, context));
                continue;
            }
            SweepAxis axis = readAxis(json[key][i], at, i, context);
            std::set<std::string> here;
            for (const SettingGroup& choice : axis.choices)
                for (const Setting& setting : choice.settings) here.insert(setting.path);
            for (const std::string& path : here)
                if (!pathsSeen.insert(path).second)
                    issues.push_back(issueOf(Severity::Error, "repeated_field", at,
                                             "%1 is on two axes; one would overwrite the other."_text(path)));
            file.axes.push_back(std::move(axis));
        }
    }
}

}  // namespace

double SweepFile::countTrials() const {
    double product = axes.empty() && points.empty() ? 1 : axes.empty() ? 0 : 1;
    for (const SweepAxis& axis : axes) product *= static_cast<double>(axis.choices.size());
    return product + static_cast<double>(points.size());
}

FieldInfos sweepFields() {
    FieldInfos infos = fields::collect(StopRules{}, "sweep.stop");
    for (FieldInfo& info : fields::collect(SearchRules{}, "sweep.search")) infos.push_back(std::move(info));
    return infos;
}

SweepFile sweepFileFromJson(const Json& json, Issues& issues) {
    SweepFile file;
    if (!json.is_object()) {
        issues.push_back(issueOf(Severity::Error, "type_mismatch", "", "A sweep file is an object { ... }."_text));
        return file;
    }
    checkTopKeys(json, issues);
    if (!json.contains("schema") || !json["schema"].is_number_integer())
        issues.push_back(
            issueOf(Severity::Error, "missing", "/schema", "Write \"schema\": 1, the version of this format."_text));
    else if (json["schema"].get<std::int64_t>() != kSweepSchema)
        issues.push_back(
            issueOf(Severity::Error, "newer_schema", "/schema",
                    "This version reads schema 1; the file has %1."_text(dumpJson(json["schema"], false))));
    readText(json, "name", file.name, issues);
    readText(json, "question", file.question, issues);
    readText(json, "hypothesis", file.hypothesis, issues);
    if (!json.contains("name"))
        issues.push_back(issueOf(Severity::Error, "missing", "/name", "Give the sweep a name."_text));
    if (json.contains("seed")) {
        if (json["seed"].is_number_unsigned() && json["seed"].get<std::uint64_t>() <= 9007199254740992ULL)
            file.seed = json["seed"].get<std::int64_t>();
        else
            issues.push_back(
                issueOf(Severity::Error, "type_mismatch", "/seed", "Must be a whole number from 0 to 2^53."_text));
    }
    readBase(json, file, issues);
    readCorpus(json, file, issues);
    if (json.contains("cluster")) {
        file.cluster = readSection<ClusterSpec>(json["cluster"], "cluster", issues);
        for (Issue& issue : curveIssues(file.cluster->commCurves, "comm_curves")) {
            issue.field = pointerOf("cluster", issue.field);
            issues.push_back(std::move(issue));
        }
    }
    if (json.contains("stop")) file.stop = readSection<StopRules>(json["stop"], "stop", issues);
    readSearch(json, file, issues);
    readAxes(json, file, issues);
    if (file.countTrials() > kMostTrials) {
        char count[40];
        std::snprintf(count, sizeof count, "%.6g", file.countTrials());
        issues.push_back(issueOf(Severity::Error, "too_many_trials", "/axes",
                                 "The axes expand to %1 trials; the limit is 100000."_text(std::string(count))));
    }
    return file;
}

Result<SweepFile> readSweepFile(const std::filesystem::path& path) {
    const auto json = readJsonFile(path);
    if (!json) return fail(json.error());
    Issues issues;
    SweepFile file = sweepFileFromJson(*json, issues);
    // Only for a file that is about to run; a stored sweep is read regardless of its name.
    if (const auto named = checkName(file.name, "name"); !named)
        issues.push_back(issueOf(Severity::Error, "bad_name", "/name", named.error().sentence()));
    std::vector<Message> problems;
    for (const Issue& issue : issues)
        if (issue.severity == Severity::Error)
            problems.push_back("%1: %2"_text(issue.field.empty() ? std::string("/") : issue.field, issue.sentence()));
    const auto count = static_cast<std::int64_t>(problems.size());
    if (count > 0)
        return fail("bad_sweep",
                    plural(count, "%1 problem, nothing was started:\n%2"_text,
                           "%1 problems, nothing was started:\n%2"_text)(count, linesOf(problems)),
                    path.string());
    if (file.corpus)
        for (std::string& source : file.corpus->sources)
            if (!source.empty() && source.front() != '/')
                source = std::filesystem::absolute(path.parent_path() / source).lexically_normal().string();
    return file;
}

}  // namespace slipway
