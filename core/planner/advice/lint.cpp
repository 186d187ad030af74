#include "core/planner/advice/lint.h"

#include "core/base/units.h"
#include "core/planner/count/batch.h"
#include "core/planner/schedule/bubble.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace slipway {

namespace {

using S = const RunScript&;

void add(Advices& all, Severity severity, const char* code, const char* field, Message sentence) {
    all.push_back({severity, code, field, std::move(sentence)});
}

std::string number(double value) {
    return formatCount(value);
}

std::optional<double> stepsOf(S s) {
    if (s.numSteps) return static_cast<double>(*s.numSteps);
    if (s.totalTokens && s.globalBatchSize && s.seqLen)
        return stepsForTokens(*s.totalTokens, static_cast<double>(*s.globalBatchSize * *s.seqLen));
    return {};
}

double sharded(S s) {
    return static_cast<double>(s.tp.value_or(1) * s.pp.value_or(1));
}

void interval(S s, Advices& all) {
    const std::optional<double> steps = stepsOf(s);
    if (!steps) return;
    const bool saves = s.saveEvery && static_cast<double>(*s.saveEvery) > *steps;
    const bool evaluates = s.evalEvery && static_cast<double>(*s.evalEvery) > *steps;
    if (!saves && !evaluates) return;
    const auto every = [](const RunScript::Count& count) { return number(static_cast<double>(count.value_or(0))); };
    add(all, Severity::Warning, "interval_never_reached", saves ? "save_every" : "eval_every",
        saves && evaluates
            ? "The run has %1 steps; it never saves and never evaluates: the intervals are %2 and %3."_text(
                  number(*steps), every(s.saveEvery), every(s.evalEvery))
        : saves
            ? "The run has %1 steps and never saves: the interval is %2."_text(number(*steps), every(s.saveEvery))
            : "The run has %1 steps and never evaluates: the interval is %2."_text(number(*steps), every(s.evalEvery)));
}

void tokenBits(S s, Advices& all) {
    if (!s.vocabSize || !s.tokenBits ||
        std::ldexp(1.0, static_cast<int>(*s.tokenBits)) >= static_cast<double>(*s.vocabSize))
        return;
    add(all, Severity::Error, "token_dtype_too_small", "token_bits",
        "%1 bits hold ids below %2; the vocabulary has %3, so ids overflow silently."_text(
            number(static_cast<double>(*s.tokenBits)), number(std::ldexp(1.0, static_cast<int>(*s.tokenBits))),
            number(static_cast<double>(*s.vocabSize))));
}

void batch(S s, Advices& all) {
    if (!s.globalBatchSize || !s.microBatchSize || !s.accumulation || !s.dp) return;
    const std::int64_t product = globalBatch(*s.microBatchSize, *s.accumulation, *s.dp);
    if (product == *s.globalBatchSize) return;
    add(all, Severity::Error, "batch_mismatch", "global_batch_size",
        "micro-batch x accumulation x dp = %1, not the global batch of %2."_text(
            number(static_cast<double>(product)), number(static_cast<double>(*s.globalBatchSize))));
}

void batchDivisible(S s, Advices& all) {
    if (!s.globalBatchSize || !s.microBatchSize || !s.dp || s.accumulation) return;
    const std::int64_t unit = *s.microBatchSize * *s.dp;
    if (*s.globalBatchSize % unit == 0) return;
    add(all, Severity::Error, "batch_not_divisible", "global_batch_size",
        "The global batch of %1 sequences is not a multiple of micro-batch x dp = %2."_text(
            number(static_cast<double>(*s.globalBatchSize)), number(static_cast<double>(unit))));
}

void layout(S s, Advices& all) {
    if (!s.devices || !s.dp) return;
    const std::int64_t product = *s.dp * s.tp.value_or(1) * s.pp.value_or(1) * s.cp.value_or(1);
    if (product == *s.devices) return;
    add(all, product > *s.devices ? Severity::Error : Severity::Warning, "layout_mismatch", "devices",
        product < *s.devices ? "The layout uses %1 of %2 devices; %3 remain idle."_text(
                                   number(static_cast<double>(product)), number(static_cast<double>(*s.devices)),
                                   number(static_cast<double>(*s.devices - product)))
                             : "The layout uses %1 of %2 devices."_text(number(static_cast<double>(product)),
                                                                        number(static_cast<double>(*s.devices))));
}

void divisibility(S s, Advices& all) {
    const auto check = [&](const RunScript::Count& value, const RunScript::Count& by, const char* field,
                           SourceText problem) {
        if (!value || !by || *value % *by == 0) return false;
        add(all, Severity::Error, "layout_not_divisible", field, problem(*value, *by));
        return true;
    };
    if (check(s.numLayers, s.pp, "num_layers", "%1 layers do not divide by pp = %2."_text)) return;
    if (check(s.numHeads, s.tp, "num_heads", "%1 heads do not divide by tp = %2."_text)) return;
    const bool areReplicated = s.numKvHeads && s.tp && *s.numKvHeads > 0 && *s.tp % *s.numKvHeads == 0;
    if (!areReplicated) check(s.numKvHeads, s.tp, "num_kv_heads", "%1 key-value heads do not divide by tp = %2."_text);
}

/// Micro-batches of a step: as stated, or derived from the batch.
RunScript::Count microBatches(S s) {
    if (s.accumulation || !s.globalBatchSize || !s.microBatchSize || !s.dp) return s.accumulation;
    if (*s.globalBatchSize % (*s.microBatchSize * *s.dp) != 0) return {};
    return accumulationSteps(*s.globalBatchSize, *s.microBatchSize, *s.dp);
}

/// The field of a finding about them: one stated in the script.
const char* microBatchesField(S s) {
    return s.accumulation ? "accumulation" : "global_batch_size";
}

void fewMicroBatches(S s, Advices& all) {
    const RunScript::Count count = microBatches(s);
    if (!s.pp || !count || *count >= *s.pp) return;
    const double bubble = static_cast<double>(*s.pp - 1) / static_cast<double>(*count + *s.pp - 1);
    add(all, Severity::Warning, "few_micro_batches", microBatchesField(s),
        "%1 micro-batches never fill %2 stages: the pipeline idles %3 of its time."_text(
            std::to_string(*count), std::to_string(*s.pp), formatPercent(bubble)));
}

void longBubble(S s, Advices& all) {
    const RunScript::Count count = microBatches(s);
    if (!s.pp || *s.pp < 2 || !count || *count < *s.pp) return;
    const double bubble = bubbleFraction(s.schedule.value_or(ScheduleKind::OneFOneB), static_cast<double>(*s.pp),
                                         static_cast<double>(*count), static_cast<double>(s.virtualStages.value_or(1)));
    if (bubble <= kMostBubble) return;
    add(all, Severity::Warning, "bubble_over_share", microBatchesField(s),
        "The pipeline is idle %1 of its time with %2 micro-batches over %3 stages, more than %4; use more micro-batches, fewer stages or interleaving."_text(
            formatPercent(bubble), *count, *s.pp, formatPercent(kMostBubble)));
}

void labels(S s, Advices& all) {
    if (!s.readerShiftsLabels.value_or(false) || !s.modelShiftsLabels.value_or(false)) return;
    add(all, Severity::Error, "labels_shifted_twice", "model_shifts_labels",
        "Reader and model both shift labels, so the model learns to predict the token after next."_text);
}

void dataOrder(S s, Advices& all) {
    if (s.restoresDataOrder.value_or(true)) return;
    add(all, Severity::Warning, "data_order_lost", "restores_data_order",
        "A resumed run restarts the data: early samples repeat, late samples are never used."_text);
}

void writer(S s, Advices& all) {
    if (s.writer != WriterRank::LocalRankZero) return;
    const std::int64_t nodes =
        s.devices && s.devicesPerNode ? (*s.devices + *s.devicesPerNode - 1) / *s.devicesPerNode : 0;
    if (nodes == 1) return;
    add(all, Severity::Error, "local_rank_writes", "writer",
        nodes > 1
            ? "%1 ranks are local rank 0 and write the same file; choose global rank 0."_text(nodes)
            : "On several nodes more than one rank is local rank 0 and writes the same file; choose global rank 0."_text);
}

void pastEnd(S s, Advices& all) {
    const std::optional<double> steps = stepsOf(s);
    if (!steps || !s.scheduleSteps || *steps <= static_cast<double>(*s.scheduleSteps) ||
        s.clampsSchedule.value_or(false))
        return;
    add(all, Severity::Warning, "schedule_past_end", "schedule_steps",
        "The schedule ends at step %1 of %2; a cosine that is not clamped rises again."_text(
            number(static_cast<double>(*s.scheduleSteps)), number(*steps)));
}

void firstRate(S s, Advices& all) {
    if (!s.firstLearningRate || *s.firstLearningRate > 0) return;
    add(all, Severity::Info, "first_update_wasted", "first_learning_rate",
        "The first update has a learning rate of 0; begin the warm-up at step 1."_text);
}

void mixture(S s, Advices& all) {
    if (s.mixture.empty()) return;
    const double sum = std::accumulate(s.mixture.begin(), s.mixture.end(), 0.0);
    if (std::fabs(sum - 1) < 1e-6) return;
    add(all, Severity::Error, "mixture_sum", "mixture",
        "The weights of the data sources sum to %1, not 1; normalise them."_text(formatSignificant(sum, 4)));
}

void workers(S s, Advices& all) {
    if (s.loaderWorkers.value_or(0) < 2 || s.workersSplitData.value_or(true)) return;
    add(all, Severity::Error, "workers_repeat_data", "loader_workers",
        "Each of %1 loader processes reads all data, so every sample repeats %2 times."_text(*s.loaderWorkers,
                                                                                             *s.loaderWorkers));
}

void zeroInit(S s, Advices& all) {
    if (!s.zeroInitStage || !s.zeroStage || *s.zeroInitStage != 3 || *s.zeroStage >= 3) return;
    add(all, Severity::Error, "zero_init_stage", "zero_init_stage",
        "The model is created with stage 3's sharded weights, but the run uses stage %1."_text(*s.zeroStage));
}

void unknownAsZero(S s, Advices& all) {
    const bool price = s.pricePerHour && *s.pricePerHour == 0.0, peak = s.peakFlops && *s.peakFlops == 0.0;
    if (!price && !peak) return;
    add(all, Severity::Error, "unknown_as_zero", price ? "price_per_hour" : "peak_flops",
        price ? "A price of 0 makes the cost 0; leave an unknown price out."_text
              : "A peak of 0 makes MFU infinite; leave an unknown peak out."_text);
}

void stateFits(S s, Advices& all) {
    if (!s.parameters || !s.bytesPerParameter || !s.deviceBytes) return;
    double bytes = *s.parameters * *s.bytesPerParameter / sharded(s);
    // A lower bound: below stage 3 at least 16-bit weights stay unsharded, the rest may be sharded.
    const auto shards = static_cast<double>(s.dp.value_or(1));
    const double whole = *s.parameters * 2 / sharded(s);
    if (s.zeroStage == 3)
        bytes /= shards;
    else if (s.zeroStage.value_or(0) > 0)
        bytes = whole + (bytes - whole) / shards;
    if (bytes <= *s.deviceBytes) return;
    add(all, Severity::Error, "state_does_not_fit", "device_bytes",
        "Weights, gradients and optimizer states alone take %1 of a device's %2, before any activation."_text(
            formatBytes(bytes), formatBytes(*s.deviceBytes)));
}

void hostStateFits(S s, Advices& all) {
    if (!s.offloadsOptimizer.value_or(false) || !s.parameters || !s.hostBytes || !s.devicesPerNode) return;
    constexpr double kOffloadedBytes = 12;  // fp32 weights and two moments; gradients may be added
    const double shards = s.zeroStage == 0 ? 1 : static_cast<double>(s.dp.value_or(1));
    const double world = sharded(s) * static_cast<double>(s.dp.value_or(1) * s.cp.value_or(1));
    const double ranks = std::min(static_cast<double>(*s.devicesPerNode), world);
    const double bytes = ranks * *s.parameters * kOffloadedBytes / sharded(s) / shards;
    if (bytes <= *s.hostBytes) return;
    add(all, Severity::Error, "host_state_does_not_fit", "host_bytes",
        "The optimizer states of %1 ranks take %2 of a node's %3; shard them over more ranks (zero_stage, dp), or keep them on the devices."_text(
            number(ranks), formatBytes(bytes), formatBytes(*s.hostBytes)));
}

void tpNodes(S s, Advices& all) {
    if (!s.tp || !s.devicesPerNode || *s.tp <= *s.devicesPerNode) return;
    add(all, Severity::Warning, "tp_across_nodes", "tp",
        "tp = %1 leaves the node of %2 devices; its traffic takes the slow link, several times a layer."_text(
            *s.tp, *s.devicesPerNode));
}

void sync(S s, Advices& all) {
    if (!s.syncsEveryMicroStep.value_or(false) || s.accumulation.value_or(1) < 2) return;
    add(all, Severity::Warning, "sync_every_micro_step", "syncs_every_micro_step",
        "Gradients are reduced on each of %1 micro-batches; once a step is enough."_text(*s.accumulation));
}

void scaler(S s, Advices& all) {
    if (!s.scalesBf16Loss.value_or(false)) return;
    add(all, Severity::Warning, "scaler_with_bf16", "scales_bf16_loss",
        "bf16 has the range of fp32, so its gradients need no scale; a loss scaler only skips steps."_text);
}

void savedLoss(S s, Advices& all) {
    if (!s.savesClearedLoss.value_or(false)) return;
    add(all, Severity::Warning, "saved_loss_cleared", "saves_cleared_loss",
        "The sum of losses is cleared before it is saved, so every saved loss is 0."_text);
}

void ramp(S s, Advices& all) {
    if (!s.seqLen) return;
    const auto unit = static_cast<double>(*s.seqLen * s.microBatchSize.value_or(1) * s.dp.value_or(1));
    for (const double tokens : s.rampTokens) {
        if (std::fmod(tokens, unit) == 0.0) continue;
        add(all, Severity::Warning, "ramp_not_whole", "ramp_tokens",
            "A batch of %1 tokens is not a multiple of sequence x micro-batch x dp = %2."_text(number(tokens),
                                                                                               number(unit)));
        return;
    }
}

void spikes(S s, Advices& all) {
    if (s.spikeRuleSeesNan.value_or(true)) return;
    add(all, Severity::Warning, "spike_rule_blind", "spike_rule_sees_nan",
        "NaN compares false with every threshold; test for it."_text);
}

void chunk(S s, Advices& all) {
    if (!s.chunkTokens || !s.seqLen || *s.chunkTokens > *s.seqLen) return;
    add(all, Severity::Error, "reader_chunk_short", "chunk_tokens",
        "A sample needs %1 tokens; the reader takes %2 at a time, so the data set is empty."_text(*s.seqLen + 1,
                                                                                                  *s.chunkTokens));
}

void saves(S s, Advices& all) {
    if (!s.savesPerMicroStep.value_or(false) || s.accumulation.value_or(1) < 2) return;
    add(all, Severity::Warning, "saves_repeated", "saves_per_micro_step",
        "The test for saving runs on every micro-batch: %1 saves at step 0 and %2 at each later multiple."_text(
            *s.accumulation - 1, *s.accumulation));
}

void length(S s, Advices& all) {
    if (!s.numSteps || !s.totalTokens || !s.globalBatchSize || !s.seqLen) return;
    const double tokens = static_cast<double>(*s.numSteps) * static_cast<double>(*s.globalBatchSize * *s.seqLen);
    if (std::fabs(tokens / *s.totalTokens - 1) < 0.01) return;
    add(all, Severity::Warning, "length_mismatch", "num_steps",
        "%1 steps are %2 tokens, not the planned %3."_text(*s.numSteps, formatShort(tokens),
                                                           formatShort(*s.totalTokens)));
}

void fewTokens(S s, Advices& all) {
    const std::optional<double> steps = stepsOf(s);
    const bool isSized = s.globalBatchSize && s.seqLen;
    constexpr double kTrainingSteps = 1000;  // shorter runs measure speed, or try a set-up
    if (steps.value_or(kTrainingSteps) < kTrainingSteps) return;
    if (!s.parameters || !(s.totalTokens || (steps && isSized))) return;
    const double tokens = s.totalTokens ? *s.totalTokens : *steps * static_cast<double>(*s.globalBatchSize * *s.seqLen);
    if (tokens >= *s.parameters) return;
    add(all, Severity::Info, "fewer_tokens_than_parameters", s.totalTokens ? "total_tokens" : "num_steps",
        "%1 tokens for %2 parameters; at the same compute a smaller model on more tokens, about 20 a parameter, has a lower loss."_text(
            formatShort(tokens), formatShort(*s.parameters)));
}

void fewRepeats(S s, Advices& all) {
    constexpr std::int64_t kLeastRepeats = 3;
    if (!s.repeats || *s.repeats >= kLeastRepeats) return;
    add(all, Severity::Warning, "too_few_repeats", "repeats",
        "Runs of each point: %1. Their spread is unknown, so a difference may be noise; compare medians of at least %2 seeds."_text(
            *s.repeats, kLeastRepeats));
}

}  // namespace

const std::vector<LintRule>& lintRules() {
    static const std::vector<LintRule> rules = {
        {"interval_never_reached", "Guide to training 100B+ models, section 10: 477 steps, saving every 1,000",
         interval},
        {"token_dtype_too_small", "Guide to training 100B+ models, section 2.3: uint16 for a vocabulary of 128,256",
         tokenBits},
        {"batch_mismatch", "Guide to training 100B+ models, sections 3.4 and 4.3: batch 1536 and 2048 for one model",
         batch},
        {"batch_not_divisible",
         "Megatron-LM's check of its micro-batches (github.com/NVIDIA/Megatron-LM, megatron/core/num_microbatches_calculator.py)",
         batchDivisible},
        {"layout_mismatch",
         "How to Scale Your Model (jax-ml.github.io/scaling-book/applied-training), chapter 6: 2048 x 4 leaves 768 of 8,960 chips idle",
         layout},
        {"layout_not_divisible",
         "Megatron-LM's checks of its arguments (github.com/NVIDIA/Megatron-LM); Guide to training 100B+ models, section 3.2",
         divisibility},
        {"few_micro_batches", "Narayanan 2021, arXiv 2104.04473, section 2.2: idle share (p - 1) / (m + p - 1)",
         fewMicroBatches},
        {"bubble_over_share",
         "Narayanan 2021, arXiv 2104.04473, section 2.2: 48 % of the time with 16 micro-batches over 16 stages",
         longBubble},
        {"labels_shifted_twice", "Guide to training 100B+ models, section 10", labels},
        {"data_order_lost",
         "Guide to training 100B+ models, section 6.1; Pre-training infrastructure, lesson 6, section 7", dataOrder},
        {"local_rank_writes", "Pre-training infrastructure, lesson 6, section 7: four nodes write one file", writer},
        {"schedule_past_end",
         "Guide to training 100B+ models, section 5.3; Pre-training infrastructure, lesson 6, section 6", pastEnd},
        {"first_update_wasted", "Guide to training 100B+ models, section 5.3", firstRate},
        {"mixture_sum", "Guide to training 100B+ models, section 2.1: weights that sum to 0.97", mixture},
        {"workers_repeat_data", "Guide to training 100B+ models, section 10: four workers, the same data four times",
         workers},
        {"zero_init_stage", "Guide to training 100B+ models, section 10", zeroInit},
        {"unknown_as_zero", "Guide to training 100B+ models, section 9.1: a missing price costs nothing",
         unknownAsZero},
        {"state_does_not_fit", "Guide to training 100B+ models, section 4.2: 175B on 80 GB devices with tp 8",
         stateFits},
        {"host_state_does_not_fit",
         "Ren 2021 (ZeRO-Offload), arXiv 2101.06840, section 3: fp32 weights and moments go to the host",
         hostStateFits},
        {"tp_across_nodes",
         "Ultra-Scale Playbook (huggingface.co/spaces/nanotron/ultrascale-playbook), measured layouts: TP over nodes is several times slower",
         tpNodes},
        {"sync_every_micro_step", "Pre-training infrastructure, lesson 6, section 7", sync},
        {"scaler_with_bf16", "Pre-training infrastructure, lesson 6, section 7", scaler},
        {"saved_loss_cleared", "Pre-training infrastructure, lesson 6, section 7: the loss of every checkpoint is 0",
         savedLoss},
        {"ramp_not_whole", "Guide to training 100B+ models, section 5.4: 32,000 tokens with sequences of 2,048", ramp},
        {"spike_rule_blind",
         "Guide to training 100B+ models, section 5.1; Pre-training infrastructure, lesson 6, section 5.1", spikes},
        {"reader_chunk_short", "Guide to training 100B+ models, section 10: with one process the first chunk fails",
         chunk},
        {"saves_repeated", "Guide to training 100B+ models, section 10: seven saves while the counter is 0", saves},
        {"length_mismatch", "Guide to training 100B+ models, section 3.4: 944 B tokens where 300 B are named", length},
        {"fewer_tokens_than_parameters", "Hoffmann 2022, arXiv 2203.15556, table 3: about 20 tokens per parameter",
         fewTokens},
        {"too_few_repeats",
         "Deep Learning Tuning Playbook (github.com/google-research/tuning_playbook): trial variance before adoption",
         fewRepeats},
    };
    return rules;
}

const char* evidenceOf(std::string_view code) {
    for (const LintRule& rule : lintRules())
        if (code == rule.code) return rule.evidence;
    return nullptr;
}

Issues lint(const RunScript& script) {
    Advices all;
    for (const LintRule& rule : lintRules()) rule.check(script, all);
    Issues issues;
    for (const Advice& advice : all) issues.push_back(issueOf(advice));
    return issues;
}

}  // namespace slipway
