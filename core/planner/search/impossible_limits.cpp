// Limits of a search that no layout can meet.
#include "core/planner/search/explain_layout.h"
#include "core/planner/search/layout_axes.h"
#include "core/planner/search/search_space.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace slipway {

namespace {

constexpr SearchAxis kEvaluated[] = {
    SearchAxis::Dp, SearchAxis::Tp,  SearchAxis::Pp,        SearchAxis::Cp,
    SearchAxis::Ep, SearchAxis::Etp, SearchAxis::ZeroStage, SearchAxis::MicroBatchSize};

std::vector<std::int64_t> worldsOf(const LayoutRequest& request) {
    return request.devices.empty() ? std::vector{request.config.parallel.worldSize()} : request.devices;
}

/// The search's options on an axis.
std::set<std::int64_t> optionsOf(const LayoutRequest& request, SearchAxis axis) {
    if (axis == SearchAxis::ZeroStage) return {0, 1, 2, 3};
    std::set<std::int64_t> options;
    for (const std::int64_t world : worldsOf(request)) {
        if (world < 1) continue;
        const SearchSpace space(request.config, request.cluster, world, {});
        if (axis == SearchAxis::MicroBatchSize)
            options.insert(space.microBatchSizes.begin(), space.microBatchSizes.end());
        else
            for (const Degrees& d : space.degrees)
                options.insert(axis == SearchAxis::Dp   ? d.dp
                               : axis == SearchAxis::Tp ? d.tp
                               : axis == SearchAxis::Pp ? d.pp
                               : axis == SearchAxis::Cp ? d.cp
                               : axis == SearchAxis::Ep ? d.ep
                                                        : d.etp);
    }
    return options;
}

/// The request's model and batch on one device.
RunConfig onOneDevice(const LayoutRequest& request) {
    RunConfig config = request.config;
    config.parallel = {};
    config.train.microBatchSize = 1;
    return config;
}

/// Errors by their English text.
std::map<std::string, Message> errorsOf(const RunConfig& config) {
    std::map<std::string, Message> errors;
    for (const Issue& issue : validate(config))
        if (issue.severity == Severity::Error) errors.emplace(issue.message, issue.sentence());
    return errors;
}

ImpossibleLimit withOptions(std::string limit, SearchAxis axis, const std::set<std::int64_t>& options) {
    std::string all;
    for (const std::int64_t option : options) all += (all.empty() ? "" : ", ") + std::to_string(option);
    return {std::move(limit), axis, {"Values of this search: %1."_text(all)}};
}

/// Absent where a layout can have the value.
std::optional<ImpossibleLimit> evaluate(const LayoutRequest& request, SearchAxis axis, std::int64_t value,
                                        const std::set<std::int64_t>& options) {
    ImpossibleLimit limit{std::string(wordOf(axis)) + "=" + std::to_string(value), axis, {}};
    if (axis != SearchAxis::ZeroStage) {
        const RunConfig plain = onOneDevice(request);
        RunConfig config = plain;
        setAxis(config, axis, value);
        if (axis == SearchAxis::Ep) config.parallel.dp = value;  // experts are on data-parallel neighbours
        if (axis == SearchAxis::Etp) config.parallel.tp = value;
        const auto before = errorsOf(plain);
        for (const auto& [english, sentence] : errorsOf(config))
            if (before.count(english) == 0) limit.reasons.push_back(sentence);
    }
    if (!limit.reasons.empty()) return limit;
    if (options.count(value) > 0) return {};
    return withOptions(std::move(limit.limit), axis, options);
}

}  // namespace

std::vector<ImpossibleLimit> impossibleLimits(const LayoutRequest& request) {
    std::vector<ImpossibleLimit> impossible;
    for (const SearchAxis axis : kEvaluated) {
        const AxisLimit& limit = request.limits.of(axis);
        const AxisLimit none;
        if (limit.values.empty() && limit.low == none.low && limit.high == none.high) continue;
        const std::set<std::int64_t> options = optionsOf(request, axis);
        const std::string name(wordOf(axis));
        for (const std::int64_t value : limit.values)
            if (auto evaluated = evaluate(request, axis, value, options)) impossible.push_back(std::move(*evaluated));
        if (!limit.values.empty() ||
            std::any_of(options.begin(), options.end(), [&](std::int64_t value) { return limit.allows(value); }))
            continue;
        std::string range = limit.low == none.low ? name + "<=" + std::to_string(limit.high)
                            : limit.high == none.high
                                ? name + ">=" + std::to_string(limit.low)
                                : name + "=" + std::to_string(limit.low) + ".." + std::to_string(limit.high);
        impossible.push_back(withOptions(std::move(range), axis, options));
    }
    return impossible;
}

}  // namespace slipway
