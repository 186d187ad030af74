// The exercises of the scaling book: limits of data, fully sharded and tensor parallelism on a TPU torus, in both editions.
#include "core/planner/cost/cost.h"
#include "core/planner/time/tpu_roofline.h"
#include "core/playbook/figure_tables.h"

#include <nlohmann/json.hpp>

namespace slipway {
namespace {

using namespace figures;
using In = const FigureInputs&;

Json podLimits(In in) {
    const double chips = in.number("chips"), chipsPerPod = in.number("chips_per_pod");
    const double tokens = in.number("batch_tokens"), f = in.number("ffn_hidden");
    const double perChip = tokens / chips, perPod = tokens * chipsPerPod / chips;
    const double peak = in.number("peak_flops"), axis = in.number("axis_bytes_per_second");
    const double intensity = in.number("intensity"), product = in.number("axes_product");
    const double fsdp = fsdpTokenLimit(peak, axis, in.number("axes"));
    const double first = mixedTokenLimit(intensity, product, f, RooflineEdition::SumOfBoth);
    const double later = mixedTokenLimit(intensity, product, f, RooflineEdition::MaxOfBoth);
    const double network = dcnTokenLimit(peak, in.number("dcn_bytes_per_second"));
    const double best = bestFsdpDegree(perPod, chipsPerPod, f, 2);
    return {{"tokens_per_chip", perChip},
            {"fsdp_limit", fsdp},
            {"fsdp_verdict", textOf(rooflineVerdict(perChip, fsdp))},
            {"first_edition_limit", first},
            {"later_edition_limit", later},
            {"first_edition_ratio", mixedCommRatio(perChip, first)},
            {"later_edition_ratio", mixedCommRatio(perChip, later)},
            {"best_fsdp", best},
            {"best_tp", chipsPerPod / best},
            {"tp_limit", tensorParallelLimit(f, intensity)},
            {"network_limit", network},
            {"network_margin", perPod / network}};
}

}  // namespace

std::vector<FigureModel> podFigures() {
    const char* book = "jax-ml/scaling-book, chapters 5 and 6";
    return {
        {"torus_chips",
         {number("axis_x", "16", 1, 1e6), number("axis_y", "20", 1, 1e6), number("axis_z", "28", 1, 1e6)},
         {{"chips", "x y z", book}},
         [](In in) -> Json {
             return {{"chips", torusChips({in.number("axis_x"), in.number("axis_y"), in.number("axis_z")})}};
         }},
        {"few_chips",
         {number("wall_days", "44", 0, 1e9), number("chips", "8960", 1, 1e7), number("fewer_chips", "225", 1, 1e7)},
         {{"wall_days_on_fewer", "days chips / fewer chips", book}},
         [](In in) -> Json {
             return {{"wall_days_on_fewer",
                      trainingSeconds(in.number("wall_days") * in.number("chips"), 1, 1, in.number("fewer_chips"))}};
         }},
        {"share_of_bytes",
         {number("bytes", "2.16e13", 1, 1e18), number("chips", "8960", 1, 1e7)},
         {{"bytes_per_chip_gb", "bytes / chips / 1e9", book}},
         [](In in) -> Json {
             return {{"bytes_per_chip_gb", in.number("bytes") / in.number("chips") / 1e9}};
         }},
        {"pod_sequences",
         {number("batch_tokens", "4194304", 1, 1e12), number("seq_len", "4096", 1, 1e7)},
         {{"sequences", "batch / length", book}},
         [](In in) -> Json {
             return {{"sequences", in.number("batch_tokens") / in.number("seq_len")}};
         }},
        {"pod_limits",
         {number("batch_tokens", "4194304", 1, 1e12), number("chips", "8960", 1, 1e7),
          number("chips_per_pod", "8960", 1, 1e7), number("ffn_hidden", "28672", 1, 1e7),
          number("peak_flops", "4.59e14", 1, 1e20), number("axis_bytes_per_second", "1.8e11", 1, 1e15),
          number("dcn_bytes_per_second", "6.25e9", 1, 1e15), number("axes", "3", 1, 3),
          number("intensity", "2550", 1, 1e9), number("axes_product", "2", 1, 9)},
         {{"tokens_per_chip", "B / N", book},
          {"fsdp_limit", "(C / W) / axes", book},
          {"fsdp_verdict", "tokens per chip against the limit", book},
          {"first_edition_limit", "4 a^2 / (Mx My F)", book},
          {"later_edition_limit", "a^2 / (Mx My F)", book},
          {"first_edition_ratio", "sqrt(limit / tokens per chip)", book},
          {"later_edition_ratio", "sqrt(limit / tokens per chip)", book},
          {"best_fsdp", "sqrt(2 B N / F)", book},
          {"best_tp", "N / X", book},
          {"tp_limit", "F / a", book},
          {"network_limit", "C / W_dcn", book},
          {"network_margin", "batch per pod / limit", book}},
         podLimits},
    };
}

}  // namespace slipway
