#include "core/planner/search/layout_message.h"
#include "core/planner/search/layout_search.h"

#include <nlohmann/json.hpp>

namespace slipway {

namespace {

SourceText wordsOf(ScheduleKind kind) {
    switch (kind) {
        case ScheduleKind::Afab: return "afab"_text;
        case ScheduleKind::OneFOneB: return "1f1b"_text;
        case ScheduleKind::InterleavedOneFOneB: return "interleaved_1f1b x%1"_text;
        case ScheduleKind::ZbH1: return "zb_h1"_text;
        case ScheduleKind::ZbV: return "zb_v"_text;
        case ScheduleKind::DualPipe: return "dualpipe"_text;
        case ScheduleKind::DualPipeV: return "dualpipe_v"_text;
    }
    return {};
}

SourceText wordsOf(Offload offload) {
    switch (offload) {
        case Offload::None: break;
        case Offload::Optimizer: return "offload optimizer"_text;
        case Offload::Activations: return "offload activations"_text;
        case Offload::All: return "offload all"_text;
    }
    return {};
}

/// Layers of the stages, equal neighbours grouped: "7 + 14 x 8 + 7".
std::string layersText(const std::vector<std::int64_t>& layers) {
    std::string text;
    for (std::size_t first = 0; first < layers.size();) {
        std::size_t end = first;
        while (end < layers.size() && layers[end] == layers[first]) ++end;
        text += (text.empty() ? "" : " + ") + (end - first > 1 ? std::to_string(end - first) + " x " : std::string()) +
                std::to_string(layers[first]);
        first = end;
    }
    return text;
}

}  // namespace

Message layoutMessage(const ParallelLayout& p, std::int64_t microBatchSize, RecomputePolicy recompute) {
    std::vector<Message> parts;
    const auto degree = [&](const std::string& name, std::int64_t value) {
        if (value > 1) parts.push_back(Message::name(name + " " + std::to_string(value)));
    };
    degree("DP", p.dp);
    degree("TP", p.tp);
    degree("PP", p.pp);
    degree(p.cp > 1 && p.cpKind != CpKind::Ring ? "CP " + std::string(wordOf(p.cpKind)) : "CP", p.cp);
    degree("EP", p.ep);
    degree("ETP", p.etp);
    if (p.zeroStage > 0)
        parts.push_back(p.dpShard && *p.dpShard != p.dp ? "ZeRO-%1 of %2"_text(p.zeroStage, *p.dpShard)
                                                        : "ZeRO-%1"_text(p.zeroStage));
    if (p.sequenceParallel) parts.push_back(p.asyncTp ? "SP async"_text : "SP"_text);
    if (p.pp > 1) {
        parts.push_back(wordsOf(p.schedule)(p.virtualStages));
        if (!p.layersPerStage.empty()) parts.push_back("layers %1"_text(layersText(p.layersPerStage)));
    }
    if (recompute != RecomputePolicy::None)
        parts.push_back(recompute == RecomputePolicy::Full ? "recompute full"_text : "recompute selective"_text);
    if (p.offload != Offload::None) parts.push_back(wordsOf(p.offload));
    parts.push_back("micro-batch %1"_text(microBatchSize));
    return listOf(parts);
}

std::string layoutText(const ParallelLayout& parallel, std::int64_t microBatchSize, RecomputePolicy recompute) {
    return textOf(layoutMessage(parallel, microBatchSize, recompute));
}

Json benchmarkSweep(const LayoutRequest& request, const std::vector<FoundLayout>& layouts) {
    RunConfig base = request.config;
    base.name.clear();
    // The layout is only in the points; fields missing in a point have their defaults.
    const ParallelLayout plain;
    ParallelLayout& p = base.parallel;
    p.dp = p.tp = p.pp = p.cp = p.ep = p.etp = 1;
    p.cpKind = plain.cpKind;
    p.asyncTp = plain.asyncTp;
    p.zeroStage = plain.zeroStage;
    p.dpShard.reset();
    p.virtualStages = plain.virtualStages;
    p.schedule = plain.schedule;
    p.layersPerStage.clear();
    p.sequenceParallel = plain.sequenceParallel;
    p.offload = plain.offload;
    base.train.recompute = {};
    Json sweep = {
        {"schema", 1},
        {"name", "Best layouts of the search"},
        {"question", "Which of the layouts that the planner ranks highest is fastest here?"},
        {"hypothesis", "The order below is the planner's; its intervals overlap, so only a measurement decides."},
        {"base", toJson(base)}};
    Json points = Json::array();
    for (const FoundLayout& l : layouts) {
        const ParallelLayout& q = l.parallel;
        Json point = {{"name", std::to_string(points.size() + 1) + ": " + layoutText(q, l.microBatchSize, l.recompute)},
                      {"train.micro_batch_size", l.microBatchSize}};
        for (const auto& [key, value] : {std::pair{"dp", q.dp}, std::pair{"tp", q.tp}, std::pair{"pp", q.pp},
                                         std::pair{"cp", q.cp}, std::pair{"ep", q.ep}, std::pair{"etp", q.etp}})
            if (value > 1) point[std::string("parallel.") + key] = value;
        if (q.zeroStage > 0) point["parallel.zero_stage"] = q.zeroStage;
        if (q.cp > 1 && q.cpKind != plain.cpKind) point["parallel.cp_kind"] = wordOf(q.cpKind);
        if (q.zeroStage > 0 && q.dpShard) point["parallel.dp_shard"] = *q.dpShard;
        if (q.sequenceParallel) point["parallel.sequence_parallel"] = true;
        if (q.asyncTp) point["parallel.async_tp"] = true;
        if (q.pp > 1 && !q.layersPerStage.empty()) point["parallel.layers_per_stage"] = q.layersPerStage;
        if (q.pp > 1) point["parallel.schedule"] = wordOf(q.schedule);
        if (q.virtualStages > 1) point["parallel.virtual_stages"] = q.virtualStages;
        if (q.offload != Offload::None) point["parallel.offload"] = wordOf(q.offload);
        if (l.recompute != RecomputePolicy::None) point["train.recompute.policy"] = wordOf(l.recompute);
        points.push_back(std::move(point));
    }
    sweep["points"] = std::move(points);
    return sweep;
}

}  // namespace slipway
