// Flat main gradients of one rank: parameters' mainGrad are views into it. Sums over tp (replicated weights under
// sequence parallelism), over tied stages, and over dp, bucket by bucket, started while the backward pass goes on.
//   dp, ZeRO 0: all-reduce of each bucket.   dp, ZeRO 1: reduce-scatter; this rank keeps block dp-rank of each bucket.
#pragma once

#include "core/spec/run_config.h"
#include "trainer/comm/mesh.h"
#include "trainer/optim/bucket_layout.h"
#include "trainer/parallel/bug_switch.h"
#include "trainer/parallel/parameter.h"

#include <ATen/core/Tensor.h>

#include <vector>

namespace slipway::trainer {

/// Number format of main gradients under this config.
at::ScalarType mainGradType(const RunConfig& config);
/// Number format of the weights the model computes with.
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
    /// After the last: starts what is not started yet and waits. Then the owned parts hold the sum over all replicas. A second
    /// call before the next zero() does nothing.
    void finish();

    [[nodiscard]] const BucketLayout& layout() const { return m_layout; }
    [[nodiscard]] const std::vector<Parameter*>& parameters() const { return m_parameters; }
    [[nodiscard]] const at::Tensor& flat() const { return m_flat; }  ///< [elements], main-gradient dtype
    /// True when each dp rank owns one block of each bucket (ZeRO 1 with dp > 1).
    [[nodiscard]] bool sharded() const { return m_sharded; }
    /// The ranges this rank updates: its block of each bucket, or all buckets.
    [[nodiscard]] std::vector<FlatRange> owned() const;

private:
    void ready(std::size_t item);
    void startNext();
    void reduce(std::size_t bucket);
    void settle(std::size_t bucket);

    const ProcessMesh& m_mesh;
    std::vector<Parameter*> m_parameters;
    BucketLayout m_layout;
    at::Tensor m_flat;
    Bug m_bug = Bug::None;
    bool m_sharded = false;
    bool m_finished = false;
    bool m_overlap = false;
    bool m_reduceInBf16 = false;
    std::vector<std::size_t> m_pending;   ///< per bucket: parameters whose gradient is not ready
    std::size_t m_next = 0;               ///< first bucket whose reduction has not been started
    std::vector<CommWork> m_work;         ///< per bucket
    std::vector<at::Tensor> m_rounded;    ///< per bucket: the bf16 copy under way, if reduced in bf16
    std::vector<at::Tensor> m_scattered;  ///< per bucket: this rank's block of m_rounded
};

}  // namespace slipway::trainer
