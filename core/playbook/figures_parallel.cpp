// Figures on the division of work: links, replicas, shards of matrices, pipelines, layouts.
#include "core/base/units.h"
#include "core/planner/count/batch.h"
#include "core/planner/count/matrix_split.h"
#include "core/planner/count/parameters.h"
#include "core/planner/schedule/bubble.h"
#include "core/planner/search/bubble_search.h"
#include "core/planner/time/communication.h"
#include "core/playbook/figure_tables.h"
#include "core/playbook/overlap.h"
#include "core/spec/pipeline_schedule.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace slipway {
namespace {

using namespace figures;
using In = const FigureInputs&;

Json collective(In in) {
    const auto kind = enumOfWord<Collective>(in.word("collective"));
    const double n = in.number("ranks"), bytes = in.number("bytes");
    const double seconds =
        collectiveSeconds(kind, n, bytes, {in.number("link_bytes_per_second"), in.number("latency_us") * 1e-6});
    return {{"sent_bytes", ringBytes(kind, n, bytes)},
            {"seconds", seconds},
            {"bus_gb_per_second", seconds > 0 ? Json(ringBytes(kind, n, bytes) / seconds / kGB) : Json(nullptr)}};
}

Json overlap(In in) {
    const double e = in.number("value_bytes"), f = in.number("peak_flops"), b = in.number("link_bytes_per_second");
    return {{"hidden_from_tokens", dataParallelOverlapTokens(e, in.number("ranks"), f, b)},
            {"tp_overlap_ratio", tensorParallelOverlapRatio(e, in.number("tp"), f, b, in.number("hidden"))},
            {"pp_overlap_ratio", pipelineOverlapRatio(e, f, b, in.number("hidden"), in.number("layers_per_stage"))}};
}

Json shapes(In in) {
    ModelSpec model;
    model.hiddenSize = in.whole("hidden");
    model.numHeads = in.whole("heads");
    model.ffnHiddenSize = in.whole("ffn_hidden");
    const TpShapes s = tpShapes(model, in.whole("tp"));
    return {{"heads_per_rank", s.headsPerRank},
            {"query_shape", s.query},
            {"ffn_in_shape", s.ffnIn},
            {"ffn_out_shape", s.ffnOut}};
}

/// Concatenated columns of the ranks in order.
SmallMatrix joined(const std::vector<SmallMatrix>& parts) {
    SmallMatrix whole(parts.front().size());
    for (const SmallMatrix& part : parts)
        for (std::size_t i = 0; i < part.size(); ++i) whole[i].insert(whole[i].end(), part[i].begin(), part[i].end());
    return whole;
}

std::vector<std::string> splits() {
    return {"column", "row"};
}

/// Two ranks. Matrices whose shapes do not fit or do not divide have no product.
Json matrixGame(In in) {
    const SmallMatrix a = in.matrix("a"), b = in.matrix("b");
    const bool byColumn = in.word("split") == "column";
    if (a.front().size() != b.size() || (byColumn ? b.front().size() : b.size()) % 2 != 0)
        return {{"rank0", nullptr}, {"rank1", nullptr}, {"product", nullptr}};
    const std::vector<SmallMatrix> parts = byColumn ? columnSplit(a, b, 2) : rowSplit(a, b, 2);
    return {{"rank0", parts[0]}, {"rank1", parts[1]}, {"product", byColumn ? joined(parts) : sumOf(parts)}};
}

Json bubble(In in) {
    const auto kind = enumOfWord<ScheduleKind>(in.word("schedule"));
    const double p = in.number("pp"), m = in.number("micro_batches");
    const bool chunks = kind == ScheduleKind::InterleavedOneFOneB;
    const double v = chunks ? in.number("virtual_stages") : 1;
    Json inFlight = nullptr;
    if (const auto schedule =
            makeSchedule(kind, in.whole("pp"), in.whole("micro_batches"), chunks ? in.whole("virtual_stages") : 1))
        inFlight = schedule->maxInFlight(0);
    return {{"bubble_overhead", bubbleOverhead(kind, p, m, v)},
            {"bubble_share", bubbleFraction(kind, p, m, v)},
            {"in_flight", inFlight}};
}

Json rowOf(const BubbleCandidate& c) {
    return {{"tp", c.tp},          {"pp", c.pp},         {"dp", c.dp},
            {"m", c.microBatches}, {"bubble", c.bubble}, {"layers_per_stage", c.layersPerStage}};
}

Json textbookSearch(In in) {
    const std::vector<BubbleCandidate> all = bubbleSearch(in.whole("devices"), in.whole("layers"));
    const double state = in.number("parameters") * in.number("bytes_per_parameter");
    const BubbleCandidate* fits = firstThatFits(all, state, in.number("device_bytes"));
    Json rows = Json::array(), five = Json::array();
    for (const BubbleCandidate& c : all) {
        rows.push_back(rowOf(c));
        if (five.size() < 5) five.push_back({c.tp, c.pp, c.dp, c.bubble});
    }
    const auto rank = static_cast<std::size_t>(in.whole("place"));
    return {{"candidates", all.size()},
            {"layout_at_place", rank <= all.size() ? rowOf(all[rank - 1]) : Json(nullptr)},
            {"state_per_device_gb", rank <= all.size()
                                        ? Json(state / static_cast<double>(all[rank - 1].tp * all[rank - 1].pp) / kGB)
                                        : Json(nullptr)},
            {"first_five", five},
            {"place_that_fits", fits == nullptr ? Json(nullptr) : Json(fits - all.data() + 1)},
            {"first_that_fits", fits == nullptr ? Json("none fits") : rowOf(*fits)},
            {"layouts", rows}};
}

/// The guide's order of ranks, tp innermost, then pp, then dp; or Megatron's, dp before pp.
Json rankGroups(In in) {
    ParallelLayout layout;
    layout.tp = in.whole("tp");
    layout.pp = in.whole("pp");
    layout.dp = in.whole("dp");
    layout.rankOrder = in.word("rank_order") == "tp-dp-pp" ? std::vector<std::string>{"tp", "cp", "dp", "pp"}
                                                           : std::vector<std::string>{"tp", "pp", "dp", "cp"};
    const auto groups = [&](Axis axis) {
        Json all = Json::array();
        for (std::int64_t rank = 0; rank < layout.worldSize(); ++rank)
            if (const auto group = layout.groupOf(axis, rank); group.front() == rank) all.push_back(group);
        return all;
    };
    const Coordinates at{std::min(in.whole("tp_place"), layout.tp - 1), 0,
                         std::min(in.whole("dp_place"), layout.dp - 1), std::min(in.whole("pp_place"), layout.pp - 1)};
    return {{"tp_groups", groups(Axis::Tp)},
            {"pp_groups", groups(Axis::Pp)},
            {"dp_groups", groups(Axis::Dp)},
            {"rank", layout.rankOf(at)}};
}

std::vector<std::string> rankOrders() {
    return {"tp-pp-dp", "tp-dp-pp"};
}

}  // namespace

std::vector<FigureModel> parallelFigures() {
    const char* nccl = "nccl-tests, doc/PERFORMANCE.md";
    const char* ultra = "Ultra-Scale Playbook, appendix A3, in bytes";
    const char* shoeybi = "Shoeybi 2019, arXiv 1909.08053, sec. 3";
    return {
        {"link_speed",
         {number("gigabits", "200", 0, 1e7)},
         {{"link_gb_per_second", "Gb/s / 8", ""}},
         [](In in) -> Json {
             return {{"link_gb_per_second", gigabitsPerSecond(in.number("gigabits")) / kGB}};
         }},
        {"collective",
         {choice("collective", "\"all_reduce\"", wordsOfEnum<Collective>), number("ranks", "16", 1, 1e6),
          number("bytes", "1.4e10", 0, 1e15), number("link_bytes_per_second", "2.5e10", 1, 1e15),
          number("latency_us", "0", 0, 1e7)},
         {{"sent_bytes", "all-reduce 2 (n - 1) / n S, all-gather and reduce-scatter (n - 1) / n S", nccl},
          {"seconds", "hops a + sent / B", nccl},
          {"bus_gb_per_second", "sent / seconds", nccl}},
         collective},
        {"overlap",
         {number("value_bytes", "2", 1, 8), number("ranks", "8", 1, 1e6), number("peak_flops", "9.89e14", 1, 1e20),
          number("link_bytes_per_second", "5e10", 1, 1e15), number("tp", "8", 1, 1024),
          number("hidden", "4096", 1, 1e6), number("layers_per_stage", "8", 1, 1000)},
         {{"hidden_from_tokens", "e / 2 (n - 1) / n F / B", ultra},
          {"tp_overlap_ratio", "e / 2 (t - 1) F / B / (12 h)", ultra},
          {"pp_overlap_ratio", "e / 2 F / B / (16 h l)", ultra}},
         overlap},
        {"replicas",
         {whole("devices", "512", 1, 1e7), whole("tp", "8", 1, 1024), whole("pp", "16", 1, 1024),
          whole("cp", "1", 1, 1024)},
         {{"dp", "n / (tp pp cp)", ""}, {"idle_devices", "n - dp tp pp cp", ""}},
         [](In in) -> Json {
             const auto dp = dataParallelDegree(in.whole("devices"), in.whole("tp"), in.whole("pp"), in.whole("cp"));
             return {{"dp", dp},
                     {"idle_devices", in.whole("devices") - dp * in.whole("tp") * in.whole("pp") * in.whole("cp")}};
         }},
        {"tp_shapes",
         {whole("hidden", "12288", 1, 1e6), whole("heads", "96", 1, 1e4), whole("ffn_hidden", "49152", 1, 1e7),
          whole("tp", "8", 1, 1024)},
         {{"heads_per_rank", "a / t", shoeybi},
          {"query_shape", "[h, h / t]", shoeybi},
          {"ffn_in_shape", "[h, f / t]", shoeybi},
          {"ffn_out_shape", "[f / t, h]", shoeybi}},
         shapes},
        {"matrix_game",
         {{"a", FigureInputKind::Matrix, "[[1, 2], [3, 4]]"},
          {"b", FigureInputKind::Matrix, "[[5, 6], [7, 8]]"},
          choice("split", "\"column\"", splits)},
         {{"rank0", "A B_0, or A_0 B_0", shoeybi},
          {"rank1", "A B_1, or A_1 B_1", shoeybi},
          {"product", "[A B_0 | A B_1], or A_0 B_0 + A_1 B_1", shoeybi}},
         matrixGame},
        {"linear_layer",
         {{"x", FigureInputKind::Numbers, "[2, 3]"}, {"w", FigureInputKind::Matrix, "[[1, 2], [3, 4]]"}},
         {{"y", "y_j = sum_i x_i w_ij", ""}},
         [](In in) -> Json {
             if (in.numbers("x").size() != in.matrix("w").size()) return {{"y", nullptr}};
             return {{"y", product({in.numbers("x")}, in.matrix("w")).front()}};
         }},
        {"pipeline_bubble",
         {whole("pp", "8", 1, 1024), whole("micro_batches", "32", 1, 4096), whole("virtual_stages", "1", 1, 64),
          choice("schedule", "\"1f1b\"", wordsOfEnum<ScheduleKind>)},
         {{"bubble_overhead", "(p - 1) / (v m)", "Narayanan 2021, arXiv 2104.04473, sec. 2.2"},
          {"bubble_share", "(p - 1) / (v m + p - 1)", "Narayanan 2021, arXiv 2104.04473, sec. 2.2"},
          {"in_flight", "micro-batches that the first rank keeps at once", "the simulated schedule"}},
         bubble},
        {"textbook_search",
         {whole("devices", "512", 1, 1e6), whole("layers", "96", 1, 1000), whole("place", "1", 1, 1000),
          number("parameters", "174615822336", 1, 1e14), number("bytes_per_parameter", "18", 1, 64),
          number("device_bytes", "8e10", 1, 1e15)},
         {{"candidates", "tp in {1, 2, 4, 8}, pp divides layers and devices / tp", "a guide's search, rows 000-4.2"},
          {"layout_at_place", "sorted by bubble, then tp", "a guide's search, rows 000-4.2"},
          {"state_per_device_gb", "bytes N / (tp pp)", ""},
          {"first_five", "what the guide prints", "a guide's search, rows 000-4.2"},
          {"place_that_fits", "place of the first that fits", ""},
          {"first_that_fits", "first with bytes N / (tp pp) <= device memory", ""},
          {"layouts", "all of them", ""}},
         textbookSearch},
        {"rank_groups",
         {whole("tp", "2", 1, 64), whole("pp", "2", 1, 64), whole("dp", "2", 1, 64),
          choice("rank_order", "\"tp-pp-dp\"", rankOrders), whole("tp_place", "0", 0, 63),
          whole("pp_place", "0", 0, 63), whole("dp_place", "0", 0, 63)},
         {{"tp_groups", "ranks that differ in tp only", ""},
          {"pp_groups", "ranks that differ in pp only", ""},
          {"dp_groups", "ranks that differ in dp only", ""},
          {"rank", "dp tp pp + pp tp + tp", ""}},
         rankGroups},
    };
}

}  // namespace slipway
