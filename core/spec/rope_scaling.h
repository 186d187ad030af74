// RopeScaling: how rotary frequencies are slowed so that a model serves longer sequences than it was first trained on.
#pragma once

#include "core/base/field_table.h"

#include <array>
#include <cstdint>

namespace slipway {

enum class RopeScalingKind { Linear, Llama3, Yarn };
constexpr auto enumNames(RopeScalingKind) {
    using Name = EnumName<RopeScalingKind>;
    return std::array{Name{RopeScalingKind::Linear, "linear", "all frequencies alike"},
                      Name{RopeScalingKind::Llama3, "llama3", "the slow ones, by wavelength (Llama 3.1)"},
                      Name{RopeScalingKind::Yarn, "yarn", "the slow ones, by turns (YaRN, DeepSeek)"}};
}

/// Chen et al. 2023 (arXiv 2306.15595) for linear; Llama 3.1 (arXiv 2407.21783, and its config.json's terms); YaRN: Peng et al.
/// 2023 (arXiv 2309.00071), with DeepSeek-V2's two factors of magnitude. What each does: core/spec/rotary.h.
struct RopeScaling {
    RopeScalingKind kind = RopeScalingKind::Llama3;
    double factor = 8;
    std::int64_t originalMaxSeqLen = 8192;
    double lowFreqFactor = 1;
    double highFreqFactor = 4;
    double betaFast = 32;
    double betaSlow = 1;
    double mscale = 0;
    double mscaleAllDim = 0;

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        const bool isLlama = s.kind == RopeScalingKind::Llama3, isYarn = s.kind == RopeScalingKind::Yarn;
        v(field("kind").help("Which frequencies are slowed."), s.kind);
        v(field("factor").help("By how much: the longest sequence over the original one.").range(1, 1e6), s.factor);
        v(field("original_max_seq_len")
              .unit("tokens")
              .help("Longest sequence before the scaling.")
              .range(1, 100000000)
              .when(isLlama || isYarn, "kind is llama3 or yarn"),
          s.originalMaxSeqLen);
        v(field("low_freq_factor")
              .help("Wavelengths above original_max_seq_len over this are slowed in full.")
              .range(1e-6, 1e6)
              .when(isLlama, "kind is llama3")
              .advanced(),
          s.lowFreqFactor);
        v(field("high_freq_factor")
              .help("Wavelengths below original_max_seq_len over this stay.")
              .range(1e-6, 1e6)
              .when(isLlama, "kind is llama3")
              .advanced(),
          s.highFreqFactor);
        v(field("beta_fast")
              .help("Frequencies with more turns in original_max_seq_len stay.")
              .range(1e-6, 1e6)
              .when(isYarn, "kind is yarn")
              .advanced(),
          s.betaFast);
        v(field("beta_slow")
              .help("Frequencies with fewer turns in original_max_seq_len are slowed in full.")
              .range(1e-6, 1e6)
              .when(isYarn, "kind is yarn")
              .advanced(),
          s.betaSlow);
        v(field("mscale")
              .help("Magnitude of the turned values, over that of all values; 0: not stated.")
              .range(0, 100)
              .when(isYarn, "kind is yarn")
              .advanced(),
          s.mscale);
        v(field("mscale_all_dim")
              .help("Magnitude of all values of latent attention; 0: not stated.")
              .range(0, 100)
              .when(isYarn, "kind is yarn")
              .advanced(),
          s.mscaleAllDim);
    }
};

}  // namespace slipway
