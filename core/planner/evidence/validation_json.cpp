#include "core/planner/evidence/validation.h"
#include "core/planner/stack/stack_constants.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace slipway {

namespace {

Json figure(double value) {
    return std::isfinite(value) ? Json(value) : Json(nullptr);
}

void put(Json& json, const Scores& s) {
    json["rows"] = s.rows;
    json["memory"] = {{"rows", s.memoryRows},
                      {"median_error", figure(s.memoryMedian)},
                      {"p90_error", figure(s.memoryP90)},
                      {"fit_accuracy", figure(s.fitAccuracy)},
                      {"fit_accuracy_pp1", figure(s.fitAccuracyPp1)}};
    json["step_time"] = {{"rows", s.stepRows},
                         {"median_error", figure(s.stepMedian)},
                         {"p90_error", figure(s.stepP90)},
                         {"interval_held", figure(s.stepHeld)},
                         {"spearman", figure(s.spearman)},
                         {"top1_regret_mean", figure(s.top1Regret)},
                         {"top5_regret_mean", figure(s.top5Regret)}};
}

}  // namespace

Json validationJson(const ValidationReport& report) {
    Json json = Json::object();
    put(json, report.all);
    json["rows"] = report.numRows;
    json["used_rows"] = report.all.rows;
    json["groups"] = Json::array();
    for (const auto& [name, scores] : report.groups) {
        Json group = {{"name", name}};
        put(group, scores);
        json["groups"].push_back(std::move(group));
    }
    const NoiseFloor& n = report.noise;
    json["noise_floor"] = {{"repeated_layouts", n.repeatedLayouts}, {"step_time_median", figure(n.stepMedian)},
                           {"step_time_most", figure(n.stepMost)},  {"memory_median", figure(n.memoryMedian)},
                           {"memory_most", figure(n.memoryMost)},   {"contradicted_layouts", n.contradicted}};
    put(json["noise_floor"], n.scores);
    json["head_to_head"] = Json::array();
    for (const auto& [planner, kinds] : report.rivals) {
        const auto errors = [](const HeadToHead::Errors& ours, const HeadToHead::Errors& theirs) {
            return Json{{"our_mean", figure(ours.mean)},
                        {"our_worst", figure(ours.worst)},
                        {"their_mean", figure(theirs.mean)},
                        {"their_worst", figure(theirs.worst)}};
        };
        for (const auto& [kind, r] : kinds)
            json["head_to_head"].push_back({{"planner", planner},
                                            {"kind", wordOf(kind)},
                                            {"rows", r.rows},
                                            {"step_time", errors(r.ourStep, r.theirStep)},
                                            {"memory", errors(r.ourMemory, r.theirMemory)}});
    }
    json["refused"] = Json::object();
    for (const auto& [reason, met] : report.refused) json["refused"][reason] = met.count;
    return json;
}

Json calibrationJson(const Calibration& calibration) {
    Json stacks = Json::array();
    for (const auto& [name, stack] : calibration.stacks) {
        Json entry = {{"stack", name},
                      {"runs", stack.measuredRuns},
                      {"step_spread", stack.stepSpread},
                      {"memory_spread", stack.memorySpread}};
        entry["parameters"] = Json::array();
        for (const ConstantRow& row : constantRows(stack))
            entry["parameters"].push_back({{"name", row.name},
                                           {"value", row.constant.value},
                                           {"unit", row.unit},
                                           {"uncertainty", row.constant.uncertainty},
                                           {"low", row.low},
                                           {"high", row.high},
                                           {"help", row.help}});
        stacks.push_back(std::move(entry));
    }
    return {{"stacks", std::move(stacks)}, {"speeds", calibration.speeds}};
}

}  // namespace slipway
