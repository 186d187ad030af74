// Model: all stages (chunks) on one rank.
//   Model model(config, mesh, device);   for (Parameter* p : model.parameters()) ...
#pragma once

#include "trainer/comm/mesh.h"
#include "trainer/kernels/plain_kernels.h"
#include "trainer/model/stage_model.h"

#include <memory>
#include <vector>

namespace slipway::trainer {

/// Format of weights and activations: fp64, fp32, bf16 (also for fp8, where only factors are narrower) or fp16.
at::ScalarType computeType(Precision precision);

class Model {
public:
    /// The config must have passed validate() and trainerSupports(). Weights are initialised from train.seed. mainGrad
    /// is left undefined: optim (or allocateMainGrads) sets it.
    Model(const RunConfig& config, const ProcessMesh& mesh, at::Device device, Bug bug = Bug::None);

    [[nodiscard]] std::vector<std::unique_ptr<StageModel>>& chunks() { return m_chunks; }
    /// This rank's view of micro-batches: its part of the sequences (context parallelism) and, where
    /// data.document_end_id is set, the documents of the full sequences. Each rank of a replica passes the same ones.
    [[nodiscard]] std::vector<MicroBatch> localParts(const std::vector<MicroBatch>& microBatches) const;
    /// All parameters of this rank, in model order; the backward pass finishes them in about the reverse order.
    [[nodiscard]] const std::vector<Parameter*>& parameters() const { return m_parameters; }
    [[nodiscard]] at::ScalarType dtype() const { return m_dtype; }
    [[nodiscard]] at::Device device() const { return m_device; }
    [[nodiscard]] Bug bug() const { return m_bug; }
    [[nodiscard]] bool hasExperts() const { return m_hasExperts; }
    /// Between the two, weights are constant (except for gathering); derived data may be cached.
    void beginStep();
    void endStep();
    /// Sets the number of sequences of the next step for the routers' biases.
    void expectSequences(std::int64_t numSequences);

private:
    std::unique_ptr<const PlainKernels> m_plain;  ///< null where all kernels are fused
    at::ScalarType m_dtype;
    at::Device m_device;
    Bug m_bug;
    bool m_hasExperts;
    std::uint64_t m_numSteps = 0;
    std::shared_ptr<std::uint64_t> m_step;  ///< of fp8 layers; null where each pass computes its factors
    SequenceCut m_cut;
    std::optional<std::int64_t> m_documentEnd;
    std::vector<std::unique_ptr<StageModel>> m_chunks;
    std::vector<Parameter*> m_parameters;
};

/// Allocates a separate main gradient for every parameter, zeroed; for use without an optimizer.
void allocateMainGrads(const std::vector<Parameter*>& parameters, at::ScalarType type);

}  // namespace slipway::trainer
