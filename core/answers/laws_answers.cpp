#include "core/answers/laws_answers.h"

#include "core/base/json_fields.h"
#include "core/base/units.h"
#include "core/planner/count/parameters.h"
#include "core/planner/laws/model_shape.h"
#include "core/planner/laws/moe_law.h"
#include "core/planner/laws/repeated_data.h"
#include "core/planner/laws/serving.h"
#include "core/planner/laws/training_recipe.h"

#include <algorithm>
#include <cmath>

namespace slipway {

namespace {

using written::count;
using written::five;
using written::percent;
using written::three;
using written::whole;

constexpr const char* kSardana = "Sardana 2023, arXiv 2401.00448, eq. 3";
/// State of one parameter in mixed precision with Adam: weights, gradients, master copy and two moments.
constexpr double kTrainingStateBytes = 16;
constexpr const char* kDeVries = "Harm de Vries, Go smol or go home";

const AnswerColumn kParameters{"parameters", "Parameters"_text, count};
const AnswerColumn kTokens{"tokens", "Tokens"_text, count};
const AnswerColumn kRatio{"tokens_per_parameter", "Tokens per parameter"_text, three, "D / N"};
const AnswerColumn kFlops{"flops", "Compute (FLOP)"_text, three};
const AnswerColumn kSpent{"spent_share", "6ND / C"_text, five, "6 N D / C"};
const AnswerColumn kLoss{"loss", "Loss (nats per token)"_text, written::loss};
const AnswerColumn kLaw{"law", "Law"_text, nullptr, {}, {}, ruleLabel};

/// The same column with the formula and source of its figures.
AnswerColumn by(AnswerColumn column, std::string formula, std::string source) {
    column.formula = std::move(formula);
    column.source = std::move(source);
    return column;
}
AnswerColumn by(const AnswerColumn& column, OptimumRule rule) {
    return by(column, factsOf(rule).formula, factsOf(rule).source);
}

Json allocationJson(const Allocation& a, double flops) {
    return {{"parameters", numberOrNull(a.parameters)},
            {"tokens", numberOrNull(a.tokens)},
            {"tokens_per_parameter", numberOrNull(a.tokensPerParameter())},
            {"spent_share", numberOrNull(a.spentShare(flops))}};
}

Json rowJson(OptimumRule rule, double flops) {
    Json row = Json::object();
    row["law"] = std::string(wordOf(rule));
    const Allocation best = computeOptimal(flops, rule);
    row.update(allocationJson(best, flops));
    const ParametricLaw* law = parametricLawOf(rule);
    row["loss"] = law != nullptr ? numberOrNull(law->loss(best.parameters, best.tokens)) : Json(nullptr);
    return row;
}

Result<const ParametricLaw*> lossLaw(const LawQuestion& q) {
    if (const ParametricLaw* law = parametricLawOf(q.rule)) return law;
    return fail("usage",
                "The law %1 does not give a loss; choose corrected, hoffmann, hoffmann_printed or repeated_data."_text(
                    wordOf(q.rule)),
                "law");
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

Message servedTokensMissing() {
    return "Give the number of tokens that will be served."_text;
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
                    "6 x %1 parameters x %2 tokens are %3 FLOP, not %4; leave out one of the three."_text(
                        ShortCount{*parameters}, ShortCount{*tokens}, formatSignificant(6 * *parameters * *tokens, 3),
                        formatSignificant(*flops, 3)),
                    "flops");
    if (flops) return *flops;
    if (parameters && tokens) return 6 * *parameters * *tokens;
    if (parameters) return flopsForParameters(rule, *parameters);
    if (tokens) return flopsForTokens(rule, *tokens);
    return fail("usage", "Give a budget: the compute, or parameters and tokens, or one of them for its optimum."_text,
                "flops");
}

Result<AnswerView> optimumAnswer(const LawQuestion& q, Json& json) {
    const auto flops = q.budget();
    if (!flops) return fail(flops.error());
    const RuleFacts& facts = factsOf(q.rule);
    AnswerView d;
    json = rowJson(q.rule, *flops);
    json["flops"] = *flops;
    json["formula"] = facts.formula;
    json["source"] = facts.source;
    json["note"] = facts.note.english();
    d.figures = {kLaw,
                 {"formula", "Formula"_text},
                 {"source", "Source"_text},
                 {"note", "Note"_text},
                 kFlops,
                 by(kParameters, q.rule),
                 by(kTokens, q.rule),
                 kRatio,
                 kSpent,
                 by(kLoss, q.rule)};
    const ParametricLaw* law = parametricLawOf(q.rule);
    if (q.parameters && q.tokens) {
        // The figures above are the best use of the same compute, not the given point.
        for (AnswerColumn& column : d.figures)
            if (column.key == kParameters.key || column.key == kTokens.key || column.key == kRatio.key ||
                column.key == kLoss.key)
                column.title = "Best: %1"_text(column.title);
        Json given = allocationJson({*q.parameters, *q.tokens}, *flops);
        given["overtraining"] = numberOrNull(overtrainingFactor(*q.parameters, *q.tokens));
        given["loss"] = law != nullptr ? numberOrNull(law->loss(*q.parameters, *q.tokens)) : Json(nullptr);
        json["given"] = given;
        json["given_loss"] = given["loss"];
        json["given_overtraining"] = given["overtraining"];
        json["given_parameters"] = *q.parameters;
        json["given_tokens"] = *q.tokens;
        json["given_tokens_per_parameter"] = *q.tokens / *q.parameters;
        d.figures.push_back({"given_parameters", "Given: %1"_text(kParameters.title), kParameters.format});
        d.figures.push_back({"given_tokens", "Given: %1"_text(kTokens.title), kTokens.format});
        d.figures.push_back({"given_tokens_per_parameter", "Given: %1"_text(kRatio.title), kRatio.format});
        d.figures.push_back({"given_loss", "Given: %1"_text(kLoss.title), written::loss});
        d.figures.push_back({"given_overtraining", "Given: times the rule of 20"_text, three});
    }
    return d;
}

Result<AnswerView> rulesAnswer(const LawQuestion& q, Json& json) {
    const auto flops = q.budget();
    if (!flops) return fail(flops.error());
    AnswerView d;
    json = {{"flops", *flops}, {"rows", Json::array()}};
    for (const auto& [rule, word, help, label] : enumNames(OptimumRule{})) {
        Json row = rowJson(rule, *flops);
        row["formula"] = factsOf(rule).formula;
        row["source"] = factsOf(rule).source;
        row["note"] = factsOf(rule).note.english();
        json["rows"].push_back(std::move(row));
    }
    d.figures = {kFlops};
    // Each row has the formula and the source of its own law.
    d.columns = {kLaw, kParameters, kTokens, kRatio, kSpent, kLoss, {"source", "Source"_text}};
    return d;
}

Result<AnswerView> isoFlopAnswer(const LawQuestion& q, Json& json) {
    const auto b = basisOf(q);
    if (!b) return fail(b.error());
    const std::vector<IsoFlopPoint> curve =
        isoFlopCurve(b->law, b->flops, b->best.parameters / q.span, b->best.parameters * q.span, q.numPoints);
    AnswerView d;
    json = headJson(q, *b);
    json["parameters"] = b->best.parameters;
    json["tokens"] = b->best.tokens;
    json["parabola_parameters"] = numberOrNull(parabolaOptimum(curve));
    for (const IsoFlopPoint& p : curve)
        json["rows"].push_back({{"parameters", p.parameters},
                                {"tokens", p.tokens},
                                {"tokens_per_parameter", p.tokens / p.parameters},
                                {"loss", p.loss},
                                {"loss_above_best", p.loss - b->loss}});
    d.figures = {kLaw,
                 kFlops,
                 {"parameters", "Best size"_text, count},
                 {"parabola_parameters", "By a parabola (biased)"_text, count},
                 kLoss};
    d.columns = {kParameters,
                 by(kTokens, "C / 6N", ""),
                 kRatio,
                 by(kLoss, q.rule),
                 {"loss_above_best", "Above the best"_text, written::loss, "L(N, C / 6N) - L*"}};
    return d;
}

namespace {

constexpr double kSizes[] = {0.125, 0.25, 0.35, 0.5, 0.7, 1, 1.4, 2, 4};

}  // namespace

Result<AnswerView> overtrainingAnswer(const LawQuestion& q, Json& json) {
    const auto b = basisOf(q);
    if (!b) return fail(b.error());
    AnswerView d;
    json = headJson(q, *b);
    for (const double size : kSizes) {
        const SizeTradeoff t = sizeTradeoff(b->law, b->flops, size);
        const double n = b->best.parameters * size, tokens = b->best.tokens * t.dataTimes;
        json["rows"].push_back({{"size_times", size},
                                {"parameters", n},
                                {"tokens", numberOrNull(tokens)},
                                {"tokens_per_parameter", numberOrNull(tokens / n)},
                                {"data_times", numberOrNull(t.dataTimes)},
                                {"compute_times", numberOrNull(t.computeTimes)}});
    }
    d.figures = {kLaw, kFlops, kLoss};
    d.columns = {{"size_times", "Size / best"_text, three},
                 kParameters,
                 kTokens,
                 kRatio,
                 {"data_times", "Data / best"_text, three, "D(N, L) / D*", kDeVries},
                 {"compute_times", "Compute / best"_text, three, "6 N D(N, L) / C", kDeVries}};
    return d;
}

Result<AnswerView> servingAnswer(const LawQuestion& q, Json& json) {
    const auto b = basisOf(q);
    if (!b) return fail(b.error());
    if (!q.servedTokens) return fail("usage", servedTokensMissing(), "served_tokens");
    const Allocation best = servingOptimal(b->law, b->loss, *q.servedTokens);
    const double plain = lifetimeFlops(b->best, *q.servedTokens), least = lifetimeFlops(best, *q.servedTokens);
    AnswerView d;
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
        json["rows"].push_back(
            {{"size_times", size},
             {"parameters", n},
             {"tokens", numberOrNull(tokens)},
             {"training_flops", numberOrNull(lifetimeFlops({n, tokens}, 0))},
             {"serving_flops", lifetimeFlops({n, 0}, *q.servedTokens)},
             {"lifetime_flops", numberOrNull(life)},
             {"lifetime_times", numberOrNull(life / plain)},
             {"break_even_served_tokens", numberOrNull(breakEvenServedTokens(b->law, b->flops, size))}});
    }
    d.figures = {kLaw,
                 kFlops,
                 kLoss,
                 {"served_tokens", "Tokens to serve"_text, count},
                 by(kParameters, "min over N of 6 N D(N, L) + 2 N S", kSardana),
                 by(kTokens, "D(N, L) = (B / (L - E - A / N^alpha))^(1 / beta)", kSardana),
                 kRatio,
                 {"lifetime_flops", "Training and serving (FLOP)"_text, three, "6 N D + 2 N S", kSardana},
                 {"saved_share", "Saved"_text, percent, "1 - (6 N D + 2 N S) / (C + 2 N* S)", kSardana}};
    d.columns = {
        {"size_times", "Size / best"_text, three},
        kParameters,
        kTokens,
        {"lifetime_flops", "Lifetime (FLOP)"_text, three, "6 N D + 2 N S", kSardana},
        {"lifetime_times", "Lifetime / best"_text, three, "(6 N D + 2 N S) / (C + 2 N* S)", kSardana},
        {"break_even_served_tokens", "Break-even (tokens served)"_text, count, "(6 N D - C) / (2 (N* - N))", kSardana}};
    return d;
}

Result<AnswerView> repeatedDataAnswer(const LawQuestion& q, Json& json) {
    LawQuestion own = q;
    own.rule = OptimumRule::Repeated;
    const auto b = basisOf(own);
    if (!b) return fail(b.error());
    if (!q.uniqueTokens) return fail("usage", "Give the number of different tokens."_text, "unique_tokens");
    const RepeatedOptimum r = repeatedDataOptimum(b->flops, *q.uniqueTokens);
    AnswerView d;
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
                 {"unique_tokens", "Different tokens"_text, count},
                 kParameters,
                 kTokens,
                 {"epochs", "Epochs"_text, three},
                 kLoss,
                 {"unlimited_loss", "With fresh data"_text, written::loss}};
    d.columns = {{"epochs", "Epochs"_text, three}, kTokens,     {"effective_tokens", "Worth (tokens)"_text, count},
                 {"worth", "Worth"_text, percent}, kParameters, kLoss};
    return d;
}

Result<AnswerView> kaplanAnswer(const LawQuestion& q, Json& json) {
    if (!q.parameters) return fail("usage", "Give the parameters without embeddings."_text, "parameters");
    AnswerView d;
    json = {{"source", "Kaplan 2020, arXiv 2001.08361, eq. 1.1"},
            {"formula", kKaplanFormula},
            {"parameters", *q.parameters},
            {"loss", kaplanLoss(*q.parameters)}};
    d.figures = {{"formula", "Formula"_text},
                 {"source", "Source"_text},
                 {"parameters", "Parameters without embeddings"_text, count},
                 kLoss};
    if (!q.tokens) return d;
    json["tokens"] = *q.tokens;
    json["joint_formula"] = kKaplanJointFormula;
    json["joint_source"] = "Kaplan 2020, arXiv 2001.08361, eq. 1.5";
    json["joint_loss"] = kaplanJointLoss(*q.parameters, *q.tokens);
    d.figures.insert(d.figures.end(), {kTokens,
                                       {"joint_formula", "Formula with tokens"_text},
                                       {"joint_source", "Source"_text},
                                       {"joint_loss", "Loss with these tokens"_text, written::loss}});
    return d;
}

Result<AnswerView> expertsAnswer(const LawQuestion& q, Json& json) {
    if (!q.parameters || !q.tokens)
        return fail("usage", "Give the active parameters and the tokens."_text, "parameters");
    AnswerView d;
    json = {{"status", textOf("experimental: the signs of the published constants are not confirmed"_text)},
            {"source", "Ludziejewski 2025, arXiv 2502.05172"},
            {"parameters", *q.parameters},
            {"tokens", *q.tokens},
            {"rows", Json::array()}};
    for (const double experts : {1, 2, 4, 8, 16, 32})
        json["rows"].push_back({{"experts", experts},
                                {"loss", moeLoss(*q.parameters, *q.tokens, experts)},
                                {"dense_equivalent", denseEquivalent(*q.parameters, *q.tokens, experts)}});
    d.figures = {
        {"status", "Status"_text}, {"source", "Source"_text}, {"parameters", "Active parameters"_text, count}, kTokens};
    d.columns = {{"experts", "Experts"_text, whole},
                 kLoss,
                 {"dense_equivalent", "Dense size of equal loss / active"_text, three}};
    return d;
}

Result<AnswerView> recipeAnswer(const LawQuestion& q, Json& json) {
    const auto flops = q.budget();
    if (!flops) return fail(flops.error());
    Allocation a = computeOptimal(*flops, q.rule);
    if (q.parameters) a = {*q.parameters, *flops / (6 * *q.parameters)};
    AnswerView d;
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
                            {"source", "Kaplan 2020, eq. 5.3: larger batches stop paying off"}});
    d.figures = {kFlops, kParameters, kTokens};
    d.columns = {{"recipe", "Recipe"_text},
                 {"learning_rate", "Learning rate"_text, three},
                 {"batch_tokens", "Batch (tokens)"_text, count},
                 {"source", "Source"_text}};
    return d;
}

Result<Allocation> chosenSize(const LawQuestion& q, ChosenSize size) {
    if (size == ChosenSize::Optimum) {
        const auto flops = q.budget();
        if (!flops) return fail(flops.error());
        return computeOptimal(*flops, q.rule);
    }
    const auto b = basisOf(q);
    if (!b) return fail(b.error());
    if (!q.servedTokens) return fail("usage", servedTokensMissing(), "served_tokens");
    return servingOptimal(b->law, b->loss, *q.servedTokens);
}

Result<RunConfig> runOfSize(const RunConfig& base, const Allocation& size) {
    const auto shape = modelOfSize(size.parameters);
    if (!shape) return fail(shape.error());
    RunConfig run = base;
    run.name = asciiText(formatShort(size.parameters));
    std::erase(run.name, ' ');
    run.model = *shape;
    run.train.seqLen = std::min(run.train.seqLen, run.model.maxSeqLen);
    const double tokensPerStep = static_cast<double>(run.train.globalBatchSize * run.train.seqLen);
    run.train.numSteps = std::max<std::int64_t>(1, std::llround(std::ceil(size.tokens / tokensPerStep)));
    return run;
}

Result<AnswerView> shapeAnswer(const LawQuestion& q, Json& json) {
    double size = q.parameters.value_or(0);
    if (!q.parameters) {
        const auto flops = q.budget();
        if (!flops) return fail(flops.error());
        size = computeOptimal(*flops, q.rule).parameters;
    }
    const auto shape = modelOfSize(size);
    if (!shape) return fail(shape.error());
    const ParameterCount counted = countParameters(*shape);
    constexpr const char* kLlama3 = "Llama 3, arXiv 2407.21783, table 3";
    const auto widths = [](double value, Language) { return formatCount(value); };
    AnswerView d;
    json = {{"wanted_parameters", size},
            {"parameters", counted.total},
            {"wanted_share", counted.total / size},
            {"num_layers", shape->numLayers},
            {"hidden_size", shape->hiddenSize},
            {"ffn_hidden_size", shape->ffnHiddenSize},
            {"num_heads", shape->numHeads},
            {"num_kv_heads", shape->kvHeads()},
            {"vocab_size", shape->vocabSize},
            {"training_state_bytes", counted.total * kTrainingStateBytes},
            {"model", toJson(*shape)}};
    d.figures = {{"parameters", "Parameters"_text, count},
                 {"wanted_share", "Share of the wanted size"_text, percent},
                 {"num_layers", "Layers"_text, widths, "h / l nearest to 128", kLlama3},
                 {"hidden_size", "Hidden size"_text, widths, "h / l nearest to 128", kLlama3},
                 {"ffn_hidden_size", "FFN size"_text, widths, "3.5 h, and what is missing from N", kLlama3},
                 {"num_heads", "Heads"_text, widths, "h / 128; h / 64 below 4 B", kLlama3},
                 {"num_kv_heads", "KV heads"_text, widths, "8", kLlama3},
                 {"vocab_size", "Vocabulary"_text, widths, "128,256; 32,000 below 1 B", kLlama3},
                 {"training_state_bytes", "Training states"_text, written::bytes, "16 N",
                  "ZeRO, arXiv 1910.02054, section 3.1"}};
    return d;
}

}  // namespace slipway
