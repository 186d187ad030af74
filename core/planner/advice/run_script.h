// Known facts of a training script or launch plan of any framework, for lint. Absent means unknown: no rule fires on it.
#pragma once

#include "core/base/field_table.h"
#include "core/base/json.h"
#include "core/planner/values/forecast.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace slipway {

enum class WriterRank { GlobalRankZero, LocalRankZero, EveryRank };
constexpr auto enumNames(WriterRank) {
    return std::array{EnumName<WriterRank>{WriterRank::GlobalRankZero, "global_rank_0"},
                      EnumName<WriterRank>{WriterRank::LocalRankZero, "local_rank_0", "one per node"_text},
                      EnumName<WriterRank>{WriterRank::EveryRank, "every_rank", "shards, each rank its own"_text}};
}

struct RunScript {
    using Count = std::optional<std::int64_t>;
    using Number = std::optional<double>;
    using Flag = std::optional<bool>;
    // batch and length
    Count globalBatchSize, microBatchSize, accumulation, seqLen, numSteps;
    Number totalTokens;
    // layout and hardware
    Count dp, tp, pp, cp, virtualStages;
    std::optional<ScheduleKind> schedule;
    Count devices, devicesPerNode, numLayers, numHeads, numKvHeads, zeroStage, zeroInitStage;
    Number parameters, bytesPerParameter, deviceBytes, hostBytes, pricePerHour, peakFlops;
    Flag offloadsOptimizer;
    // intervals
    Count saveEvery, evalEvery;
    Flag savesPerMicroStep;
    std::optional<WriterRank> writer;
    Flag restoresDataOrder;
    // data
    Count vocabSize, tokenBits, loaderWorkers, chunkTokens;
    Flag readerShiftsLabels, modelShiftsLabels, workersSplitData;
    std::vector<double> mixture;
    // learning rate and batch ramp
    Count scheduleSteps;
    Flag clampsSchedule;
    Number firstLearningRate;
    std::vector<double> rampTokens;
    // experiments
    Count repeats;
    // gradients and monitors
    Flag syncsEveryMicroStep, spikeRuleSeesNan, scalesBf16Loss, savesClearedLoss;

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("global_batch_size").unit("sequences"_text).help("Sequences per optimizer step."_text).atLeast(1),
          s.globalBatchSize);
        v(field("micro_batch_size")
              .unit("sequences"_text)
              .help("Sequences one rank processes at once."_text)
              .atLeast(1),
          s.microBatchSize);
        v(field("accumulation").unit("micro-batches"_text).help("Micro-batches per step and replica."_text).atLeast(1),
          s.accumulation);
        v(field("seq_len").unit("tokens"_text).help("Tokens per sequence."_text).atLeast(1), s.seqLen);
        v(field("num_steps").unit("steps"_text).help("Optimizer steps."_text).atLeast(1), s.numSteps);
        v(field("total_tokens").unit("tokens"_text).help("Tokens of the run, in place of num_steps."_text).atLeast(1),
          s.totalTokens);
        v(field("dp").unit("ranks"_text).help("Data parallel."_text).atLeast(1), s.dp);
        v(field("tp").unit("ranks"_text).help("Tensor parallel."_text).atLeast(1), s.tp);
        v(field("pp").unit("ranks"_text).help("Pipeline parallel."_text).atLeast(1), s.pp);
        v(field("cp").unit("ranks"_text).help("Context parallel."_text).atLeast(1), s.cp);
        v(field("virtual_stages").unit("stages"_text).help("Stages of one pipeline rank."_text).atLeast(1),
          s.virtualStages);
        v(field("schedule").help("Pipeline schedule; 1f1b unless it is stated."_text), s.schedule);
        v(field("devices").unit("devices"_text).help("Devices of the script."_text).atLeast(1), s.devices);
        v(field("devices_per_node").unit("devices"_text).help("Devices in one node."_text).atLeast(1),
          s.devicesPerNode);
        v(field("num_layers").unit("layers"_text).help("Layers."_text).atLeast(1), s.numLayers);
        v(field("num_heads").unit("heads"_text).help("Query heads."_text).atLeast(1), s.numHeads);
        v(field("num_kv_heads").unit("heads"_text).help("Key-value heads."_text).atLeast(1), s.numKvHeads);
        v(field("zero_stage").help("ZeRO stage of the run."_text).range(0, 3), s.zeroStage);
        v(field("zero_init_stage").help("ZeRO stage at the model's creation."_text).range(0, 3), s.zeroInitStage);
        v(field("parameters").help("Parameters of the model."_text).atLeast(1), s.parameters);
        v(field("bytes_per_parameter")
              .unit("bytes"_text)
              .help("Weights, gradients and optimizer states."_text)
              .range(0.1, 64),
          s.bytesPerParameter);
        v(field("device_bytes").unit("bytes"_text).help("Memory of one device."_text).atLeast(0), s.deviceBytes);
        v(field("host_bytes").unit("bytes"_text).help("Host memory of one node."_text).atLeast(0), s.hostBytes);
        v(field("offloads_optimizer").help("Master weights and moments are in the node's memory."_text),
          s.offloadsOptimizer);
        v(field("price_per_hour").help("Price used, of one device for one hour."_text).atLeast(0), s.pricePerHour);
        v(field("peak_flops").unit("FLOP/s"_text).help("Peak used for MFU, of one device."_text).atLeast(0),
          s.peakFlops);
        v(field("save_every").unit("steps"_text).help("Steps between checkpoints."_text).atLeast(1), s.saveEvery);
        v(field("eval_every").unit("steps"_text).help("Steps between evaluations."_text).atLeast(1), s.evalEvery);
        v(field("saves_per_micro_step").help("The test for saving is inside the loop over micro-batches."_text),
          s.savesPerMicroStep);
        v(field("writer").help("Ranks that write checkpoints and logs."_text), s.writer);
        v(field("restores_data_order").help("A resumed run continues at its position in the data."_text),
          s.restoresDataOrder);
        v(field("vocab_size").unit("tokens"_text).help("Vocabulary."_text).atLeast(1), s.vocabSize);
        v(field("token_bits").unit("bits"_text).help("Bits of one token in the data files."_text).range(8, 64),
          s.tokenBits);
        v(field("loader_workers").unit("processes"_text).help("Loader processes per rank."_text).atLeast(0),
          s.loaderWorkers);
        v(field("chunk_tokens")
              .unit("tokens"_text)
              .help("Tokens the reader takes at once; a sample is seq_len + 1."_text)
              .atLeast(1),
          s.chunkTokens);
        v(field("reader_shifts_labels").help("The data reader shifts labels by one."_text), s.readerShiftsLabels);
        v(field("model_shifts_labels").help("The model shifts labels by one."_text), s.modelShiftsLabels);
        v(field("workers_split_data").help("Loader processes read different data."_text), s.workersSplitData);
        v(field("mixture").help("Weights of the data sources."_text), s.mixture);
        v(field("schedule_steps").unit("steps"_text).help("Length of the learning-rate schedule."_text).atLeast(1),
          s.scheduleSteps);
        v(field("clamps_schedule").help("Past its end the schedule remains at its minimum."_text), s.clampsSchedule);
        v(field("first_learning_rate").help("Learning rate of the first update."_text).atLeast(0), s.firstLearningRate);
        v(field("ramp_tokens").unit("tokens"_text).help("Batches of a batch ramp."_text), s.rampTokens);
        v(field("repeats")
              .unit("runs"_text)
              .help("Runs of each point that differ in their seed alone."_text)
              .atLeast(1),
          s.repeats);
        v(field("syncs_every_micro_step").help("Gradients are reduced on every micro-batch."_text),
          s.syncsEveryMicroStep);
        v(field("spike_rule_sees_nan").help("The spike rule fires on NaN."_text), s.spikeRuleSeesNan);
        v(field("scales_bf16_loss").help("A loss scaler runs with bf16."_text), s.scalesBf16Loss);
        v(field("saves_cleared_loss").help("The sum of losses is cleared before it is saved."_text),
          s.savesClearedLoss);
    }
};

/// Reads a script's facts as strictly as configs.
RunScript runScriptFromJson(const Json& json, Issues& issues);
/// All facts with kind, unit, range and help.
FieldInfos runScriptFields();
/// The facts stated by a config of ours, on its planned hardware.
RunScript runScriptOf(const RunConfig& config, const ClusterSpec& cluster);

}  // namespace slipway
