// Muon (Jordan et al. 2024): the momentum of a hidden matrix is replaced by the nearest orthogonal matrix before the
// update. With the scale 0.2 sqrt(max(rows, columns)) of Liu et al. 2025 (arXiv 2502.16982, eq. 4) the learning rate
// and decay of AdamW fit both.
// It needs full matrices: momenta are gathered over the ranks that shard the bucket, and over tp (for an expert: etp)
// where the matrix is sharded.
#pragma once

#include "trainer/optim/main_gradients.h"
#include "trainer/optim/stochastic_rounding.h"

namespace slipway::trainer {

/// Five Newton-Schulz steps with the coefficients (3.4445, -4.7750, 2.0315): singular values come near 1. In the
/// tensor's own format.
/// @param matrix [rows, columns]
at::Tensor orthogonalised(const at::Tensor& matrix);

/// True if Muon updates the parameter: a matrix between hidden layers, not a table.
bool isOrthogonal(const Parameter& parameter);

/// A range owned by this rank with its tensors, flat views.
struct MuonRange {
    FlatRange range;
    at::Tensor weights, gradients, momentum;
};

struct MuonRates {
    double lr = 0, momentum = 0, weightDecay = 0;
    double gradientFactor = 1;           ///< for gradients not in `format`; others are already clipped
    at::ScalarType format = at::kFloat;  ///< of updates
};

/// One update of all ranges of `layout` owned by this rank, bucket by bucket; parameters that
/// are not orthogonal stay unchanged. @param owned one per bucket, in bucket order. @param
/// rounding of bf16 weights without a master copy. Collective over the sharding groups, tp and
/// etp.
void updateMuon(const MainGradients& gradients, const ProcessMesh& mesh, const std::vector<MuonRange>& owned,
                const MuonRates& rates, const RoundingKey* rounding = nullptr, Bug bug = Bug::None);

}  // namespace slipway::trainer
