#include "app/cli/laws_documents.h"

#include "core/base/json_fields.h"
#include "core/base/units.h"
#include "core/planner/laws/moe_law.h"
#include "core/planner/laws/repeated_data.h"
#include "core/planner/laws/serving.h"
#include "core/planner/laws/training_recipe.h"

#include <cmath>

namespace slipway {

namespace {

std::string three(double value) {
    return formatSignificant(value, 3);
}
std::string four(double value) {
    return formatSignificant(value, 4);
}
std::string five(double value) {
    return formatSignificant(value, 5);
}
std::string loss(double value) {
    return formatFixed(value, 4);
}

const LawColumn kParameters{"parameters", "Parameters", formatShort};
const LawColumn kTokens{"tokens", "Tokens", formatShort};
const LawColumn kRatio{"tokens_per_parameter", "Tokens per parameter", three};
const LawColumn kFlops{"flops", "Compute (FLOP)", three};
const LawColumn kSpent{"spent_share", "6ND / C", five};
const LawColumn kLoss{"loss", "Loss (nats per token)", loss};
const LawColumn kLaw{"law", "Law", nullptr};

Json number(double value) {
    return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json allocationJson(const Allocation& a, double flops) {
    return {{"parameters", number(a.parameters)},
            {"tokens", number(a.tokens)},
            {"tokens_per_parameter", number(a.tokensPerParameter())},
            {"spent_share", number(a.spentShare(flops))}};
}

Json rowJson(OptimumRule rule, double flops) {
    Json row = Json::object();
    row["law"] = std::string(wordOf(rule));
    const Allocation best = computeOptimal(flops, rule);
    row.update(allocationJson(best, flops));
    const ParametricLaw* law = parametricLawOf(rule);
    row["loss"] = law != nullptr ? number(law->loss(best.parameters, best.tokens)) : Json(nullptr);
    return row;
}

Result<const ParametricLaw*> lossLaw(const LawQuestion& q) {
    if (const ParametricLaw* law = parametricLawOf(q.rule)) return law;
    return fail("usage",
                "The law " + std::string(wordOf(q.rule)) +
                    " says nothing about loss; choose corrected, hoffmann, hoffmann_printed or repeated_data.",
                "--law");
}

/// Budget and law of the topics about loss.
struct Basis {
    double flops = 0;
    ParametricLaw law;
    Allocation best;
    double loss = 0;
};

Result<Basis> basisOf(const LawQuestion& q) {
    const auto law = lossLaw(q);
    if (!law) return fail(law.error());
    const auto flops = q.budget();
    if (!flops) return fail(flops.error());
    Basis b{*flops, **law, computeOptimal(*flops, **law), 0};
    b.loss = b.law.loss(b.best.parameters, b.best.tokens);
    return b;
}

Json headJson(const LawQuestion& q, const Basis& b) {
    return {{"law", std::string(wordOf(q.rule))},
            {"source", factsOf(q.rule).source},
            {"flops", b.flops},
            {"loss", b.loss},
            {"rows", Json::array()}};
}

}  // namespace

Result<double> LawQuestion::budget() const {
    if (flops && parameters && tokens && !keepsSixNd(*flops, *parameters, *tokens))
        return fail("usage",
                    "6 x " + formatShort(*parameters) + " parameters x " + formatShort(*tokens) + " tokens are " +
                        formatSignificant(6 * *parameters * *tokens, 3) + " FLOP, not " + formatSignificant(*flops, 3) +
                        "; leave out --flops, --params or --tokens.",
                    "--flops");
    if (flops) return *flops;
    if (parameters && tokens) return 6 * *parameters * *tokens;
    if (parameters) return flopsForParameters(rule, *parameters);
    if (tokens) return flopsForTokens(rule, *tokens);
    return fail("usage",
                "Give a budget: --flops, or --params (or --model) and --tokens, or one of them for its optimum.",
                "--flops");
}

Result<LawView> optimumDocument(const LawQuestion& q, Json& json) {
    const auto flops = q.budget();
    if (!flops) return fail(flops.error());
    const RuleFacts& facts = factsOf(q.rule);
    LawView d;
    json = rowJson(q.rule, *flops);
    json["flops"] = *flops;
    json["formula"] = facts.formula;
    json["source"] = facts.source;
    json["note"] = facts.note;
    d.figures = {kLaw,
                 {"formula", "Formula"},
                 {"source", "Source"},
                 {"note", "Note"},
                 kFlops,
                 kParameters,
                 kTokens,
                 kRatio,
                 kSpent,
                 kLoss};
    const ParametricLaw* law = parametricLawOf(q.rule);
    if (q.parameters && q.tokens) {
        // The figures above are the best use of the same compute, not what was given.
        for (LawColumn& column : d.figures)
            if (column.key == kParameters.key || column.key == kTokens.key || column.key == kRatio.key ||
                column.key == kLoss.key)
                column.title = "Best: " + column.title;
        Json given = allocationJson({*q.parameters, *q.tokens}, *flops);
        given["overtraining"] = number(overtrainingFactor(*q.parameters, *q.tokens));
        given["loss"] = law != nullptr ? number(law->loss(*q.parameters, *q.tokens)) : Json(nullptr);
        json["given"] = given;
        json["given_loss"] = given["loss"];
        json["given_overtraining"] = given["overtraining"];
        json["given_parameters"] = *q.parameters;
        json["given_tokens"] = *q.tokens;
        json["given_tokens_per_parameter"] = *q.tokens / *q.parameters;
        d.figures.push_back({"given_parameters", "Given: " + kParameters.title, kParameters.format});
        d.figures.push_back({"given_tokens", "Given: " + kTokens.title, kTokens.format});
        d.figures.push_back({"given_tokens_per_parameter", "Given: " + kRatio.title, kRatio.format});
        d.figures.push_back({"given_loss", "Given: " + kLoss.title, loss});
        d.figures.push_back({"given_overtraining", "Given: times the rule of 20", three});
    }
    return d;
}

Result<LawView> rulesDocument(const LawQuestion& q, Json& json) {
    const auto flops = q.budget();
    if (!flops) return fail(flops.error());
    LawView d;
    json = {{"flops", *flops}, {"rows", Json::array()}};
    for (const auto& [rule, word, help, label] : enumNames(OptimumRule{})) {
        Json row = rowJson(rule, *flops);
        row["formula"] = factsOf(rule).formula;
        row["source"] = factsOf(rule).source;
        row["note"] = factsOf(rule).note;
        json["rows"].push_back(std::move(row));
    }
    d.figures = {kFlops};
    d.columns = {kLaw, kParameters, kTokens, kRatio, kSpent, kLoss, {"source", "Source"}};
    return d;
}

Result<LawView> isoFlopDocument(const LawQuestion& q, Json& json) {
    const auto b = basisOf(q);
    if (!b) return fail(b.error());
    const std::vector<IsoFlopPoint> curve =
        isoFlopCurve(b->law, b->flops, b->best.parameters / q.span, b->best.parameters * q.span, q.numPoints);
    LawView d;
    json = headJson(q, *b);
    json["parameters"] = b->best.parameters;
    json["parabola_parameters"] = number(parabolaOptimum(curve));
    for (const IsoFlopPoint& p : curve)
        json["rows"].push_back({{"parameters", p.parameters},
                                {"tokens", p.tokens},
                                {"tokens_per_parameter", p.tokens / p.parameters},
                                {"loss", p.loss},
                                {"loss_above_best", p.loss - b->loss}});
    d.figures = {kLaw,
                 kFlops,
                 {"parameters", "Best size", formatShort},
                 {"parabola_parameters", "By a parabola (biased)", formatShort},
                 kLoss};
    d.columns = {kParameters, kTokens, kRatio, kLoss, {"loss_above_best", "Above the best", loss}};
    return d;
}

namespace {

constexpr double kSizes[] = {0.125, 0.25, 0.35, 0.5, 0.7, 1, 1.4, 2, 4};

}  // namespace

Result<LawView> overtrainingDocument(const LawQuestion& q, Json& json) {
    const auto b = basisOf(q);
    if (!b) return fail(b.error());
    LawView d;
    json = headJson(q, *b);
    for (const double size : kSizes) {
        const SizeTradeoff t = sizeTradeoff(b->law, b->flops, size);
        const double n = b->best.parameters * size, tokens = b->best.tokens * t.dataTimes;
        json["rows"].push_back({{"size_times", size},
                                {"parameters", n},
                                {"tokens", number(tokens)},
                                {"tokens_per_parameter", number(tokens / n)},
                                {"data_times", number(t.dataTimes)},
                                {"compute_times", number(t.computeTimes)}});
    }
    d.figures = {kLaw, kFlops, kLoss};
    d.columns = {
        {"size_times", "Size / best", three},      kParameters, kTokens, kRatio, {"data_times", "Data / best", three},
        {"compute_times", "Compute / best", three}};
    return d;
}

Result<LawView> servingDocument(const LawQuestion& q, Json& json) {
    const auto b = basisOf(q);
    if (!b) return fail(b.error());
    if (!q.servedTokens) return fail("usage", "Say how many tokens will be served.", "--served-tokens");
    const Allocation best = servingOptimal(b->law, b->loss, *q.servedTokens);
    const double plain = lifetimeFlops(b->best, *q.servedTokens), least = lifetimeFlops(best, *q.servedTokens);
    LawView d;
    json = headJson(q, *b);
    json["served_tokens"] = *q.servedTokens;
    json["parameters"] = best.parameters;
    json["tokens"] = best.tokens;
    json["tokens_per_parameter"] = best.tokensPerParameter();
    json["lifetime_flops"] = least;
    json["saved_share"] = 1 - least / plain;
    for (const double size : kSizes) {
        const double n = b->best.parameters * size, tokens = tokensForLoss(b->law, n, b->loss);
        const double life = lifetimeFlops({n, tokens}, *q.servedTokens);
        json["rows"].push_back({{"size_times", size},
                                {"parameters", n},
                                {"tokens", number(tokens)},
                                {"lifetime_flops", number(life)},
                                {"lifetime_times", number(life / plain)},
                                {"break_even_served_tokens", number(breakEvenServedTokens(b->law, b->flops, size))}});
    }
    d.figures = {kLaw,
                 kFlops,
                 kLoss,
                 {"served_tokens", "Tokens to serve", formatShort},
                 kParameters,
                 kTokens,
                 kRatio,
                 {"lifetime_flops", "Training and serving (FLOP)", three},
                 {"saved_share", "Saved", formatPercent}};
    d.columns = {{"size_times", "Size / best", three},
                 kParameters,
                 kTokens,
                 {"lifetime_flops", "Lifetime (FLOP)", three},
                 {"lifetime_times", "Lifetime / best", three},
                 {"break_even_served_tokens", "Break-even (tokens served)", formatShort}};
    return d;
}

Result<LawView> repeatedDataDocument(const LawQuestion& q, Json& json) {
    LawQuestion own = q;
    own.rule = OptimumRule::Repeated;
    const auto b = basisOf(own);
    if (!b) return fail(b.error());
    if (!q.uniqueTokens) return fail("usage", "Say how many different tokens there are.", "--unique-tokens");
    const RepeatedOptimum r = repeatedDataOptimum(b->flops, *q.uniqueTokens);
    LawView d;
    json = headJson(own, *b);
    json.update(Json{{"unique_tokens", *q.uniqueTokens},
                     {"parameters", r.best.parameters},
                     {"tokens", r.best.tokens},
                     {"epochs", r.epochs},
                     {"loss", r.loss},
                     {"unlimited_loss", r.unlimitedLoss}});
    for (const double epochs : {1, 2, 4, 8, 16, 32, 64}) {
        const double tokens = *q.uniqueTokens * epochs, n = b->flops / (6 * tokens);
        json["rows"].push_back({{"epochs", epochs},
                                {"tokens", tokens},
                                {"effective_tokens", effectiveTokens(*q.uniqueTokens, epochs)},
                                {"worth", effectiveTokens(*q.uniqueTokens, epochs) / tokens},
                                {"parameters", n},
                                {"loss", repeatedDataLoss(n, tokens, *q.uniqueTokens)}});
    }
    d.figures = {kLaw,
                 kFlops,
                 {"unique_tokens", "Different tokens", formatShort},
                 kParameters,
                 kTokens,
                 {"epochs", "Epochs", three},
                 kLoss,
                 {"unlimited_loss", "With fresh data", loss}};
    d.columns = {{"epochs", "Epochs", three},       kTokens,     {"effective_tokens", "Worth (tokens)", formatShort},
                 {"worth", "Worth", formatPercent}, kParameters, kLoss};
    return d;
}

Result<LawView> kaplanDocument(const LawQuestion& q, Json& json) {
    if (!q.parameters)
        return fail("usage", "Give the parameters without embeddings: --params, or --model.", "--params");
    LawView d;
    json = {{"source", "Kaplan 2020, arXiv 2001.08361, eq. 1.1"},
            {"formula", kKaplanFormula},
            {"parameters", *q.parameters},
            {"loss", kaplanLoss(*q.parameters)}};
    d.figures = {{"formula", "Formula"},
                 {"source", "Source"},
                 {"parameters", "Parameters without embeddings", formatShort},
                 kLoss};
    if (!q.tokens) return d;
    json["tokens"] = *q.tokens;
    json["joint_formula"] = kKaplanJointFormula;
    json["joint_source"] = "Kaplan 2020, arXiv 2001.08361, eq. 1.5";
    json["joint_loss"] = kaplanJointLoss(*q.parameters, *q.tokens);
    d.figures.insert(d.figures.end(), {kTokens,
                                       {"joint_formula", "Formula with tokens"},
                                       {"joint_source", "Source"},
                                       {"joint_loss", "Loss with these tokens", loss}});
    return d;
}

Result<LawView> expertsDocument(const LawQuestion& q, Json& json) {
    if (!q.parameters || !q.tokens)
        return fail("usage", "Give the active parameters and the tokens: --params and --tokens.", "--params");
    LawView d;
    json = {{"status", "experimental: the signs of the published constants are not confirmed"},
            {"source", "Ludziejewski 2025, arXiv 2502.05172"},
            {"parameters", *q.parameters},
            {"tokens", *q.tokens},
            {"rows", Json::array()}};
    for (const double experts : {1, 2, 4, 8, 16, 32})
        json["rows"].push_back({{"experts", experts},
                                {"loss", moeLoss(*q.parameters, *q.tokens, experts)},
                                {"dense_equivalent", denseEquivalent(*q.parameters, *q.tokens, experts)}});
    d.figures = {{"status", "Status"}, {"source", "Source"}, {"parameters", "Active parameters", formatShort}, kTokens};
    d.columns = {
        {"experts", "Experts", formatCount}, kLoss, {"dense_equivalent", "Dense size of equal loss / active", three}};
    return d;
}

Result<LawView> recipeDocument(const LawQuestion& q, Json& json) {
    const auto flops = q.budget();
    if (!flops) return fail(flops.error());
    Allocation a = computeOptimal(*flops, q.rule);
    if (q.parameters) a = {*q.parameters, *flops / (6 * *q.parameters)};
    LawView d;
    json = {{"flops", *flops}, {"parameters", a.parameters}, {"tokens", a.tokens}, {"rows", Json::array()}};
    const auto add = [&](const char* name, const char* source, const TrainingRecipe& r) {
        json["rows"].push_back(
            {{"recipe", name}, {"learning_rate", r.learningRate}, {"batch_tokens", r.batchTokens}, {"source", source}});
    };
    add("step_law", "Step Law, arXiv 2503.04715; N without embeddings", stepLaw(a.parameters, a.tokens));
    add("deepseek", "DeepSeek LLM, arXiv 2401.02954", deepSeekRecipe(*flops));
    const double l = correctedLaw().loss(a.parameters, a.tokens);
    json["rows"].push_back({{"recipe", "critical_batch"},
                            {"learning_rate", nullptr},
                            {"batch_tokens", criticalBatchTokens(l)},
                            {"source", "Kaplan 2020, eq. 5.3: larger batches stop to pay"}});
    d.figures = {kFlops, kParameters, kTokens};
    d.columns = {{"recipe", "Recipe"},
                 {"learning_rate", "Learning rate", three},
                 {"batch_tokens", "Batch (tokens)", formatShort},
                 {"source", "Source"}};
    return d;
}

LawView fitDocument(const LawPoints& points, const LawFit& huber, const LawFit& projection,
                    const std::vector<ParametricLaw>& laws, double share, double flops, Json& json) {
    LawView d;
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
                                {"huber", number(figure(huber.law))},
                                {"low", number(band.low)},
                                {"high", number(band.high)},
                                {"projection", number(figure(projection.law))}});
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
    d.figures = {{"points", "Points", formatCount},
                 {"excluded", "Marked as excluded", formatCount},
                 {"flops", "Optimum at (FLOP)", three},
                 {"bootstraps", "Bootstraps", formatCount},
                 {"band_share", "Band", formatPercent},
                 {"log_residual", "Residual, Huber", formatPercent},
                 {"projection_log_residual", "Residual, projection", formatPercent}};
    d.columns = {{"figure", "Figure"},
                 {"huber", "Huber and BFGS", five},
                 {"low", "Low", four},
                 {"high", "High", four},
                 {"projection", "Variable projection", five}};
    return d;
}

}  // namespace slipway
