// RopeScaling: scaling of rotary frequencies for longer sequences than in the model's first training.
#pragma once

#include "core/base/field_table.h"

#include <array>
#include <cstdint>

namespace slipway {

enum class RopeScalingKind { Linear, Llama3, Yarn };
constexpr auto enumNames(RopeScalingKind) {
    using Name = EnumName<RopeScalingKind>;
    return std::array{Name{RopeScalingKind::Linear, "linear", "all frequencies by the same factor"_text, "Linear"_text},
                      Name{RopeScalingKind::Llama3, "llama3", "low frequencies, by wavelength (Llama 3.1)"_text,
                           "By wavelength (Llama 3.1)"_text},
                      Name{RopeScalingKind::Yarn, "yarn", "low frequencies, by rotations (YaRN, DeepSeek)"_text,
                           "By rotations (YaRN)"_text}};
}

/// Chen et al. 2023 (arXiv 2306.15595) for linear; Llama 3.1 (arXiv 2407.21783, and its config.json's terms); YaRN:
/// Peng et al. 2023 (arXiv 2309.00071), with DeepSeek-V2's two factors of magnitude. Formulas: core/spec/rotary.h.
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
        v(field("kind").label("RoPE scaling"_text).help("Method of frequency scaling."_text), s.kind);
        v(field("factor")
              .label("RoPE scaling factor"_text)
              .help("Longest sequence divided by the original one."_text)
              .range(1, 1e6),
          s.factor);
        v(field("original_max_seq_len")
              .label("Original longest sequence"_text)
              .unit("tokens"_text)
              .help("Longest sequence before the scaling."_text)
              .range(1, 100000000)
              .when(isLlama || isYarn, "kind is llama3 or yarn"_text),
          s.originalMaxSeqLen);
        v(field("low_freq_factor")
              .label("Low-frequency factor"_text)
              .help("Wavelengths above original_max_seq_len / this value are scaled fully."_text)
              .range(1e-6, 1e6)
              .when(isLlama, "kind is llama3"_text)
              .advanced(),
          s.lowFreqFactor);
        v(field("high_freq_factor")
              .label("High-frequency factor"_text)
              .help("Wavelengths below original_max_seq_len / this value remain unscaled."_text)
              .range(1e-6, 1e6)
              .when(isLlama, "kind is llama3"_text)
              .advanced(),
          s.highFreqFactor);
        v(field("beta_fast")
              .label("YaRN fast rotations"_text)
              .help("Frequencies with more rotations in original_max_seq_len remain unscaled."_text)
              .range(1e-6, 1e6)
              .when(isYarn, "kind is yarn"_text)
              .advanced(),
          s.betaFast);
        v(field("beta_slow")
              .label("YaRN slow rotations"_text)
              .help("Frequencies with fewer rotations in original_max_seq_len are scaled fully."_text)
              .range(1e-6, 1e6)
              .when(isYarn, "kind is yarn"_text)
              .advanced(),
          s.betaSlow);
        v(field("mscale")
              .label("YaRN magnitude"_text)
              .help("Magnitude of the rotated values relative to all values; 0: unset."_text)
              .range(0, 100)
              .when(isYarn, "kind is yarn"_text)
              .advanced(),
          s.mscale);
        v(field("mscale_all_dim")
              .label("YaRN magnitude, all values"_text)
              .help("Magnitude of all values of latent attention; 0: unset."_text)
              .range(0, 100)
              .when(isYarn, "kind is yarn"_text)
              .advanced(),
          s.mscaleAllDim);
    }
};

}  // namespace slipway
