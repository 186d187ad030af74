#include "core/playbook/experiment_run.h"

#include "core/metrics/metric_series.h"
#include "core/planner/cost/checkpoint.h"
#include "core/planner/presets.h"
#include "core/playbook/duplicate_pairs.h"
#include "core/playbook/near_duplicates.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

namespace slipway {
namespace {

constexpr std::int64_t kRecordSchema = 1;
constexpr int kDuplicatePairs = 2000;
constexpr MinHashShape kPairShapes[] = {{9, 13, 13}, {14, 8, 5}};  // of the guide, and datatrove's
constexpr double kMetricBytesPerStep = 600;                        // of metrics.jsonl, per rank
constexpr double kStartSeconds = 1.2;      // of a run on two CPU cores: its processes, torch, the first rendezvous
constexpr double kCommBenchSeconds = 3.5;  // one repeat on two CPU cores
constexpr double kPairsSeconds = 0.4;      // 2,000 pairs of one shape and similarity
constexpr const char* kPlannedDevice = "NVIDIA H100 SXM 80 GB";

std::string repeatName(std::int64_t repeat) {
    return "repeat " + std::to_string(repeat);
}

void addFigures(const RunFigures& figures, const std::string& point, std::map<std::string, Measurements::ByPoint>& to) {
    for (const FigureInfo& info : figureInfos())
        if (const auto& value = figures.*info.member) to[std::string(info.key)][point].push_back(*value);
}

Json toJson(const std::map<std::string, Measurements::ByPoint>& values) {
    Json json = Json::object();
    for (const auto& [metric, points] : values) {
        Json byPoint = Json::object();
        for (const auto& [point, repeats] : points) {
            Json list = Json::array();
            for (const double value : repeats) list.push_back(jsonNumber(value));
            byPoint[point] = std::move(list);
        }
        json[metric] = std::move(byPoint);
    }
    return json;
}

std::map<std::string, Measurements::ByPoint> valuesOf(const Json& record, const char* key) {
    std::map<std::string, Measurements::ByPoint> values;
    if (!record.contains(key) || !record[key].is_object()) return values;
    for (const auto& metric : record[key].items()) {
        if (!metric.value().is_object()) continue;
        for (const auto& point : metric.value().items())
            for (const Json& value : point.value())
                if (const auto number = numberFromJson(value, metric.key()))
                    values[metric.key()][point.key()].push_back(*number);
    }
    return values;
}

bool isTime(const std::string& metric) {
    return metric.ends_with("seconds") || metric.starts_with("tokens_per_second") || metric == "mfu";
}

const std::vector<double>* find(const std::map<std::string, Measurements::ByPoint>& values, const std::string& metric,
                                const std::string& point) {
    const auto m = values.find(metric);
    if (m == values.end()) return nullptr;
    const auto p = m->second.find(point);
    return p == m->second.end() ? nullptr : &p->second;
}

ExperimentCost costOfSweep(const SweepFile& file, const ClusterSpec& cluster) {
    ExperimentCost cost;
    std::vector<Trial> trials = expandSweep(file);
    planTrials(trials, cluster);
    std::set<std::string> points, skipped;
    double seconds = 0;
    bool known = true;
    for (const Trial& trial : trials) {
        const std::string point = pointOf(trial.name);
        points.insert(point);
        if (!trial.skipReason.empty()) {
            if (skipped.insert(point).second) cost.skipped.push_back({point, trial.skipReason});
            continue;
        }
        ++cost.runs;
        const auto forecast = parseJson(trial.forecastJson, trial.name);
        const std::optional<double> step = forecast ? figuresFromJson(*forecast).stepSeconds : std::nullopt;
        const double steps = file.stop.steps > 0
                                 ? static_cast<double>(std::min(file.stop.steps, trial.config.train.numSteps))
                                 : static_cast<double>(trial.config.train.numSteps);
        known = known && step.has_value();
        seconds += kStartSeconds + step.value_or(0) * steps;
        cost.diskBytes += kMetricBytesPerStep * steps * static_cast<double>(trial.config.parallel.worldSize());
        if (trial.config.checkpoint.everySteps > 0)
            cost.diskBytes += checkpointStateBytes(trial.config) * static_cast<double>(trial.config.checkpoint.keep);
    }
    cost.points = points.size();
    if (known) cost.seconds = seconds;
    return cost;
}

std::vector<int> pairPercents(bool isShort) {
    return isShort ? std::vector{70, 80, 90} : std::vector{50, 60, 70, 80, 85, 90, 95};
}

ExperimentCost costOfBench(const Experiment& experiment, bool isShort, std::int64_t repeats) {
    ExperimentCost cost;
    const bool isPairs = experiment.bench == "near_duplicates";
    cost.points = isPairs ? std::size(kPairShapes) * pairPercents(isShort).size() : 1;
    cost.runs = cost.points * static_cast<std::size_t>(repeats);
    cost.seconds = static_cast<double>(cost.runs) * (isPairs ? kPairsSeconds : kCommBenchSeconds);
    return cost;
}

}  // namespace

std::string pointOf(const std::string& trial) {
    const std::size_t comma = trial.find(", ");
    return trial.starts_with("repeat ") && comma != std::string::npos ? trial.substr(comma + 2) : "";
}

Result<SweepFile> sweepOf(const Experiment& experiment, bool isShort, std::optional<std::int64_t> wanted) {
    if (experiment.sweepJson.empty())
        return fail("no_sweep", "Experiment %1 has nothing to train."_text(experiment.id), experiment.id);
    auto document = parseJson(experiment.sweepJson, experiment.id);
    if (!document) return fail(document.error());
    if (isShort && !experiment.shortSweepJson.empty()) {
        const auto shorter = parseJson(experiment.shortSweepJson, experiment.id);
        if (!shorter) return fail(shorter.error());
        document->merge_patch(*shorter);
    }
    (*document)["schema"] = kSweepSchema;
    (*document)["name"] = experiment.id + (isShort ? " (short)" : "");
    (*document)["question"] = experiment.question.english;
    (*document)["hypothesis"] = experiment.hypothesis.english;
    Json repeats = Json::array();
    for (std::int64_t repeat = 1; repeat <= wanted.value_or(experiment.repeats); ++repeat)
        repeats.push_back({{"name", repeatName(repeat)}, {"train.seed", repeat}});
    Json axes = Json::array({Json{{"list", std::move(repeats)}}});
    if (document->contains("axes"))
        for (Json& axis : (*document)["axes"]) axes.push_back(std::move(axis));
    (*document)["axes"] = std::move(axes);
    Issues issues;
    SweepFile file = sweepFileFromJson(*document, issues);
    if (hasErrors(issues)) return fail("bad_sweep", issues, experiment.id);
    return file;
}

Result<std::string> exportOf(const Experiment& experiment, bool isShort, bool asScript) {
    const bool hasScript = !experiment.script.empty();
    if (hasScript && (asScript || experiment.sweepJson.empty())) return experiment.script;
    const auto file = sweepOf(experiment, isShort);
    if (!file) return fail(file.error());
    return dumpJson(toJson(*file), true);
}

bool runsOn(const Experiment& experiment, const ClusterSpec& machine) {
    constexpr std::int64_t kNode = 8, kCluster = 64;
    const bool hasSomething = !experiment.sweepJson.empty() || !experiment.bench.empty();
    if (!hasSomething || !experiment.waitsFor.empty()) return false;
    const std::int64_t gpus = machine.device.kind == DeviceKind::Gpu ? machine.numDevices() : 0;
    switch (experiment.need) {
        case ExperimentNeed::Laptop: return true;
        case ExperimentNeed::Gpu: return gpus >= 1;
        case ExperimentNeed::Node: return gpus >= kNode;
        case ExperimentNeed::Cluster: return gpus >= kCluster;
        case ExperimentNeed::Plan: break;
    }
    return false;
}

Result<ExperimentCost> costOf(const Experiment& experiment, bool isShort, const ClusterSpec& here,
                              std::optional<std::int64_t> repeats) {
    if (!experiment.bench.empty()) return costOfBench(experiment, isShort, repeats.value_or(experiment.repeats));
    const auto file = sweepOf(experiment, isShort, repeats);
    if (!file) return fail(file.error());
    const ClusterSpec* preset = findDevicePreset(kPlannedDevice);
    if (file->cluster || preset == nullptr || experiment.need == ExperimentNeed::Laptop || runsOn(experiment, here))
        return costOfSweep(*file, file->cluster ? *file->cluster : here);
    ClusterSpec there = *preset;
    for (const Trial& trial : expandSweep(*file)) {
        const std::int64_t nodes =
            (trial.config.parallel.worldSize() + there.devicesPerNode - 1) / there.devicesPerNode;
        there.numNodes = std::max(there.numNodes, nodes);
    }
    ExperimentCost cost = costOfSweep(*file, there);
    cost.device = there.device.name;
    return cost;
}

Samples Measurements::of(const Claim& claim) const {
    Samples samples;
    if (const auto* point = find(measured, claim.metric, claim.point)) samples.point = *point;
    if (const auto* baseline = find(measured, claim.metricOfBaseline(), claim.baseline)) samples.baseline = *baseline;
    return samples;
}

std::optional<double> Measurements::forecastOf(const Claim& claim) const {
    const auto* point = find(forecast, claim.metric, claim.point);
    const auto* baseline = find(forecast, claim.metricOfBaseline(), claim.baseline);
    if (point == nullptr || baseline == nullptr) return {};
    const double a = median(*point), b = median(*baseline);
    return claim.kind == ClaimKind::Ratio ? a / b : a - b;
}

Measurements measurementsOf(const SweepResult& result) {
    Measurements all;
    for (const TrialResult& trial : result.trials) {
        const std::string point = pointOf(trial.name);
        if (point.empty() || trial.status != TrialStatus::Completed) continue;
        addFigures(trial.measured, point, all.measured);
        addFigures(trial.forecast, point, all.forecast);
    }
    return all;
}

void addCommBench(const Json& report, Measurements& measurements) {
    if (!report.contains("comm") || !report["comm"].is_array()) return;
    for (const Json& sample : report["comm"]) {
        if (!sample.contains("operation") || !sample.contains("bytes") || !sample.contains("seconds")) continue;
        const std::string point =
            sample["operation"].get<std::string>() + " " + std::to_string(sample["bytes"].get<std::int64_t>());
        measurements.measured["seconds"][point].push_back(sample["seconds"].get<double>());
    }
}

void addNearDuplicates(std::uint64_t seed, bool isShort, Measurements& measurements) {
    for (const MinHashShape& shape : kPairShapes)
        for (const int percent : pairPercents(isShort)) {
            std::string point = std::to_string(shape.bands) + " x " + std::to_string(shape.rows) + ", similarity 0." +
                                std::to_string(percent);
            if (point.ends_with('0')) point.pop_back();
            const DuplicatePairs question{.similarity = percent / 100.0, .shape = shape, .pairs = kDuplicatePairs};
            measurements.measured["caught_share"][point].push_back(caughtShare(question, seed));
            measurements.measured["formula_share"][point].push_back(
                caughtProbability(question.similarity, shape.bands, shape.rows));
        }
}

std::vector<ClaimResult> evaluateClaims(const Experiment& experiment, const Measurements& measurements, bool isBusy) {
    std::vector<ClaimResult> results;
    for (const Claim& claim : experiment.claims) {
        ClaimResult result{&claim, evaluate(claim, measurements.of(claim)), measurements.forecastOf(claim)};
        result.wasBusy = isBusy && isTime(claim.metric) && result.judgement.verdict != Verdict::NotRun;
        if (result.wasBusy) {
            result.judgement.verdict = Verdict::Inconclusive;
            result.judgement.repeatsToDecide.reset();  // this needs a quiet machine, not repeats
        }
        results.push_back(std::move(result));
    }
    return results;
}

bool wasBusy(double load, std::int64_t cpus) {
    return load >= static_cast<double>(cpus);
}

Json recordOf(const Experiment& experiment, const Measurements& measurements, const Circumstances& at) {
    return Json{{"schema", kRecordSchema},
                {"experiment", experiment.id},
                {"unix_ms", at.unixMilliseconds},
                {"host", at.host},
                {"processor", at.processor},
                {"cpus", at.cpus},
                {"load", at.load},
                {"version", at.version},
                {"short", at.isShort},
                {"sweep_id", at.sweepId},
                {"forecast", toJson(measurements.forecast)},
                {"measured", toJson(measurements.measured)}};
}

Result<void> checkRecord(const Json& record) {
    const auto missing = [&](const char* key, bool isThere) {
        return isThere ? Result<void>{}
                       : fail("bad_record",
                              "This is not a record of an experiment: %1 is missing or of another kind."_text(
                                  std::string(key)),
                              key);
    };
    if (!record.is_object()) return missing("{ }", false);
    if (auto schema = missing("schema", record.contains("schema") && record["schema"] == kRecordSchema); !schema)
        return schema;
    for (const char* key : {"experiment", "host"})
        if (auto text = missing(key, record.contains(key) && record[key].is_string() && record[key] != ""); !text)
            return text;
    return missing("measured", record.contains("measured") && record["measured"].is_object());
}

Measurements measurementsOf(const Json& record) {
    Measurements all;
    all.measured = valuesOf(record, "measured");
    all.forecast = valuesOf(record, "forecast");
    return all;
}

}  // namespace slipway
