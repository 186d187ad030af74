// UnitShards: ZeRO-2 and ZeRO-3 of one rank (Rajbhandari et al. 2020, arXiv 1910.02054; ZeRO-3 as FSDP, Zhao et al.
// 2023, arXiv 2304.11277). Each unit of weights is one bucket; this rank owns one block of it. The experts of a block
// are a separate unit, sharded over the ranks with copies of them.
//   Gradients: whole between openGradients and closeGradients; then a reduce-scatter over the sharding group,
//   added to the owned block. One reduction is under way while the next unit computes, never longer.
//   Weights (ZeRO-3): an all-gather before each use, into memory that is given back after it.
#pragma once

#include "core/spec/run_config.h"
#include "trainer/comm/mesh.h"
#include "trainer/optim/bucket_layout.h"
#include "trainer/parallel/bug_switch.h"
#include "trainer/parallel/weight_unit.h"

#include <ATen/core/Tensor.h>

#include <vector>

namespace slipway::trainer {

class UnitShards final : public WeightUnit::Keeper {
public:
    /// Takes over mainGrad and unit->keeper of every parameter; the mesh must outlive it. @param layout from
    /// makeUnitLayout; @param gradients [owned]
    UnitShards(const RunConfig& config, const ProcessMesh& mesh, const std::vector<Parameter*>& parameters,
               const BucketLayout& layout, at::Tensor gradients, Bug bug);
    ~UnitShards() override;
    UnitShards(const UnitShards&) = delete;
    UnitShards& operator=(const UnitShards&) = delete;

    /// ZeRO-3: from now on weights are on this rank only as `shards` [owned], filled here from the full ones.
    void shardWeights(const at::Tensor& shards);
    /// Waits until every reduction has reached the owned blocks.
    void settle();

    void fetch(std::size_t unit) override;
    void need(std::size_t unit) override;
    void release(std::size_t unit, bool lastUse) override;
    void openGradients(std::size_t unit) override;
    void closeGradients(std::size_t unit) override;

private:
    struct Unit {
        ProcessGroup* group = nullptr;          ///< the ranks that shard it
        at::Tensor weights, gradients;          ///< [unit], full; their memory is temporary
        at::Tensor weightShard, gradientShard;  ///< [unit / shards], views of the optimizer's memory
        at::Tensor scattered, converted;        ///< of the reduction in progress
        CommWork gathering, reducing;
        bool isWhole = false;  ///< weights are present or on the way
        bool everGathered = false;
    };
    void settle(Unit& unit);

    const std::vector<Parameter*> m_parameters;
    const BucketLayout& m_layout;
    Bug m_bug;
    bool m_overlap, m_reshard;
    at::ScalarType m_reduceType;
    bool m_converts;  ///< m_reduceType differs from the gradients'
    std::vector<Unit> m_units;
    int m_needsSinceClose = 0;
};

}  // namespace slipway::trainer
