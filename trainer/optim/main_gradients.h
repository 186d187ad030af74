// Flat main gradients of one rank. Sums over tp (replicated weights under sequence parallelism), over the tp
// ranks with the same key-value head, over tied stages, and over dp, bucket by bucket, started during the
// backward pass.
//   ZeRO 0: all-reduce of each bucket.   ZeRO 1: reduce-scatter; this rank keeps its block of each bucket.
//   ZeRO 2, 3: a bucket is a unit of weights, reduced after each micro-batch (unit_shards.h); only the owned blocks are
//   kept.
//   Experts are cut and summed over edp, the ranks with copies of the same experts, whatever HSDP does with the others.
//   HSDP: blocks are cut inside a group of ranks and, at the end, summed over the groups' replicas.
#pragma once

#include "core/spec/run_config.h"
#include "trainer/comm/mesh.h"
#include "trainer/optim/bucket_layout.h"
#include "trainer/optim/unit_shards.h"
#include "trainer/parallel/bug_switch.h"
#include "trainer/parallel/parameter.h"

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <vector>

namespace slipway::trainer {

/// Number format of main gradients under this config.
at::ScalarType mainGradType(const RunConfig& config);
/// Number format of sums over data-parallel ranks: reduce_dtype, or fp64 unchanged.
at::ScalarType gradReduceType(const RunConfig& config);
/// Number format of the model's weights in computation.
at::ScalarType weightType(const RunConfig& config);

class MainGradients {
public:
    /// Takes over mainGrad and onGradReady of every parameter. Parameters and mesh must outlive it.
    MainGradients(const RunConfig& config, const ProcessMesh& mesh, const std::vector<Parameter*>& parameters,
                  Bug bug = Bug::None);
    ~MainGradients();
    MainGradients(const MainGradients&) = delete;
    MainGradients& operator=(const MainGradients&) = delete;

    /// Before the first micro-batch of a step.
    void zero();
    /// After the last: starts the remaining reductions and waits. Then the owned parts contain the sum over all
    /// replicas. A second call before the next zero() is a no-op.
    void finish();

    [[nodiscard]] const BucketLayout& layout() const { return m_layout; }
    [[nodiscard]] const std::vector<Parameter*>& parameters() const { return m_parameters; }
    /// [elements], or [owned] under ZeRO 2 and 3; main-gradient dtype.
    [[nodiscard]] const at::Tensor& flat() const { return m_flat; }
    /// The gradient of (a part of) an owned range, as a view.
    [[nodiscard]] at::Tensor part(const FlatRange& range) const;
    /// True when ranks own blocks of buckets (ZeRO 1 and up with dp > 1, or edp > 1 and experts); the buckets are in
    /// the layout.
    [[nodiscard]] bool sharded() const { return m_sharded; }
    /// Not null under ZeRO 2 and 3.
    [[nodiscard]] UnitShards* units() const { return m_units.get(); }
    /// The ranks that shard a bucket.
    [[nodiscard]] ProcessGroup& shardGroup(std::size_t bucket) const {
        return m_layout.bucketOfExperts[bucket] ? *m_mesh.edp : m_mesh.shardGroup();
    }
    /// The range of a bucket updated by this rank: its block, or all of it.
    [[nodiscard]] FlatRange owned(std::size_t bucket) const {
        return m_layout.isCut(bucket) ? m_layout.shardOf(bucket, shardGroup(bucket).rank()) : m_layout.buckets[bucket];
    }
    /// The ranges of all buckets.
    [[nodiscard]] std::vector<FlatRange> owned() const;

private:
    void ready(std::size_t item);
    void startNext();
    void reduce(std::size_t bucket);
    void settle(std::size_t bucket);
    void sumOverReplicas();
    void sumSegments(bool FlatItem::*flag, const std::function<void(at::Tensor&)>& sum);
    void sumOverCopies(at::Tensor& part);

    const ProcessMesh& m_mesh;
    std::vector<Parameter*> m_parameters;
    std::vector<FlatItem> m_items;
    BucketLayout m_layout;
    at::Tensor m_flat;
    std::unique_ptr<UnitShards> m_units;
    Bug m_bug = Bug::None;
    bool m_sharded = false;
    bool m_finished = false;
    bool m_overlap = false;
    at::ScalarType m_reduceType = at::kFloat;
    bool m_converts = false;              ///< m_reduceType differs from the gradients'
    std::vector<std::size_t> m_pending;   ///< per bucket: number of parameters with pending gradients
    std::size_t m_next = 0;               ///< first bucket with a reduction not started
    std::vector<CommWork> m_work;         ///< per bucket
    std::vector<at::Tensor> m_converted;  ///< per bucket: the copy in m_reduceType in progress, if it converts
    std::vector<at::Tensor> m_scattered;  ///< per bucket: this rank's block of m_converted
};

}  // namespace slipway::trainer
