// Figures on the size of a job: parameters, FLOPs, time, money, scaling laws, data.
#include "core/planner/cost/cost.h"
#include "core/planner/count/batch.h"
#include "core/planner/count/flops.h"
#include "core/planner/count/parameters.h"
#include "core/planner/laws/scaling_laws.h"
#include "core/planner/laws/serving.h"
#include "core/planner/laws/source_variants.h"
#include "core/planner/presets.h"
#include "core/playbook/figure_tables.h"
#include "core/playbook/near_duplicates.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <set>

namespace slipway {
namespace {

using namespace figures;
using In = const FigureInputs&;

constexpr double kHour = 3600, kDay = 86400, kYear = 365 * kDay;

std::vector<std::string> pricedDevices() {
    std::set<std::string> names;
    for (const ListedPrice& price : listedPrices()) names.insert(price.device);
    for (const ClusterSpec& cluster : devicePresets()) names.insert(cluster.device.name);
    return {names.begin(), names.end()};
}
std::vector<std::string> pricedOffers() {
    std::set<std::string> offers;
    for (const ListedPrice& price : listedPrices()) offers.insert(price.offer);
    return {offers.begin(), offers.end()};
}
std::vector<std::string> presetIds() {
    std::vector<std::string> ids;
    for (const ModelPreset& preset : modelPresets()) ids.push_back(preset.id);
    return ids;
}

Json trainingCompute(In in) {
    const double n = in.number("parameters"), d = in.number("tokens");
    return {{"training_flops", trainingFlops(n, d)},
            {"forward_flops", trainingFlops(n, d, false)},
            {"tokens_per_parameter", d / n},
            {"flops_per_token", trainingFlops(n, 1)}};
}

Json decoderSize(In in) {
    const DecoderParts p =
        decoderParts(in.number("layers"), in.number("hidden"), in.number("ffn_hidden"), in.number("heads"),
                     in.number("kv_heads"), in.number("head_size"), in.number("vocab"));
    return {{"ffn_parameters", p.ffn},
            {"vocab_parameters", p.vocab},
            {"attention_parameters", p.attention},
            {"total_parameters", p.total()},
            {"flops_per_token", trainingFlops(p.total(), 1)}};
}

Json flopRules(In in) {
    const double n = in.number("parameters"), tokens = in.number("batch") * in.number("seq_len");
    ModelSpec model;
    model.numLayers = in.whole("layers");
    model.hiddenSize = in.whole("hidden");
    model.numHeads = std::max<std::int64_t>(in.whole("hidden") / 128, 1);
    model.ffnHiddenSize = 4 * in.whole("hidden");
    const double megatron = megatronStepFlops(in.number("batch"), in.number("seq_len"), in.number("layers"),
                                              in.number("hidden"), in.number("vocab"));
    return {
        {"six_nd_step_flops", trainingFlops(n, tokens)},
        {"palm_flops_per_token", palmFlopsPerToken(n, in.number("layers"), in.number("hidden"), in.number("seq_len"))},
        {"megatron_step_flops", megatron},
        {"model_step_flops", megatron * 3 / 4},
        {"layer_forward_flops_per_token", layerForwardFlopsPerToken(model, false)}};
}

Json jobTime(In in) {
    const double flops = in.number("flops"), peak = in.number("peak_flops"), mfu = in.number("mfu");
    const double wall = trainingSeconds(flops, peak, mfu, in.number("devices"));
    const double hours = deviceHours(flops, peak, mfu);
    return {{"device_hours", hours},      {"wall_ms", wall * 1e3},
            {"wall_hours", wall / kHour}, {"wall_days", wall / kDay},
            {"wall_years", wall / kYear}, {"cost_usd", *money(hours, in.number("price_per_hour"))}};
}

Json offerCost(In in) {
    const std::string device = in.word("device");
    const std::optional<double> price = listedPrice(device, in.word("offer"));
    const ClusterSpec* preset = findDevicePreset(device);
    const double flops = trainingFlops(in.number("parameters"), in.number("tokens"));
    const double given = in.number("peak_flops");
    const double peak = given > 0 ? given : preset == nullptr ? 0 : preset->device.peakBf16Flops.value_or(0);
    if (peak <= 0) return {{"training_flops", flops}, {"cost_usd", price ? Json(nullptr) : Json("unknown price")}};
    const double hours = deviceHours(flops, peak, in.number("mfu"));
    const double wall = trainingSeconds(flops, peak, in.number("mfu"), in.number("devices"));
    const std::optional<double> cost = money(hours, price);
    return {{"training_flops", flops},
            {"wall_hours", wall / kHour},
            {"wall_days", wall / kDay},
            {"device_hours", hours},
            {"cost_usd", cost ? Json(*cost) : Json("unknown price")}};
}

Json breakEven(In in) {
    const double hours = breakEvenHours(in.number("device_price"), in.number("price_per_hour"));
    return {{"break_even_hours", hours}, {"break_even_days", hours * kHour / kDay}};
}

Json optimum(In in) {
    const auto rule = enumOfWord<OptimumRule>(in.word("law"));
    const double flops = in.number("flops");
    const Allocation a = computeOptimal(flops, rule);
    const ParametricLaw* law = parametricLawOf(rule);
    return {{"optimal_parameters", a.parameters},
            {"optimal_tokens", a.tokens},
            {"tokens_per_parameter", a.tokensPerParameter()},
            {"spent_share", a.spentShare(flops)},
            {"loss", law == nullptr ? Json(nullptr) : Json(law->loss(a.parameters, a.tokens))}};
}

/// The valley of one budget, and the cost and savings of a model smaller than its optimum.
Json isoFlop(In in) {
    const ParametricLaw law = correctedLaw();
    const double flops = in.number("flops"), times = in.number("size_times");
    const Allocation best = computeOptimal(flops, law);
    const double n = best.parameters * times, d = flops / (6 * n);
    Json curve = Json::array();
    for (const IsoFlopPoint& p : isoFlopCurve(law, flops, best.parameters / 16, best.parameters * 16, 33))
        curve.push_back({{"parameters", p.parameters}, {"loss", p.loss}});
    const SizeTradeoff trade = sizeTradeoff(law, flops, times);
    return {{"optimal_parameters", best.parameters},
            {"optimal_loss", law.loss(best.parameters, best.tokens)},
            {"loss", law.loss(n, d)},
            {"extra_loss", law.loss(n, d) - law.loss(best.parameters, best.tokens)},
            {"compute_times", jsonNumber(trade.computeTimes)},
            {"served_tokens", times < 1 ? jsonNumber(breakEvenServedTokens(law, flops, times)) : Json(nullptr)},
            {"curve", curve}};
}

Json presetModel(In in) {
    const ModelPreset* preset = findModelPreset(in.word("model"));
    const ParameterCount count = countParameters(preset->model);
    return {{"total_parameters", count.total},
            {"active_parameters", count.active},
            {"active_share", count.active / count.total},
            {"ffn_parameters", count.ffn},
            {"attention_parameters", count.attention},
            {"embedding_parameters", count.embedding + count.head}};
}

Json duplicates(In in) {
    const double s = in.number("similarity");
    return {{"caught_share", caughtProbability(s, in.number("bands"), in.number("rows"))},
            {"half_caught_similarity", halfCaughtSimilarity(in.number("bands"), in.number("rows"))}};
}

Json mixture(In in) {
    const std::vector<double> weights = in.numbers("mixture");
    double sum = 0;
    for (const double weight : weights) sum += weight;
    Json shares = Json::array();
    for (const double weight : weights) shares.push_back(weight / sum);
    return {{"mixture_sum", sum}, {"mixture_shares", shares}};
}

Json lshBands(In in) {
    const LshBands best = bestLshBands(in.whole("permutations"), in.number("similarity"));
    return {{"bands", best.bands},
            {"rows", best.rows},
            {"caught_share", caughtProbability(in.number("similarity"), static_cast<double>(best.bands),
                                               static_cast<double>(best.rows))}};
}

}  // namespace

std::vector<FigureModel> sizeFigures() {
    const char* kaplan = "Kaplan 2020, arXiv 2001.08361";
    const char* megatron = "Narayanan 2021, arXiv 2104.04473, eq. 3";
    return {
        {"training_compute",
         {number("parameters", "7e9", 1, 1e14), number("tokens", "2e12", 1, 1e16)},
         {{"training_flops", "6 N D", kaplan},
          {"forward_flops", "2 N D", kaplan},
          {"tokens_per_parameter", "D / N", "Hoffmann 2022, arXiv 2203.15556"},
          {"flops_per_token", "6 N", kaplan}},
         trainingCompute},
        {"gpt_size",
         {number("layers", "96", 1, 1000), number("hidden", "12288", 1, 1e6), number("vocab", "51200", 1, 1e7),
          number("positions", "2048", 0, 1e7), yesNo("final_norm", "1")},
         {{"total_parameters", "12 L h^2 + 13 L h + (V + s) h + 2 h", "Narayanan 2021, arXiv 2104.04473, eq. 2"}},
         [](In in) -> Json {
             return {{"total_parameters", gptParameters(in.number("layers"), in.number("hidden"), in.number("vocab"),
                                                        in.number("positions"), in.flag("final_norm"))}};
         }},
        {"decoder_size",
         {number("layers", "80", 1, 1000), number("hidden", "8192", 1, 1e6), number("ffn_hidden", "28672", 1, 1e7),
          number("heads", "64", 1, 1e4), number("kv_heads", "8", 1, 1e4), number("head_size", "128", 1, 1e4),
          number("vocab", "128256", 1, 1e7)},
         {{"ffn_parameters", "3 L D F", "jax-ml/scaling-book, chapter 6"},
          {"vocab_parameters", "2 D V", "jax-ml/scaling-book, chapter 6"},
          {"attention_parameters", "2 L D H (N + K)", "jax-ml/scaling-book, chapter 6"},
          {"total_parameters", "3 L D F + 2 D V + 2 L D H (N + K)", "jax-ml/scaling-book, chapter 6"},
          {"flops_per_token", "6 P", kaplan}},
         decoderSize},
        {"flop_rules",
         {number("parameters", "1.746e11", 1, 1e14), number("layers", "96", 1, 1000), number("hidden", "12288", 1, 1e6),
          number("vocab", "51200", 1, 1e7), number("seq_len", "2048", 1, 1e7), number("batch", "1536", 1, 1e7)},
         {{"six_nd_step_flops", "6 N B s", kaplan},
          {"palm_flops_per_token", "6 N + 12 L h s", "PaLM, arXiv 2204.02311, appendix B"},
          {"megatron_step_flops", "96 B s L h^2 (1 + s / (6 h) + V / (16 L h))", megatron},
          {"model_step_flops", "72 B s L h^2 (1 + s / (6 h) + V / (16 L h))", megatron},
          {"layer_forward_flops_per_token", "2 (4 h^2 + 8 h^2)", megatron}},
         flopRules},
        {"job_time",
         {number("flops", "8.4e22", 1, 1e30), number("peak_flops", "3.12e14", 1, 1e20), number("mfu", "0.45", 1e-6, 1),
          number("devices", "256", 1, 1e7), number("price_per_hour", "1.99", 0, 1e6)},
         {{"device_hours", "C / (peak MFU) / 3600", kaplan},
          {"wall_ms", "1000 C / (peak MFU n)", ""},
          {"wall_hours", "C / (peak MFU n) / 3600", ""},
          {"wall_days", "C / (peak MFU n) / 86400", ""},
          {"wall_years", "C / (peak MFU n) / (365 * 86400)", ""},
          {"cost_usd", "device-hours * price", ""}},
         jobTime},
        {"offer_cost",
         {number("parameters", "7e9", 1, 1e14), number("tokens", "2e12", 1, 1e16), number("devices", "256", 1, 1e7),
          number("mfu", "0.45", 1e-6, 1), choice("device", "\"NVIDIA A100 SXM 80 GB\"", pricedDevices),
          choice("offer", "\"Lambda\"", pricedOffers), number("peak_flops", "0", 0, 1e20)},
         {{"training_flops", "6 N D", kaplan},
          {"wall_hours", "C / (peak MFU n) / 3600", ""},
          {"wall_days", "C / (peak MFU n) / 86400", ""},
          {"device_hours", "C / (peak MFU) / 3600", ""},
          {"cost_usd", "device-hours * listed price", "resources/prices"}},
         offerCost},
        {"break_even",
         {number("device_price", "43989", 1, 1e9), number("price_per_hour", "3.29", 1e-3, 1e6)},
         {{"break_even_hours", "price / rent per hour", ""}, {"break_even_days", "hours / 24", ""}},
         breakEven},
        {"days_to_years",
         {number("wall_days", "1752", 0, 1e9)},
         {{"wall_years", "days / 365", ""}},
         [](In in) -> Json {
             return {{"wall_years", in.number("wall_days") * kDay / kYear}};
         }},
        {"devices_to_hold",
         {number("bytes", "5.6e10", 1, 1e18), number("device_bytes", "8e10", 1, 1e15)},
         {{"devices", "ceil(bytes / device memory)", ""}},
         [](In in) -> Json {
             return {{"devices", devicesToHold(in.number("bytes"), in.number("device_bytes"))}};
         }},
        {"model_library",
         {choice("model", "\"llama3-8b\"", presetIds)},
         {{"total_parameters", "sum over all tensors", "resources/models"},
          {"active_parameters", "what one token passes", "resources/models"},
          {"active_share", "active / total", ""},
          {"ffn_parameters", "feed-forward matrices of all layers", ""},
          {"attention_parameters", "attention matrices of all layers", ""},
          {"embedding_parameters", "token tables and output head", ""}},
         presetModel},
        {"kaplan_loss",
         {number("parameters", "1.75e11", 1, 1e14), number("critical_parameters", "8.8e13", 1, 1e20),
          number("alpha", "0.076", 1e-3, 1)},
         {{"loss", "(Nc / N)^alphaN", "Kaplan 2020, arXiv 2001.08361, eq. 1.1"}},
         [](In in) -> Json {
             return {
                 {"loss", kaplanLoss(in.number("parameters"), in.number("critical_parameters"), in.number("alpha"))}};
         }},
        {"compute_optimal",
         {number("flops", "5.88e23", 1, 1e30), choice("law", "\"corrected\"", wordsOfEnum<OptimumRule>)},
         {{"optimal_parameters", "of the law", "slipway laws compare"},
          {"optimal_tokens", "of the law", "slipway laws compare"},
          {"tokens_per_parameter", "D / N", ""},
          {"spent_share", "6 N D / C", ""},
          {"loss", "E + A / N^alpha + B / D^beta", "Hoffmann 2022, arXiv 2203.15556, approach 3"}},
         optimum},
        {"twenty_tokens",
         {number("parameters", "7e9", 1, 1e14), number("tokens", "2e12", 1, 1e16)},
         {{"minimum_tokens", "20 N", "Hoffmann 2022, arXiv 2203.15556"},
          {"overtraining", "D / (20 N)", "Hoffmann 2022, arXiv 2203.15556"}},
         [](In in) -> Json {
             return {{"minimum_tokens", minimumTokens(in.number("parameters"))},
                     {"overtraining", overtrainingFactor(in.number("parameters"), in.number("tokens"))}};
         }},
        {"iso_flop",
         {number("flops", "1e23", 1e9, 1e30), number("size_times", "0.5", 0.0625, 16)},
         {{"optimal_parameters", "G (C / 6)^(beta / (alpha + beta))", "Besiroglu 2024, arXiv 2404.10102"},
          {"optimal_loss", "E + A / N^alpha + B / D^beta", "Besiroglu 2024, arXiv 2404.10102"},
          {"loss", "L(k N, C / (6 k N))", "Besiroglu 2024, arXiv 2404.10102"},
          {"extra_loss", "L(k N, C / (6 k N)) - L(N, D)", ""},
          {"compute_times", "C(k N to the loss of N) / C", "Harm de Vries, Go smol or go home"},
          {"served_tokens", "(C' - C) / (2 (N - N'))", "Sardana 2023, arXiv 2401.00448, eq. 3"},
          {"curve", "L(N, C / (6 N))", "Hoffmann 2022, arXiv 2203.15556, approach 2"}},
         isoFlop},
        {"near_duplicates",
         {number("similarity", "0.8", 0, 1), number("bands", "9", 1, 1000), number("rows", "13", 1, 1000)},
         {{"caught_share", "1 - (1 - s^r)^b", "Leskovec, Rajaraman, Ullman: Mining of Massive Datasets, sec. 3.4"},
          {"half_caught_similarity", "(1 - 2^(-1/b))^(1/r)", "same"}},
         duplicates},
        {"lsh_bands",
         {whole("permutations", "128", 2, 4096), number("similarity", "0.8", 0.01, 0.99)},
         {{"bands", "least area of both errors", "datasketch, MinHashLSH"},
          {"rows", "least area of both errors", "datasketch, MinHashLSH"},
          {"caught_share", "1 - (1 - s^r)^b", "datasketch, MinHashLSH"}},
         lshBands},
        {"mixture",
         {{"mixture", FigureInputKind::Numbers, "[0.67, 0.14, 0.045, 0.045, 0.025, 0.025, 0.02]"}},
         {{"mixture_sum", "sum of the weights", ""}, {"mixture_shares", "weight / sum", ""}},
         mixture},
        {"token_count",
         {number("sequences", "1024", 0, 1e12), number("seq_len", "2048", 1, 1e7), number("steps", "1", 0, 1e12)},
         {{"seen_tokens", "sequences * length * steps", ""}},
         [](In in) -> Json {
             return {{"seen_tokens", tokensOf(in.number("sequences") * in.number("steps"), in.number("seq_len"))}};
         }},
        {"steps_for_tokens",
         {number("tokens", "1e9", 1, 1e16), number("tokens_per_step", "2097152", 1, 1e12)},
         {{"steps", "ceil(tokens / tokens per step)", ""}, {"steps_as_real", "tokens / tokens per step", ""}},
         [](In in) -> Json {
             return {{"steps", stepsForTokens(in.number("tokens"), in.number("tokens_per_step"))},
                     {"steps_as_real", stepsAsReal(in.number("tokens"), in.number("tokens_per_step"))}};
         }},
        {"token_width",
         {number("vocab", "128256", 1, 1e12), whole("token_bits", "16", 8, 64)},
         {{"fits", "V <= 2^bits", ""}},
         [](In in) -> Json {
             return {{"fits", in.number("vocab") <= std::exp2(in.number("token_bits"))}};
         }},
        {"chunk_reader",
         {whole("seq_len", "2048", 1, 1e7), whole("world_size", "1", 1, 1e6)},
         {{"source_samples", "floor(s n / (s + 1))", "a guide's reader, row 000-10h"},
          {"samples", "n, from chunks of s n + 1 tokens", ""}},
         [](In in) -> Json {
             return {{"source_samples", source_variants::samplesPerChunk(in.whole("seq_len"), in.whole("world_size"))},
                     {"samples", in.whole("world_size")}};
         }},
    };
}

}  // namespace slipway
