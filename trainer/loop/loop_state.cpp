#include "trainer/loop/loop_state.h"

#include "core/base/json.h"
#include "core/stability/loss_curve.h"

#include <nlohmann/json.hpp>

#include <vector>

namespace slipway::trainer {
namespace {

Json numbers(const std::deque<double>& values) {
    Json list = Json::array();
    for (const double value : values) list.push_back(jsonNumber(value));
    return list;
}

std::deque<double> numbersOf(const Json& json) {
    std::deque<double> values;
    for (const Json& entry : json) values.push_back(numberFromJson(entry, "loop_state").value());
    return values;
}

}  // namespace

void LoopState::add(double loss) {
    losses.push_back(loss);
    if (losses.size() > kLossesKept) losses.pop_front();
    ++numLosses;
}

std::string LoopState::curve() const {
    const std::vector<double> values(losses.begin(), losses.end());
    return textOf(curveText(analyseLosses(values, curveWindow(values.size())), static_cast<std::size_t>(numLosses)));
}

std::string LoopState::toText() const {
    return dumpJson({{"spike_window", numbers(guard.detector().window())},
                     {"spike_streak", numbers(guard.detector().streak())},
                     {"rewinds", guard.rewinds()},
                     {"calm_steps", guard.calmSteps()},
                     {"loss_scale", scaler.scale()},
                     {"good_steps", scaler.goodSteps()},
                     {"noise", {noise.weight(), noise.sum().trueSquaredNorm, noise.sum().noise}},
                     {"losses", numbers(losses)},
                     {"num_losses", numLosses}},
                    false);
}

Result<void> LoopState::restore(const std::string& text) {
    if (text.empty()) return {};
    const Result<Json> json = parseJson(text, "loop_state");
    if (!json) return fail(json.error());
    try {
        guard.detector().restore(numbersOf(json->at("spike_window")), numbersOf(json->at("spike_streak")));
        guard.restore(json->at("rewinds").get<int>(), json->at("calm_steps").get<int>());
        scaler.restore(json->at("loss_scale").get<double>(), json->at("good_steps").get<std::int64_t>());
        const Json& averages = json->at("noise");
        noise.restore(averages.at(0).get<double>(), {averages.at(1).get<double>(), averages.at(2).get<double>()});
        losses = numbersOf(json->at("losses"));
        numLosses = json->at("num_losses").get<std::int64_t>();
    } catch (const std::exception& caught) {
        return fail("bad_loop_state", std::string("The checkpoint's loop state is malformed: ") + caught.what());
    }
    return {};
}

}  // namespace slipway::trainer
