// The global gradient norm: each element of the model counted once, however it is sharded or replicated.
#pragma once

#include "trainer/optim/main_gradients.h"

#include <vector>

namespace slipway::trainer {

/// True if this rank counts the parameter. Replicated along tp (or shared by several tp ranks, as key-value heads are
/// when tp exceeds their number): the first of them counts. Tied copies: the first stage. Replicas along dp and cp: the
/// first, unless ZeRO gives each its own block. Load counts are no gradients. @param sharded ZeRO cuts the parameter
bool countsInNorm(const Parameter& parameter, const ProcessMesh& mesh, bool sharded, Bug bug = Bug::None);

/// What of this rank's main gradients counts, neighbours joined: [n] each.
std::vector<at::Tensor> countedGradients(const MainGradients& gradients, const ProcessMesh& mesh, Bug bug = Bug::None);

/// Euclidean norm of the whole model's gradient, after MainGradients::finish(). Sums are taken in fp64 and combined in
/// rank order, so the number is the same bit for bit on every rank. NaN and infinities come through. A collective over
/// `world`.
double globalGradNorm(const MainGradients& gradients, const ProcessMesh& mesh, Bug bug = Bug::None);

/// Factor that brings `norm` down to exactly `clipNorm`; 1 when it is below, or when clipNorm is 0 (off).
/// torch.nn.utils.clip_grad_norm_ and Megatron-LM divide by norm + 1e-6 and so end 1e-6 / norm (relative) below
/// clipNorm; a comparison with them allows for that.
double clipCoefficient(double norm, double clipNorm);

}  // namespace slipway::trainer
