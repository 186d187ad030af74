// ShardContext: a sharded layer's view of its rank; makeParameter: a local weight with its place in the
// model.
#pragma once

#include "trainer/comm/process_group.h"
#include "trainer/kernels/fp8.h"
#include "trainer/parallel/bug_switch.h"
#include "trainer/parallel/parameter.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace slipway::trainer {

/// Multiplication of linear layers in an fp8 run.
struct Fp8Products {
    Fp8Recipe recipe = Fp8Recipe::Tensorwise;
    Fp8Format format = Fp8Format::Hybrid;
    bool native = false;  ///< the device multiplies float8; else it is emulated
    /// Number of the current step, 0 between steps: within one, weights are constant, and their factors are computed
    /// once. Null: each time.
    std::shared_ptr<const std::uint64_t> step = nullptr;
};

/// A view; the group must outlive the layers.
struct ShardContext {
    ProcessGroup* tp = nullptr;
    bool sequenceParallel = false;
    at::ScalarType dtype = at::kFloat;
    at::Device device = at::kCPU;
    std::uint64_t seed = 1;
    Bug bug = Bug::None;
    ProcessGroup* cp = nullptr;  ///< null: the full sequence
    CpKind cpKind = CpKind::Ring;
    ProcessGroup* experts = nullptr;  ///< etp x ep, etp fastest; null: all experts local
    std::int64_t etp = 1;
    ProcessGroup* etpGroup = nullptr;  ///< the ranks with the other parts of the local experts; null: none
    std::optional<Fp8Products> fp8 = {};
    bool asyncTp = false;  ///< tp_pieces.h
};

/// Initialization of a new weight: normal with mean 0, or a constant when deviation is 0.
struct Fill {
    double deviation = 0;
    double constant = 0;
};

/// The range of `total` rows of one rank: as even as possible, the first total % n ranks hold one more. No padding, so
/// a vocabulary that tp does not divide needs no dummy rows.
ShardSlice evenSlice(std::int64_t dim, std::int64_t total, const ProcessGroup& group);

/// fp64 values of the local part of a weight. Each is a function of (seed, name, index in the global tensor) alone, so
/// every layout starts from identical bits.
at::Tensor initialValues(const ParamShard& shard, std::uint64_t seed, Fill fill);

/// A weight on this rank with its initial values: all of globalShape, or `slice` of it along tp.
std::unique_ptr<Parameter> makeParameter(const ShardContext& context, std::string name,
                                         std::vector<std::int64_t> globalShape, std::optional<ShardSlice> slice,
                                         Fill fill);

/// Notifies the owner of the gradient of the last micro-batch's contribution.
inline void gradReady(const Parameter& parameter, bool last) {
    if (last && parameter.onGradReady) parameter.onGradReady();
}

}  // namespace slipway::trainer
