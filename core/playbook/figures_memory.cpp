// Figures on a device's memory: state, activations, recomputation, checkpoints.
#include "core/base/units.h"
#include "core/planner/cost/checkpoint.h"
#include "core/planner/count/batch.h"
#include "core/planner/laws/source_variants.h"
#include "core/planner/memory/activations.h"
#include "core/planner/memory/policy.h"
#include "core/playbook/figure_tables.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>

namespace slipway {
namespace {

using namespace figures;
using In = const FigureInputs&;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<std::string> policyNames() {
    std::vector<std::string> names;
    for (const StatePolicy& policy : statePolicies()) names.emplace_back(policy.name);
    return names;
}

StatePolicy policyOf(In in) {
    return *findStatePolicy(in.word("policy"));
}

Json stateMemory(In in) {
    StatePolicy policy = policyOf(in);
    if (in.flag("momentum_only")) policy = withMomentumOnly(policy);
    const StateBytes state =
        stateBytes(policy, in.number("parameters"), static_cast<int>(in.whole("zero_stage")), in.number("shards"));
    const double activations = in.number("activation_gb");
    return {{"bytes_per_parameter", policy.totalBytes()},
            {"weights_gb", state.weights / kGB},
            {"gradients_gb", state.gradients / kGB},
            {"optimizer_gb", state.optimizer / kGB},
            {"state_gb", state.total() / kGB},
            {"state_gib", state.total() / kGiB},
            {"total_gb", state.total() / kGB + activations}};
}

Json policyTable(In in) {
    Json rows = Json::array();
    for (const StatePolicy& p : statePolicies())
        rows.push_back({{"policy", std::string(p.name)},
                        {"bytes_per_parameter", p.totalBytes()},
                        {"state_gb", p.totalBytes() * in.number("parameters") / kGB},
                        {"source", std::string(p.source)}});
    return {{"policies", rows}};
}

/// State from the mebibytes of its 16-bit weights, as printed by a memory tool.
Json stateTimeline(In in) {
    const StatePolicy policy = policyOf(in);
    const double perByte = in.number("weights_mib") / policy.weightBytes;
    return {{"start_mib", in.number("weights_mib")},
            {"accumulated_mib", perByte * (policy.weightBytes + policy.gradientBytes + 4)},
            {"steady_mib", perByte * policy.totalBytes()}};
}

Json zeroFactors(In in) {
    const StatePolicy policy = policyOf(in);
    const double n = in.number("shards");
    return {{"zero1_factor", jsonNumber(zeroSavingFactor(policy, 1, n))},
            {"zero2_factor", jsonNumber(zeroSavingFactor(policy, 2, n))},
            {"zero3_factor", jsonNumber(zeroSavingFactor(policy, 3, n))}};
}

Json activations(In in) {
    const auto layers = [&](ActivationForm form) {
        return in.number("layers") *
               korthikantiLayerBytes(in.number("seq_len"), in.number("micro_batch"), in.number("hidden"),
                                     in.number("heads"), in.number("tp"), in.flag("sequence_parallel"), form) /
               in.number("cp");
    };
    const double ten = in.number("layers") * tenBytesLayerBytes(in.number("seq_len"), in.number("micro_batch"),
                                                                in.number("hidden"), in.number("value_bytes"));
    const double selective = layers(ActivationForm::Selective), full = layers(ActivationForm::Full);
    return {{"selective_gib", selective / kGiB},
            {"selective_gb", selective / kGB},
            {"full_gib", full / kGiB},
            {"full_gb", full / kGB},
            {"source_ten_gb", ten / kGB}};
}

Json logits(In in) {
    const double count = in.number("seq_len") * in.number("micro_batch") * in.number("vocab");
    return {{"logits", count}, {"logits_gib", count * in.number("bytes_per_logit") / kGiB}};
}

Json recomputation(In in) {
    const double ratio = in.number("ratio");
    const auto layers = in.whole("layers");
    const double factor = recomputeFactor(in.number("forward"), in.number("backward"), in.number("extra_forward"));
    return {{"recomputed_layers", recomputedLayers(ratio, layers)},
            {"source_recomputed_layers", recomputedLayersByStride(ratio, layers)},
            {"sqrt_factor", sqrtCheckpointFactor(static_cast<double>(layers))},
            {"compute_factor", factor},
            {"speed_change", 1 / factor - 1}};
}

Json accumulation(In in) {
    const auto micro = in.whole("micro_batch"), dp = in.whole("dp"), global = in.whole("global_batch");
    const auto steps = accumulationSteps(global, micro, dp);
    return {{"accumulation_steps", steps}, {"whole_batch", globalBatch(micro, steps, dp) == global}};
}

Json checkpoint(In in) {
    const double bytes = checkpointFileBytes(in.number("parameters"), in.number("bytes_per_parameter"));
    const double stall = bytes / in.number("write_bytes_per_second");
    const double mtbf = clusterMtbfSeconds(in.number("node_mtbf_days") * 86400, in.number("nodes"));
    const double every = bestCheckpointInterval(stall, mtbf);
    return {{"file_bytes", bytes},
            {"stall_seconds", stall},
            {"mtbf_hours", mtbf / 3600},
            {"best_interval_minutes", every / 60},
            {"goodput", goodput(every, stall, in.number("restart_seconds"), mtbf)}};
}

Json podState(In in) {
    const StateBytes state = stateBytes(*findStatePolicy("scaling_book"), in.number("parameters"), 0, 1);
    const double kept = checkpointBytes(in.number("tokens"), in.number("hidden"), in.number("layers"),
                                        in.number("kept_per_layer"), in.number("value_bytes"));
    const double total = state.weights + state.optimizer + kept;
    return {{"weights_gb", state.weights / kGB},
            {"optimizer_gb", state.optimizer / kGB},
            {"kept_tb", kept / 1e12},
            {"total_tb", total / 1e12},
            {"bytes_per_chip_gb", total / in.number("devices") / kGB}};
}

}  // namespace

std::vector<FigureModel> memoryFigures() {
    const char* zero = "ZeRO, arXiv 1910.02054, fig. 1";
    const char* korthikanti = "Korthikanti 2022, arXiv 2205.05198, table 2";
    const FigureInput policy = choice("policy", "\"zero_paper\"", policyNames);
    return {
        {"state_memory",
         {number("parameters", "7e9", 1, 1e14), policy, whole("zero_stage", "0", 0, 3),
          number("shards", "1", 1, kInfinity), yesNo("momentum_only", "0"), number("activation_gb", "0", 0, 1e9)},
         {{"bytes_per_parameter", "weights + gradients + optimizer", "the policy"},
          {"weights_gb", "w N (/ n from stage 3)", zero},
          {"gradients_gb", "g N (/ n from stage 2)", zero},
          {"optimizer_gb", "o N (/ n from stage 1)", zero},
          {"state_gb", "w N + g N + o N", zero},
          {"state_gib", "(w N + g N + o N) / 2^30", zero},
          {"total_gb", "state + activations", zero}},
         stateMemory},
        {"state_policies",
         {number("parameters", "7e9", 1, 1e14)},
         {{"policies", "(w + g + o) N for each policy", "each policy's own"}},
         policyTable},
        {"state_timeline",
         {number("weights_mib", "12746", 0, 1e12), choice("policy", "\"fp32_gradients\"", policyNames)},
         {{"start_mib", "w N", "nanotron"},
          {"accumulated_mib", "(w + g + 4) N", "nanotron"},
          {"steady_mib", "(w + g + o) N", "nanotron"}},
         stateTimeline},
        {"zero_factors",
         {policy, number("shards", "8", 1, kInfinity)},
         {{"zero1_factor", "(w + g + o) / (w + g + o / n)", zero},
          {"zero2_factor", "(w + g + o) / (w + (g + o) / n)", zero},
          {"zero3_factor", "n", zero}},
         zeroFactors},
        {"activations",
         {number("seq_len", "4096", 1, 1e8), number("micro_batch", "1", 1, 1e6), number("hidden", "4096", 1, 1e6),
          number("layers", "32", 1, 1e4), number("heads", "32", 1, 1e4), number("tp", "1", 1, 1024),
          number("cp", "1", 1, 1024), yesNo("sequence_parallel", "0"), number("value_bytes", "2", 1, 8)},
         {{"selective_gib", "s b h L (10 + 24 / t), with sequence parallelism 34 s b h L / t", korthikanti},
          {"selective_gb", "the same / 1e9", korthikanti},
          {"full_gib", "s b h L (10 + 24 / t + 5 a s / (h t))", korthikanti},
          {"full_gb", "the same / 1e9", korthikanti},
          {"source_ten_gb", "10 b s h e L", "an infrastructure lesson, row 001-1.2b; too small"}},
         activations},
        {"logits",
         {number("seq_len", "4096", 1, 1e8), number("micro_batch", "1", 1, 1e6), number("vocab", "131072", 1, 1e8),
          number("bytes_per_logit", "16", 1, 64)},
         {{"logits", "b s V", ""}, {"logits_gib", "b s V bytes", "16 to 19 bytes measured, Ultra-Scale data"}},
         logits},
        {"recomputation",
         {number("ratio", "0.5", 0.01, 1), whole("layers", "32", 1, 10000), number("forward", "1", 0, 100),
          number("backward", "2", 0, 100), number("extra_forward", "1", 0, 100)},
         {{"recomputed_layers", "round(ratio L)", ""},
          {"source_recomputed_layers", "layers with i mod int(1 / ratio) = 0", "an infrastructure lesson, row 001-4.2"},
          {"sqrt_factor", "sqrt(L)", "Chen 2016, arXiv 1604.06174"},
          {"compute_factor", "(f + b + extra) / (f + b)", "Chen 2016, arXiv 1604.06174"},
          {"speed_change", "1 / factor - 1", ""}},
         recomputation},
        {"accumulation",
         {whole("global_batch", "1024", 1, 1e9), whole("micro_batch", "2", 1, 1e6), whole("dp", "128", 1, 1e6)},
         {{"accumulation_steps", "B / (b dp)", ""}, {"whole_batch", "b steps dp = B", ""}},
         accumulation},
        {"global_batch",
         {whole("micro_batch", "4", 1, 1e6), whole("accumulation", "8", 1, 1e6), whole("dp", "32", 1, 1e6)},
         {{"global_batch", "b m dp", ""}},
         [](In in) -> Json {
             return {{"global_batch", globalBatch(in.whole("micro_batch"), in.whole("accumulation"), in.whole("dp"))}};
         }},
        {"implied_replicas",
         {whole("global_batch", "256", 1, 1e9), whole("micro_batch", "4", 1, 1e6), whole("accumulation", "8", 1, 1e6)},
         {{"dp", "B / (b m)", ""}},
         [](In in) -> Json {
             return {
                 {"dp", in.whole("global_batch") / globalBatch(in.whole("micro_batch"), in.whole("accumulation"), 1)}};
         }},
        {"checkpoint",
         {number("parameters", "1.75e11", 1, 1e14), number("bytes_per_parameter", "14", 1, 64),
          number("write_bytes_per_second", "6e10", 1, 1e15), number("node_mtbf_days", "110", 1e-3, 1e6),
          number("nodes", "48", 1, 1e6), number("restart_seconds", "600", 0, 1e6)},
         {{"file_bytes", "bytes N", ""},
          {"stall_seconds", "file / write rate", ""},
          {"mtbf_hours", "MTBF of a node / nodes", ""},
          {"best_interval_minutes", "sqrt(2 stall MTBF)", "Young 1974; Daly 2006"},
          {"goodput", "T / (T + stall) (1 - (T / 2 + restart) / MTBF)", "Kokolis 2024, arXiv 2410.21680, sec. 4"}},
         checkpoint},
        {"saves_at_zero",
         {whole("accumulation", "8", 1, 1e6)},
         {{"source_saves", "m - 1", "a guide's loop, row 000-10j"}, {"saves", "0", ""}},
         [](In in) -> Json {
             return {{"source_saves", source_variants::savesAtStepZero(in.whole("accumulation"))}, {"saves", 0}};
         }},
        {"pod_memory",
         {number("parameters", "7e10", 1, 1e14), number("tokens", "4e6", 1, 1e12), number("hidden", "8192", 1, 1e6),
          number("layers", "80", 1, 1e4), number("kept_per_layer", "4", 0, 100), number("value_bytes", "2", 1, 8),
          number("devices", "8960", 1, 1e7)},
         {{"weights_gb", "2 P", "jax-ml/scaling-book, chapter 6"},
          {"optimizer_gb", "8 P", "jax-ml/scaling-book, chapter 6"},
          {"kept_tb", "e D B k L", "jax-ml/scaling-book, chapter 6"},
          {"total_tb", "weights + optimizer + saved activations", "jax-ml/scaling-book, chapter 6"},
          {"bytes_per_chip_gb", "total / chips", "jax-ml/scaling-book, chapter 6"}},
         podState},
    };
}

}  // namespace slipway
