// Answers of `slipway tpu` and the tab TPU: rooflines and a layout for TPU pods by the scaling book, in both of its editions.
//   tpuAnswer(input, *findDevicePreset("Google TPU v5p"), json)
#pragma once

#include "core/answers/answer.h"
#include "core/base/field_table.h"
#include "core/planner/time/tpu_layout.h"
#include "core/spec/cluster_spec.h"

#include <optional>

namespace slipway {

constexpr auto enumNames(RooflineEdition) {
    using N = EnumName<RooflineEdition>;
    return std::array{N{RooflineEdition::SumOfBoth, "sum", "communications add up"_text, "First: they add up"_text},
                      N{RooflineEdition::MaxOfBoth, "max", "communications overlap"_text, "Later: they overlap"_text}};
}

constexpr double kMostChips = 1e7;

struct TpuInput {
    std::int64_t chips = 8960, pods = 1;
    double batchTokens = 4194304, ffnWidth = 28672;
    std::optional<std::int64_t> axes, fsdp, tp;
    RooflineEdition edition = RooflineEdition::SumOfBoth;
    std::optional<double> parameters;
    double bytesPerParameter = 16;

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("chips")
              .label("Chips of a pod"_text)
              .unit("chips"_text)
              .help("Chips of one pod."_text)
              .range(1, kMostChips),
          s.chips);
        v(field("pods")
              .label("Pods"_text)
              .unit("pods"_text)
              .help("Pods, joined by the data-center network."_text)
              .range(1, 1000),
          s.pods);
        v(field("batch").label("Batch"_text).unit("tokens"_text).help("Tokens per optimizer step."_text).atLeast(1),
          s.batchTokens);
        v(field("ffn").label("FFN size"_text).help("Width of the feed-forward layer."_text).atLeast(1), s.ffnWidth);
        v(field("axes")
              .label("ICI axes"_text)
              .help("ICI axes in use; default: all of the device, 2 on v5e and v6e, 3 on others."_text)
              .range(1, 3),
          s.axes);
        v(field("edition").label("Edition"_text).help("Limit of FSDP with TP."_text), s.edition);
        v(field("fsdp")
              .label("FSDP"_text)
              .unit("chips"_text)
              .help("Ways the data are sharded in a pod; default: chosen."_text)
              .range(1, kMostChips),
          s.fsdp);
        v(field("tp")
              .label("Tensor parallel"_text)
              .unit("chips"_text)
              .help("Tensor-parallel ways; default: chosen."_text)
              .range(1, kMostChips),
          s.tp);
        v(field("params").label("Parameters"_text).help("Parameters of a model that the chips hold."_text).atLeast(1),
          s.parameters);
        v(field("bytes_per_parameter")
              .label("Bytes per parameter"_text)
              .unit("bytes/parameter"_text)
              .help("Weights, gradients, master copy and moments: 16 in training."_text)
              .range(0.1, 64),
          s.bytesPerParameter);
    }
};

FieldInfos tpuFields(const TpuInput& input);
Result<TpuInput> withTpuField(const TpuInput& input, const std::string& path, const std::string& text);

/// The layout with its limits; under "rows" both editions. "usage" names the field: an unknown peak, more axes than the
/// device has, degrees impossible on the pod.
Result<AnswerView> tpuAnswer(const TpuInput& input, const ClusterSpec& device, Json& json);

}  // namespace slipway
