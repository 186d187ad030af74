#include "core/answers/laws_answers.h"

#include <nlohmann/json.hpp>

namespace slipway {

using written::five;
using written::four;
using written::percent;
using written::three;
using written::whole;

AnswerView fitAnswer(const LawPoints& points, const LawFit& huber, const LawFit& projection,
                     const std::vector<ParametricLaw>& laws, double share, double flops, Json& json) {
    AnswerView d;
    json = {{"points", points.points.size()},
            {"excluded", points.numExcluded},
            {"filtered", points.numFiltered},
            {"bootstraps", laws.size()},
            {"band_share", share},
            {"flops", flops},
            {"huber_objective", huber.objective},
            {"log_residual", huber.logResidual},
            {"projection_log_residual", projection.logResidual},
            {"rows", Json::array()}};
    const auto add = [&](const char* name, const std::function<double(const ParametricLaw&)>& figure) {
        const Band band = bandOf(laws, figure, share);
        json["rows"].push_back({{"figure", name},
                                {"huber", numberOrNull(figure(huber.law))},
                                {"low", numberOrNull(band.low)},
                                {"high", numberOrNull(band.high)},
                                {"projection", numberOrNull(figure(projection.law))}});
    };
    add("E", [](const ParametricLaw& l) { return l.e; });
    add("A", [](const ParametricLaw& l) { return l.a; });
    add("B", [](const ParametricLaw& l) { return l.b; });
    add("alpha", [](const ParametricLaw& l) { return l.alpha; });
    add("beta", [](const ParametricLaw& l) { return l.beta; });
    add("best_parameters", [&](const ParametricLaw& l) { return computeOptimal(flops, l).parameters; });
    add("best_tokens", [&](const ParametricLaw& l) { return computeOptimal(flops, l).tokens; });
    add("tokens_per_parameter", [&](const ParametricLaw& l) { return computeOptimal(flops, l).tokensPerParameter(); });
    add("loss", [&](const ParametricLaw& l) {
        const Allocation a = computeOptimal(flops, l);
        return l.loss(a.parameters, a.tokens);
    });
    d.figures = {{"points", "Points"_text, whole},
                 {"excluded", "Marked as excluded"_text, whole},
                 {"flops", "Optimum at (FLOP)"_text, three},
                 {"bootstraps", "Bootstraps"_text, whole},
                 {"band_share", "Band"_text, percent},
                 {"log_residual", "Residual, Huber"_text, percent},
                 {"projection_log_residual", "Residual, projection"_text, percent}};
    d.columns = {{"figure", "Figure"_text},
                 {"huber", "Huber and BFGS"_text, five},
                 {"low", "Low"_text, four},
                 {"high", "High"_text, four},
                 {"projection", "Variable projection"_text, five}};
    return d;
}

}  // namespace slipway
