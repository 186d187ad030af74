// The frequencies and magnitudes of rotary positions (Su et al. 2021, arXiv 2104.09864), scaled or not.
#pragma once

#include "core/spec/model_spec.h"

#include <vector>

namespace slipway {

/// Rotation of pair i in radians per position, for the rotarySize() / 2 pairs: theta^(-2 i / D), then
/// - linear: all over factor.
/// - llama3: wavelength w = 2 pi / frequency and L = original_max_seq_len. Above L / low_freq_factor over factor, below
///   L / high_freq_factor as it is; between them a blend, linear in L / w.
/// - yarn: by the pair's turns in L. The pair with beta_fast turns and those before it as they are, the one with beta_slow and
///   those behind it over factor; between them a blend, linear in i. Both pairs are rounded outwards.
std::vector<double> rotaryFrequencies(const ModelSpec& model);

/// Factor on cosine and sine: 1 except for yarn. m(s) = 0.1 s ln(factor) + 1; m(mscale) / m(mscale_all_dim) where both
/// are stated, else m(1) (YaRN, eq. 22; DeepSeek-V2's config.json).
double rotaryMagnitude(const ModelSpec& model);

/// Factor on the products of queries and keys besides 1 / sqrt(D): m(mscale_all_dim)^2 for latent attention with yarn, else 1.
double attentionMagnitude(const ModelSpec& model);

}  // namespace slipway
