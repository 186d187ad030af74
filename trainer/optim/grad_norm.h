// The global gradient norm: each element of the model counted once, however it is sharded or replicated.
#pragma once

#include "trainer/optim/main_gradients.h"

#include <vector>

namespace slipway::trainer {

/// True if this rank counts the parameter. Replicated along tp (or shared by several tp ranks, like key-value heads when tp exceeds their
/// number): the first of them counts. Tied copies: the first stage. Replicas along dp and cp: the first, unless ZeRO assigns each its own
/// block. Load counts are not gradients. @param sharded ZeRO shards the parameter
bool countsInNorm(const Parameter& parameter, const ProcessMesh& mesh, bool sharded, Bug bug = Bug::None);

/// The counted parts of this rank's main gradients, adjacent ones joined: [n] each.
std::vector<at::Tensor> countedGradients(const MainGradients& gradients, const ProcessMesh& mesh, Bug bug = Bug::None);

/// Euclidean norm of the full model's gradient, after MainGradients::finish(). Sums are computed in fp64 and combined
/// in rank order, so the result is bitwise the same on every rank. NaN and infinities propagate. A collective over
/// `world`.
double globalGradNorm(const MainGradients& gradients, const ProcessMesh& mesh, Bug bug = Bug::None);

/// Factor that reduces `norm` to exactly `clipNorm`; 1 when it is below, or when clipNorm is 0 (off).
/// torch.nn.utils.clip_grad_norm_ and Megatron-LM divide by norm + 1e-6 and so end 1e-6 / norm (relative) below
/// clipNorm; a comparison with them allows for that.
double clipCoefficient(double norm, double clipNorm);

}  // namespace slipway::trainer
