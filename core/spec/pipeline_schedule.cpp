#include "core/spec/pipeline_schedule.h"

#include "core/spec/schedule_builders.h"

#include <algorithm>
#include <string>

namespace slipway {
namespace {

bool isV(ScheduleKind kind) {
    return kind == ScheduleKind::ZbV || kind == ScheduleKind::DualPipeV;
}

}  // namespace

std::int64_t chunksPerRank(ScheduleKind kind, std::int64_t virtualStages) {
    return kind == ScheduleKind::DualPipe ? 2 : virtualStages;
}

std::int64_t stageOf(ScheduleKind kind, std::int64_t pp, std::int64_t rank, std::int64_t chunk) {
    if (chunk == 1 && isV(kind)) return 2 * pp - 1 - rank;
    if (chunk == 1 && kind == ScheduleKind::DualPipe) return pp - 1 - rank;
    return chunk * pp + rank;
}

std::vector<std::int64_t> stagesOfRank(ScheduleKind kind, std::int64_t pp, std::int64_t virtualStages,
                                       std::int64_t rank) {
    if (pp == 1) return {0};  // one rank has the whole model, regardless of the kind
    std::vector<std::int64_t> stages;
    for (std::int64_t chunk = 0; chunk < chunksPerRank(kind, virtualStages); ++chunk)
        stages.push_back(stageOf(kind, pp, rank, chunk));
    return stages;
}

std::int64_t PipelineSchedule::rankOfStage(std::int64_t stage, std::int64_t microBatch) const {
    const auto pp = static_cast<std::int64_t>(ranks.size());
    if (isV(kind)) return stage < pp ? stage : 2 * pp - 1 - stage;
    if (kind == ScheduleKind::DualPipe && 2 * microBatch >= numMicroBatches) return pp - 1 - stage;
    return stage % pp;
}

std::int64_t PipelineSchedule::chunkOfStage(std::int64_t stage, std::int64_t microBatch) const {
    if (kind == ScheduleKind::DualPipe) return 2 * microBatch >= numMicroBatches ? 1 : 0;
    return stage / static_cast<std::int64_t>(ranks.size());
}

std::int64_t PipelineSchedule::maxInFlight(std::int64_t rank) const {
    std::int64_t now = 0;
    std::int64_t most = 0;
    for (const ScheduleAction& action : ranks.at(static_cast<std::size_t>(rank))) {
        if (action.kind == ActionKind::Forward) most = std::max(most, ++now);
        if (action.kind == ActionKind::BackwardFull || action.kind == ActionKind::BackwardWeight) --now;
    }
    return most;
}

Issues scheduleIssues(ScheduleKind kind, std::int64_t pp, std::int64_t m, std::int64_t v) {
    Issues issues;
    const std::string word(wordOf(kind));
    const auto add = [&](const std::string& field, const Message& message) {
        issues.push_back(issueOf(Severity::Error, "bad_schedule", field, message));
    };
    const bool manyChunks = kind == ScheduleKind::InterleavedOneFOneB;
    const bool vShape = kind == ScheduleKind::ZbV || kind == ScheduleKind::DualPipeV;
    if (manyChunks && v < 2)
        add("parallel.virtual_stages", "parallel.schedule %1 needs parallel.virtual_stages of 2 or more."_text(word));
    if (manyChunks && m % pp != 0)
        add("train.micro_batch_size",
            "parallel.schedule %1 needs a multiple of pp = %2 micro-batches; there are %3."_text(word, pp, m));
    if (vShape && v != 2)
        add("parallel.virtual_stages", "parallel.schedule %1 needs parallel.virtual_stages = 2."_text(word));
    if (!manyChunks && !vShape && v != 1)
        add("parallel.virtual_stages",
            "parallel.virtual_stages above 1 has no effect with parallel.schedule %1; choose interleaved_1f1b."_text(
                word));
    if (kind == ScheduleKind::DualPipe && (pp % 2 != 0 || m < 2 * pp || m % 2 != 0))
        add("parallel.pp",
            "parallel.schedule dualpipe needs an even pp and an even number of micro-batches, at least 2 x pp; pp is %1 and there are %2."_text(
                pp, m));
    return issues;
}

Result<PipelineSchedule> makeSchedule(ScheduleKind kind, std::int64_t pp, std::int64_t numMicroBatches,
                                      std::int64_t virtualStages) {
    if (pp < 1 || numMicroBatches < 1 || virtualStages < 1)
        return fail("bad_schedule", "A schedule needs at least one rank, one micro-batch and one chunk."_text,
                    "parallel.schedule");
    if (pp == 1) {
        // Without a pipeline every kind is the same loop: forward, backward.
        kind = ScheduleKind::OneFOneB;
        virtualStages = 1;
    }
    if (const Issues issues = scheduleIssues(kind, pp, numMicroBatches, virtualStages); !issues.empty())
        return fail("bad_schedule", issues.front().sentence(), issues.front().field);
    PipelineSchedule s;
    s.kind = kind;
    s.numStages = pp * virtualStages;
    s.numMicroBatches = numMicroBatches;
    s.virtualStages = virtualStages;
    s.ranks.resize(static_cast<std::size_t>(pp));
    for (std::int64_t rank = 0; rank < pp; ++rank) s.ranks[static_cast<std::size_t>(rank)] = buildRank(s, rank);
    return s;
}

}  // namespace slipway
