// Optimizer of one rank over flat buffers: AdamW (Loshchilov and Hutter 2019), Lion (Chen et al. 2023, arXiv
// 2302.06675, algorithm 2) or Muon (muon.h); clipping, ZeRO.
// Weights become views into one flat buffer. With ZeRO-1 and 2 each rank updates its block of each bucket and gathers
// the rest; with ZeRO-3 it keeps only its blocks, and units are gathered on use (unit_shards.h). bf16 weights have
// fp32 master weights, unless rounded stochastically (stochastic_rounding.h); fp32 and fp64 weights are their own
// masters.
// Offload (Ren et al. 2021, arXiv 2101.06840): master weights and moments are in host memory, and the host updates them
// piece by piece: overlapped with the download of the next piece's gradients and the upload of the last one's weights.
// Muon's products stay on the device.
#pragma once

#include "trainer/kernels/host_memory.h"
#include "trainer/optim/adaptive_clipping.h"
#include "trainer/optim/device_update.h"
#include "trainer/optim/main_gradients.h"
#include "trainer/optim/stochastic_rounding.h"
#include "trainer/parallel/state_tensor.h"

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace slipway::trainer {

struct UpdateReport {
    double gradNorm = 0;            ///< before clipping
    double clipCoefficient = 1;     ///< the factor applied to the gradients
    bool skipped = false;           ///< a non-finite norm, or not allowed: weights and moments stay unchanged
    std::int64_t clippedUnits = 0;  ///< by adaptive clipping, of the units this rank owns a part of
};

class Optimizer {
public:
    /// Takes over weight, mainGrad and onGradReady of every parameter (values of weights are preserved). All arguments
    /// must outlive it.
    Optimizer(const RunConfig& config, const ProcessMesh& mesh, const std::vector<Parameter*>& parameters,
              Bug bug = Bug::None);

    [[nodiscard]] MainGradients& gradients() { return m_gradients; }
    /// Finishes the reduction, clips and updates. @param lr the rate of this update. @param allow is called with the
    /// gradient norm before any change; every rank must return the same. @param lossScale factor in the gradients
    /// (fp16) @param loss [1] fp64: with decidesOnDevice() the update is skipped where it is not finite. Undefined: no
    /// check
    UpdateReport update(double lr, const std::function<bool(double gradNorm)>& allow = {}, double lossScale = 1,
                        const at::Tensor& loss = {});
    /// True where update() without `allow` waits for the device only after queueing everything.
    [[nodiscard]] bool decidesOnDevice() const { return m_device != nullptr && !m_balances; }
    /// Finishes the reduction. -> the norm as in update()'s report; NaN and infinities propagate
    double gradNorm();

    /// The state owned by this rank, in a fixed order. Without ZeRO every dp replica owns the same.
    [[nodiscard]] std::vector<StateTensor> state() const;
    /// Number of updates so far (for bias correction).
    [[nodiscard]] std::int64_t numUpdates() const { return m_numUpdates; }
    /// After state() was filled from a checkpoint: updates the model's weights from it. A collective over dp under ZeRO.
    void stateRestored(std::int64_t numUpdates);

private:
    /// Adjacent segments of an owned range with the same update.
    struct Run {
        FlatRange range;
        std::int64_t place = 0;   ///< in the owned buffers
        std::int64_t second = 0;  ///< in the second moments, if any
        std::vector<FlatSegment> segments;
        bool decay = false;
        bool elsewhere = false;  ///< updated by Muon or the balance of experts, not AdamW
        [[nodiscard]] std::int64_t placeOf(const FlatSegment& s) const { return place + s.range.begin - range.begin; }
    };
    std::vector<Run> findRuns() const;
    void buildDeviceUpdate();
    /// Norm, clipping and AdamW by the kernels of update_program.h.
    UpdateReport updateOnDevice(double lr, const std::function<bool(double gradNorm)>& allow, double lossScale,
                                const at::Tensor& loss);
    void measureOnDevice(double lossScale, double clipNorm, const at::Tensor& loss);
    void buildGroups(const std::vector<Run>& runs);
    void updateBalance();
    void unscale(double lossScale);
    void clip(UpdateReport& report);
    void updateAdamW(double lr);
    void updateLion(double lr);
    void updateOnHost(double lr);
    void updateOrthogonal(double lr);
    /// Random bits of the current update; absent without stochastic rounding.
    [[nodiscard]] std::optional<RoundingKey> rounding() const;
    /// The update format of weights.
    [[nodiscard]] at::ScalarType updateType() const;
    /// Elements [at, at + wide.numel()) of a run: fp32 values into the bf16 weights.
    void roundBack(const Run& run, std::int64_t at, const at::Tensor& wide, const at::Tensor& weights) const;
    /// @param all including the parts already uploaded by updateOnHost
    void publishWeights(bool all);
    void publishHostWeights(bool all);
    void gatherWeights();
    /// The model's working weights of an owned range, as a view.
    [[nodiscard]] at::Tensor weightsOf(const FlatRange& range) const;

    /// Runs of owned elements with equal weight decay, for the fused kernel.
    struct Group {
        double decay = 0;
        std::vector<at::Tensor> weights, gradients, firstMoments, secondMoments;
        std::vector<const Run*> runs;
        std::vector<at::Tensor> published;  ///< offload: the model's copy of the weights
    };
    static constexpr std::int64_t kPieceElements = 1 << 20;
    /// Adjacent elements of a run.
    struct Piece {
        const Group* group = nullptr;
        std::size_t run = 0;
        std::int64_t begin = 0, length = 0;
    };
    /// Double-buffered host memory of offload for pieces: one is used while the other is copied.
    struct Passage {
        at::Tensor gradients, weights;  ///< [piece]; weights undefined where master and model have the same format
        CopyMark arrived, left;
    };
    [[nodiscard]] static std::vector<Piece> piecesOf(const std::vector<Group>& groups);
    [[nodiscard]] at::Tensor stepCount(at::Device device) const;
    /// Clipped, in the update format: a view, or a copy of the piece where gradients are stored narrower.
    [[nodiscard]] at::Tensor gradientsOf(const Piece& piece) const;
    void updatePiece(const Piece& piece, const at::Tensor& gradients, double lr, const at::Tensor& step) const;
    void adamPiece(const Piece& piece, const at::Tensor& gradients, double lr, const at::Tensor& step) const;
    void lionPiece(const Piece& piece, const at::Tensor& gradients, double lr) const;
    void sendUp(const at::Tensor& to, const at::Tensor& master, Passage& passage);

    const OptimizerSpec m_spec;
    const ProcessMesh& m_mesh;
    Bug m_bug;
    MainGradients m_gradients;
    bool m_weightsSharded = false;  ///< ZeRO-3
    bool m_rounds = false;          ///< stochastically: bf16 weights without a master
    std::int64_t m_seed = 0;
    at::Tensor m_weights;  ///< [elements] the model's working weights; ZeRO-3: [owned]
    at::Tensor m_master;   ///< [owned] fp32 master; undefined when the weights are the masters. Offload: always, on the
                           ///< host, and in bf16 with stochastic rounding
    at::Tensor m_firstMoment;     ///< [owned]
    at::Tensor m_secondMoment;    ///< of AdamW's parameters; undefined with Lion
    std::vector<Group> m_groups;  ///< parameters updated by AdamW or Lion
    std::vector<Run> m_runs;
    std::vector<OwnedSegment> m_segments;  ///< for adaptive clipping
    std::int64_t m_numUpdates = 0;
    bool m_balances = false;                 ///< experts' routers: counts adjust their biases
    std::unique_ptr<DeviceUpdate> m_device;  ///< null where the plain operators are used
    bool m_offload = false;
    double m_gradientFactor = 1;  ///< for gradients narrower than updates: clipping is deferred until they are widened
    std::optional<SideCopies> m_down, m_up;
    Passage m_passages[2];
};

}  // namespace slipway::trainer
