// SoftwareStack: the behaviour of a training software in a step and its cost, saved with the hardware
// (ClusterSpec::stack). Facts come from its source; each constant is physical and has a value with its uncertainty
// (planner/stack/stack_constants.h has priors and bounds).
#pragma once

#include "core/base/field_table.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace slipway {

/// Saved activations of layers for the backward pass.
enum class LayerStorage { Tensors, EveryOtherProduct, UnfusedAttention };
constexpr auto enumNames(LayerStorage) {
    using Name = EnumName<LayerStorage>;
    return std::array{
        Name{LayerStorage::Tensors, "tensors", "the inputs of each operation, with a fused attention kernel"_text},
        Name{LayerStorage::EveryOtherProduct, "every_other_product",
             "the same; selective recomputation keeps every second product and attention's output"_text},
        Name{LayerStorage::UnfusedAttention, "unfused_attention",
             "attention scores and dropout masks as well (Korthikanti 2022, table 2)"_text}};
}

/// The software's storage and copies; none of it is fitted.
struct SoftwareFacts {
    std::string states = "fp32_gradients";  ///< a StatePolicy, without the copies below
    LayerStorage layers = LayerStorage::Tensors;
    double logitBytes = 10, gradientCopyBytes = 0, wholeGradientBytes = 0, stepBytes = 0, messageCopies = 1;
    bool rootStays = false, keepsGathered = false;

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("states").help("Bytes of weights, gradients and optimizer states, by the name of a policy."_text),
          s.states);
        v(field("layers").help("Tensors that a layer keeps for the backward pass."_text), s.layers);
        v(field("logit_bytes")
              .unit("bytes"_text)
              .help("Held per token and vocabulary element while the loss is computed."_text)
              .range(0, 100),
          s.logitBytes);
        v(field("gradient_copy_bytes")
              .unit("bytes"_text)
              .help("16-bit gradients in addition to the main gradients of data-parallel ranks, per parameter."_text)
              .range(0, 100),
          s.gradientCopyBytes);
        v(field("whole_gradient_bytes")
              .unit("bytes"_text)
              .help("Sums over micro-batches in a pipeline that ZeRO does not shard, per parameter."_text)
              .range(0, 100),
          s.wholeGradientBytes);
        v(field("step_bytes")
              .unit("bytes"_text)
              .help("Copies during the optimizer step, per parameter of the rank's shard."_text)
              .range(0, 100),
          s.stepBytes);
        v(field("message_copies").help("Pipeline messages held per micro-batch in flight."_text).range(0, 100),
          s.messageCopies);
        v(field("root_stays").help("ZeRO-3 leaves embedding and head gathered for the whole step."_text), s.rootStays);
        v(field("keeps_gathered")
              .help("Inputs that sequence parallelism gathered are kept for the backward pass."_text),
          s.keepsGathered);
    }
};

/// A constant with its relative standard error; 0 where it was not fitted.
struct StackConstant {
    double value = 0, uncertainty = 0;

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("value").help("Value of the constant."_text).range(0, 1e18), s.value);
        v(field("uncertainty").help("Relative standard error of the constant."_text).range(0, 1e6), s.uncertainty);
    }
};

/// Smallest and largest value among the calibration's runs; high 0: no run.
struct CalibratedRange {
    double low = 0, high = 0;

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("low").help("Smallest value among the runs."_text).range(0, 1e18), s.low);
        v(field("high").help("Largest value among the runs."_text).range(0, 1e18), s.high);
    }
};

struct SoftwareStack {
    std::string name;
    SoftwareFacts facts;
    // Twelve time constants.
    StackConstant gemmEfficiency{0.6}, attentionEfficiency{0.4}, memoryEfficiency{0.7};
    StackConstant layerSeconds{3e-4}, rankSeconds{5e-6};
    StackConstant intraShare{0.75}, interShare{0.75}, interLatencySeconds{3e-5}, congestion{0.1};
    StackConstant messageSeconds{2e-4}, waitSeconds{0.3}, waitChance{1e-6};
    // Six memory constants.
    StackConstant allocatorFactor{1.04}, fixedBytes{1.5e9}, extraHiddenBytes{1}, keptGathers{1}, streamBytes{20},
        usableShare{0.97};
    // Range of the calibration, and its errors.
    CalibratedRange nodes, parameters, sequence, stages, microBatches;
    std::vector<std::string> precisions;
    double stepSpread = 0.25, memorySpread = 0.1;
    std::int64_t measuredRuns = 0;

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("name").help("Name of the software stack."_text), s.name);
        v(field("facts").help("Data that the software stores and copies."_text), s.facts);
        v(field("gemm_efficiency").help("Share of the peak that large matrix products reach."_text), s.gemmEfficiency);
        v(field("attention_efficiency").help("Share of the peak that the attention core reaches."_text),
          s.attentionEfficiency);
        v(field("memory_efficiency").help("Share of the memory bandwidth that elementwise work reaches."_text),
          s.memoryEfficiency);
        v(field("layer_seconds")
              .unit("s"_text)
              .help("Time the host needs to launch one layer, forward and backward."_text),
          s.layerSeconds);
        v(field("rank_seconds")
              .unit("s"_text)
              .help("Host time per further rank of a layer's collective in a pipeline over nodes."_text),
          s.rankSeconds);
        v(field("intra_share").help("Share of the line rate that collectives inside a node reach."_text), s.intraShare);
        v(field("inter_share").help("Share of the line rate that collectives over two nodes reach."_text),
          s.interShare);
        v(field("inter_latency_seconds").unit("s"_text).help("Start of a collective over nodes, per node."_text),
          s.interLatencySeconds);
        v(field("congestion").help("Power of the number of nodes by which bandwidth falls."_text), s.congestion);
        v(field("message_seconds")
              .unit("s"_text)
              .help("Announcing and sending a pipeline message between nodes, per micro-batch."_text),
          s.messageSeconds);
        v(field("wait_seconds").unit("s"_text).help("Wait per pipeline message of a run that waits."_text),
          s.waitSeconds);
        v(field("wait_chance").help("Chance per node that a run waits for its messages."_text), s.waitChance);
        v(field("allocator_factor").help("Ratio of reserved to requested memory, all but model state."_text),
          s.allocatorFactor);
        v(field("fixed_bytes").unit("bytes"_text).help("Held by context, libraries, communicators and buckets."_text),
          s.fixedBytes);
        v(field("extra_hidden_bytes")
              .unit("bytes"_text)
              .help("Copies saved in addition to the named tensors, per token, layer and hidden element."_text),
          s.extraHiddenBytes);
        v(field("kept_gathers").help("Gathered copies of the hidden states that a layer keeps."_text), s.keptGathers);
        v(field("stream_bytes")
              .unit("bytes"_text)
              .help(
                  "Reserved for gathered inputs on the communication stream, per token and hidden element, for any number of layers."_text),
          s.streamBytes);
        v(field("usable_share").help("Share of the device's memory from which on runs fail."_text), s.usableShare);
        v(field("nodes").help("Nodes of the calibration's runs."_text), s.nodes);
        v(field("parameters").help("Parameters of the calibration's models."_text), s.parameters);
        v(field("sequence").help("Sequence lengths of the calibration's runs."_text), s.sequence);
        v(field("stages").help("Pipeline stages of the calibration's runs."_text), s.stages);
        v(field("micro_batches").help("Micro-batches per step of the calibration's runs."_text), s.microBatches);
        v(field("precisions").help("Number formats of the calibration's runs."_text), s.precisions);
        v(field("step_spread")
              .help("Standard deviation of the logarithm of measured over forecast step time."_text)
              .range(0, 100),
          s.stepSpread);
        v(field("memory_spread").help("The same for memory."_text).range(0, 100), s.memorySpread);
        v(field("measured_runs").unit("runs"_text).help("Runs the calibration used."_text).range(0, 1e15),
          s.measuredRuns);
    }
};

}  // namespace slipway
