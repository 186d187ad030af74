// StackProfile: what a software stack costs on a kind of hardware, as calibration found it in measured runs. Saved with
// the hardware (ClusterSpec::stack). Every figure is physical: an efficiency, a bandwidth, a latency, bytes a stack keeps.
#pragma once

#include "core/base/field_table.h"

#include <cstdint>
#include <string>
#include <vector>

namespace slipway {

struct StackProfile {
    std::string name;
    // Time.
    double gemmEfficiency = 0.62, gemmShapeLoss = 0.25, attentionEfficiency = 0.28, memoryEfficiency = 0.8;
    double layerHostSeconds = 4e-3, pipelineHostGrowth = 0.5, pipelineHostExponent = 1.1;
    double tpIntraBytesPerSecond = 400e9, tpIntraLatencySeconds = 27e-6;
    double tpInterBytesPerSecond = 200e9, tpInterLatencySeconds = 430e-6;
    double dpBytesPerSecond = 340e9, dpLatencySeconds = 5e-3, dpCongestion = 0.13;
    double wrapperExposedShare = 0.5, pipelineExposedShare = 1.5, zeroReduceFactor = 1.1;
    double optimizerTraffic = 5, stepFixedSeconds = 6e-3, messageSeconds = 4e-3, stallSeconds = 0.29,
           stallLayerSeconds = 0.04;
    // Memory.
    double gradientCopyBytes = 2, wrapperBytes = 0.7;
    double hiddenBytes = 28, ffnBytes = 6, keptGathers = 1.3;
    double logitBytes = 10, accumulatedLogitBytes = 3;
    double workHiddenBytes = 4, workFfnBytes = 1, workGatheredBytes = 5, messageCopies = 6;
    double streamGatherBytes = 60, pipelineStreamGatherBytes = 30;
    double allocatorFactor = 1, fixedBytes = 2e8, usableBytes = 75e9, usableKeptBytes = 1e15;
    // Circumstances in which most measured runs waited or gathered again; thresholds, kNever where none did.
    static constexpr std::int64_t kNever = 1000000;
    std::int64_t congestedNodes = kNever, stallTpNodes = kNever, stallMicroBatches = kNever, stallWrapperNodes = kNever;
    std::int64_t stallDataRanks = kNever, stallShardNodes = kNever, stallShardRanks = kNever, regatherRanks = kNever;
    std::int64_t stallLargeNodes = kNever, stallLargeHidden = kNever, stallLargeSequences = kNever;
    double gatherLimitBytes = 75e9, stallLimitBytes = 85e9, stallLiveLimitBytes = 85e9;
    // What calibration says of itself.
    double memoryLowRatio = 0.9, memoryHighRatio = 1.1;
    std::int64_t measuredRuns = 0;
    std::vector<double> uncertainty;

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("name").help("Name of the software stack."_text), s.name);
        v(field("gemm_efficiency").help("Share of the peak that large matrix products reach."_text).range(1e-6, 1e6),
          s.gemmEfficiency);
        v(field("gemm_shape_loss").help("Extra time of a product per mean of 1000 / dimension."_text).range(1e-9, 1e6),
          s.gemmShapeLoss);
        v(field("attention_efficiency")
              .help("Share of the peak that the attention core reaches."_text)
              .range(1e-6, 1e6),
          s.attentionEfficiency);
        v(field("memory_efficiency")
              .help("Share of the memory bandwidth that elementwise work reaches."_text)
              .range(1e-6, 1e6),
          s.memoryEfficiency);
        v(field("layer_host_seconds")
              .unit("s"_text)
              .help("Time the host needs to launch one layer, forward and backward."_text)
              .range(0, 1e6),
          s.layerHostSeconds);
        v(field("pipeline_host_growth")
              .help("Share by which that grows per further tensor-parallel rank in a pipeline over nodes."_text)
              .range(0, 1e6),
          s.pipelineHostGrowth);
        v(field("pipeline_host_exponent").help("Power of the further ranks in that growth."_text).range(0, 100),
          s.pipelineHostExponent);
        v(field("tp_intra_bytes_per_second")
              .unit("B/s"_text)
              .help("Tensor-parallel bandwidth of a rank inside a node."_text)
              .range(1, 1e18),
          s.tpIntraBytesPerSecond);
        v(field("tp_intra_latency_seconds")
              .unit("s"_text)
              .help("Start of a tensor-parallel collective inside a node, per doubling of ranks."_text)
              .range(0, 1e6),
          s.tpIntraLatencySeconds);
        v(field("tp_inter_bytes_per_second")
              .unit("B/s"_text)
              .help("Tensor-parallel bandwidth of a rank over nodes."_text)
              .range(1, 1e18),
          s.tpInterBytesPerSecond);
        v(field("tp_inter_latency_seconds")
              .unit("s"_text)
              .help("Start of a tensor-parallel collective over nodes, per node."_text)
              .range(0, 1e6),
          s.tpInterLatencySeconds);
        v(field("dp_bytes_per_second")
              .unit("B/s"_text)
              .help("Data-parallel bandwidth of a node whose eight cards all work."_text)
              .range(1, 1e18),
          s.dpBytesPerSecond);
        v(field("dp_latency_seconds")
              .unit("s"_text)
              .help("Start of the gradient reduction, per doubling of ranks."_text)
              .range(0, 1e6),
          s.dpLatencySeconds);
        v(field("dp_congestion")
              .help("Power of the number of nodes by which data-parallel bandwidth falls."_text)
              .range(0, 100),
          s.dpCongestion);
        v(field("wrapper_exposed_share")
              .help("Share of the gradient reduction that does not hide under the backward pass without ZeRO."_text)
              .range(0, 100),
          s.wrapperExposedShare);
        v(field("pipeline_exposed_share")
              .help("The same inside a pipeline, whose last backward pass is short."_text)
              .range(0, 100),
          s.pipelineExposedShare);
        v(field("zero_reduce_factor")
              .help("Reduction and gathering under ZeRO-1, over one gradient all-reduce."_text)
              .range(0, 100),
          s.zeroReduceFactor);
        v(field("optimizer_traffic").help("Memory traffic of the optimizer step over its least."_text).range(0, 1e6),
          s.optimizerTraffic);
        v(field("step_fixed_seconds")
              .unit("s"_text)
              .help("Time of a step outside of everything else."_text)
              .range(0, 1e6),
          s.stepFixedSeconds);
        v(field("message_seconds")
              .unit("s"_text)
              .help("A pipeline message and its announcement between nodes, both ways, per micro-batch."_text)
              .range(0, 1e6),
          s.messageSeconds);
        v(field("stall_seconds")
              .unit("s"_text)
              .help("Wait per pipeline message where the network of the measured cluster stalls."_text)
              .range(0, 1e6),
          s.stallSeconds);
        v(field("gradient_copy_bytes")
              .unit("bytes"_text)
              .help("16-bit gradients beside the main gradients of data-parallel ranks, per parameter."_text)
              .range(0, 1e6),
          s.gradientCopyBytes);
        v(field("wrapper_bytes")
              .unit("bytes"_text)
              .help("Reduction buckets of the data-parallel wrapper, per parameter."_text)
              .range(0, 1e6),
          s.wrapperBytes);
        v(field("hidden_bytes").unit("bytes"_text).help("Kept per token, layer and hidden element."_text).range(0, 1e6),
          s.hiddenBytes);
        v(field("ffn_bytes")
              .unit("bytes"_text)
              .help("Kept per token, layer and feed-forward element."_text)
              .range(0, 1e6),
          s.ffnBytes);
        v(field("kept_gathers")
              .help("Gathered copies of the hidden states a layer keeps under sequence parallelism."_text)
              .range(0, 1e6),
          s.keptGathers);
        v(field("logit_bytes")
              .unit("bytes"_text)
              .help("Held per token and vocabulary element while the loss is computed."_text)
              .range(0, 1e6),
          s.logitBytes);
        v(field("accumulated_logit_bytes")
              .unit("bytes"_text)
              .help("The same from the micro-batch before."_text)
              .range(0, 1e6),
          s.accumulatedLogitBytes);
        v(field("work_hidden_bytes")
              .unit("bytes"_text)
              .help("Temporaries of the backward pass per token and hidden element."_text)
              .range(0, 1e6),
          s.workHiddenBytes);
        v(field("work_ffn_bytes")
              .unit("bytes"_text)
              .help("Temporaries of the backward pass per token and feed-forward element."_text)
              .range(0, 1e6),
          s.workFfnBytes);
        v(field("work_gathered_bytes")
              .unit("bytes"_text)
              .help("Gathered temporaries per token and hidden element under sequence parallelism."_text)
              .range(0, 1e6),
          s.workGatheredBytes);
        v(field("stream_gather_bytes")
              .unit("bytes"_text)
              .help(
                  "Reserved for gathered inputs on the communication stream, per token and hidden element, however many layers."_text)
              .range(0, 1e6),
          s.streamGatherBytes);
        v(field("pipeline_stream_gather_bytes").unit("bytes"_text).help("The same in a pipeline."_text).range(0, 1e6),
          s.pipelineStreamGatherBytes);
        v(field("message_copies")
              .unit("bytes"_text)
              .help("Held per token and hidden element of each micro-batch in flight in a pipeline."_text)
              .range(0, 1e6),
          s.messageCopies);
        v(field("allocator_factor").help("Reserved over asked for, activations and temporaries."_text).range(0, 1e6),
          s.allocatorFactor);
        v(field("fixed_bytes").unit("bytes"_text).help("Held by libraries and communicators."_text).range(0, 1e15),
          s.fixedBytes);
        v(field("usable_bytes")
              .unit("bytes"_text)
              .help("Forecast memory from which runs of this stack fail."_text)
              .range(0, 1e15),
          s.usableBytes);
        v(field("usable_kept_bytes")
              .unit("bytes"_text)
              .help("The same for pipelines with gathered inputs kept, whatever they need without them."_text)
              .range(0, 1e15),
          s.usableKeptBytes);
        v(field("stall_layer_seconds")
              .unit("s"_text)
              .help("Wait per layer and micro-batch of a run without a pipeline there."_text)
              .range(0, 1e6),
          s.stallLayerSeconds);
        v(field("congested_nodes")
              .unit("nodes"_text)
              .help("Clusters of this size and above stalled in most measured runs."_text)
              .range(0, 1000000),
          s.congestedNodes);
        v(field("stall_data_ranks")
              .unit("ranks"_text)
              .help("Without a pipeline they did so with data-parallel groups of this many ranks and above."_text)
              .range(0, 1000000),
          s.stallDataRanks);
        v(field("stall_tp_nodes")
              .unit("nodes"_text)
              .help("Pipelines stalled whose tensor parallelism spans this many nodes."_text)
              .range(0, 1000000),
          s.stallTpNodes);
        v(field("stall_micro_batches")
              .unit("micro-batches"_text)
              .help("Pipelines under the data-parallel wrapper stalled from this many micro-batches on."_text)
              .range(0, 1000000000),
          s.stallMicroBatches);
        v(field("stall_wrapper_nodes")
              .unit("nodes"_text)
              .help("They did so on clusters of this size and above."_text)
              .range(0, 1000000),
          s.stallWrapperNodes);
        v(field("stall_shard_nodes")
              .unit("nodes"_text)
              .help("Pipelines with a wide ZeRO group stalled on clusters of this size and above."_text)
              .range(0, 1000000),
          s.stallShardNodes);
        v(field("stall_shard_ranks")
              .unit("ranks"_text)
              .help("A ZeRO group is wide from this many ranks on."_text)
              .range(0, 1000000),
          s.stallShardRanks);
        v(field("stall_large_nodes")
              .unit("nodes"_text)
              .help("Pipelines of large models stalled on clusters of this size and above."_text)
              .range(0, 1000000),
          s.stallLargeNodes);
        v(field("stall_large_hidden").help("A model is large from this hidden size on."_text).range(0, 1000000),
          s.stallLargeHidden);
        v(field("stall_large_sequences")
              .unit("sequences"_text)
              .help("They did so from this many sequences per micro-batch on."_text)
              .range(0, 1000000),
          s.stallLargeSequences);
        v(field("regather_ranks")
              .unit("ranks"_text)
              .help("Pipelines of two stages gathered inputs again from this many tensor-parallel ranks on."_text)
              .range(0, 1000000),
          s.regatherRanks);
        v(field("gather_limit_bytes")
              .unit("bytes"_text)
              .help("Forecast memory up to which gathered inputs are kept."_text)
              .range(0, 1e15),
          s.gatherLimitBytes);
        v(field("stall_limit_bytes")
              .unit("bytes"_text)
              .help("Layouts that would need more with their gathered inputs waited as in a stalled cluster."_text)
              .range(0, 1e15),
          s.stallLimitBytes);
        v(field("stall_live_limit_bytes")
              .unit("bytes"_text)
              .help("The same for layouts that would need more without gathered inputs."_text)
              .range(0, 1e15),
          s.stallLiveLimitBytes);
        v(field("memory_low_ratio").help("Measured over forecast memory, 10 % quantile."_text).range(0, 1e6),
          s.memoryLowRatio);
        v(field("memory_high_ratio").help("Measured over forecast memory, 90 % quantile."_text).range(0, 1e6),
          s.memoryHighRatio);
        v(field("measured_runs").unit("runs"_text).help("Runs the calibration used."_text).range(0, 1e15),
          s.measuredRuns);
        v(field("uncertainty")
              .help("Relative standard error of the fitted figures, in the order of the table of parameters."_text)
              .advanced(),
          s.uncertainty);
    }
};

}  // namespace slipway
