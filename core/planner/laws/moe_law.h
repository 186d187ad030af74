// Loss of mixtures of experts. EXPERIMENTAL: only the form and the magnitudes of the constants are confirmed; their
// signs are chosen such that more experts lower the loss at 1 B parameters and 20 B tokens. Never used in a plan.
#pragma once

namespace slipway {

/// L = a E^delta N^(alpha + gamma ln E) + b E^omega D^(beta + zeta ln E) + c with E experts, N active parameters
/// (Ludziejewski 2025, arXiv 2502.05172; a 35.91, delta 0.2285, alpha 0.1889, gamma 0.0098, b 35.98, omega 0.5529,
/// beta 0.1775, zeta 0.0259, c 1.3637).
double moeLoss(double activeParameters, double tokens, double experts);

/// Parameters of a dense model with the same loss for the same tokens, over the active ones: the value of the experts.
double denseEquivalent(double activeParameters, double tokens, double experts);

}  // namespace slipway
