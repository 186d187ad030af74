#include "core/sweep/repeats.h"

#include "core/base/json_fields.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace slipway {
namespace {

double quantile(const std::vector<double>& sorted, double share) {
    const double at = share * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

std::string withoutSeed(std::string name, std::int64_t seed) {
    const std::string part = "seed " + std::to_string(seed);
    for (const std::string& text : {", " + part, part + ", ", part})
        if (const std::size_t at = name.find(text); at != std::string::npos) return name.erase(at, text.size());
    return name;
}

}  // namespace

std::vector<RepeatGroup> groupRepeats(const SweepResult& result) {
    std::vector<RepeatGroup> groups;
    std::map<std::string, std::size_t> known;
    for (std::size_t i = 0; i < result.trials.size(); ++i) {
        const TrialResult& trial = result.trials[i];
        Json key = toJson(trial.config);
        key.erase("name");
        key["train"].erase("seed");
        const auto [at, isNew] = known.emplace(dumpJson(key, false), groups.size());
        if (isNew) groups.push_back({withoutSeed(trial.name, trial.config.train.seed), {}, 0, {}});
        RepeatGroup& group = groups[at->second];
        group.trials.push_back(i);
        group.completed += trial.status == TrialStatus::Completed ? 1 : 0;
    }
    for (RepeatGroup& group : groups)
        for (const FigureInfo& info : figureInfos()) {
            std::vector<double> values;
            for (const std::size_t i : group.trials) {
                const auto& value = result.trials[i].measured.*info.member;
                if (result.trials[i].status == TrialStatus::Completed && value && std::isfinite(*value))
                    values.push_back(*value);
            }
            if (values.empty()) continue;
            std::ranges::sort(values);
            group.figures.push_back(
                {info.key, values.size(), quantile(values, 0.25), quantile(values, 0.5), quantile(values, 0.75)});
        }
    return groups;
}

bool hasRepeats(const std::vector<RepeatGroup>& groups) {
    return std::ranges::any_of(groups, [](const RepeatGroup& group) { return group.trials.size() > 1; });
}

Json toJson(const std::vector<RepeatGroup>& groups) {
    Json list = Json::array();
    for (const RepeatGroup& group : groups) {
        Json measured = Json::object();
        for (const RepeatFigure& q : group.figures)
            measured[std::string(q.key)] = {{"count", q.count}, {"q1", q.low}, {"median", q.median}, {"q3", q.high}};
        list.push_back({{"name", group.name},
                        {"trials", group.trials},
                        {"completed", group.completed},
                        {"measured", std::move(measured)}});
    }
    return list;
}

}  // namespace slipway
