// Time of the passes of a stage on one rank, without communication.
#pragma once

#include "core/planner/memory/memory.h"
#include "core/planner/values/forecast.h"

#include <cstdint>
#include <limits>

namespace slipway {

/// Efficiencies and overheads of a kind of device. Physical quantities only; textbook values unless calibrated.
struct TimeConstants {
    double gemmEfficiency = 0.65;           ///< of the peak, for matrix products
    double gemmShapeLoss = 0;               ///< extra time of a product per mean of 1000 / dim
    double attentionEfficiency = 0.45;      ///< of the peak, attention core forward
    double memoryEfficiency = 0.8;          ///< of the memory bandwidth, for elementwise work
    double operationSeconds = 0;            ///< host cost of one operation; a GPU hides it behind longer kernels
    bool hidesOperations = false;           ///< operations are queued ahead of the device
    double optimizerBytesPerParameter = 0;  ///< memory traffic of the update per element of the rank's optimizer shard
    double gradientBytesPerParameter = 0;   ///< of norm, clipping and clearing, per element of all its gradients
    double stepFixedSeconds = 0;            ///< per step: data, logging, synchronisation
};

/// A rank's usable share of its device.
struct RankSpeed {
    double peakFlops = 0;  ///< dense, of this rank; NaN when unknown
    /// The same at 16 bit in 8-bit runs, whose attention core and head stay at 16 bit (NVIDIA Transformer Engine's
    /// recipes and torchtitan's float8 converter exclude both).
    double widePeakFlops = 0;
    double memoryBytesPerSecond = 0;  ///< of this rank
    /// Limit on reads and writes of passes over activations: on a CPU these are in caches, and the cores' arithmetic is the bottleneck.
    double elementwiseBytesPerSecond = std::numeric_limits<double>::infinity();
    TimeConstants constants;
};

/// A GPU belongs to one rank; a CPU's peak and memory are shared by the ranks on the node, and a rank uses at most
/// threadsPerRank of its devicesPerNode cores.
RankSpeed rankSpeed(const RunConfig& config, const ClusterSpec& cluster);

/// Peak of a precision's products: on a CPU 16-bit formats multiply in fp32 unless it has faster instructions. Empty
/// when unknown.
std::optional<double> productPeakFlops(const DeviceSpec& device, Precision precision);

/// Peak of all devices the run uses together: world size times a GPU's peak; on CPU nodes the full peak of each node
/// used. The denominator of every MFU. Empty when unknown.
std::optional<double> runPeakFlops(const RunConfig& config, const ClusterSpec& cluster);

/// One micro-batch through one layer or end.
struct PassSeconds {
    double forward = 0, backwardInput = 0, backwardWeight = 0;
    [[nodiscard]] double total() const { return forward + backwardInput + backwardWeight; }
    PassSeconds& operator+=(const PassSeconds& other) {
        forward += other.forward;
        backwardInput += other.backwardInput;
        backwardWeight += other.backwardWeight;
        return *this;
    }
};

PassSeconds layerSeconds(const RunConfig& config, const RankSpeed& speed, bool moeLayer);
/// The matrix products of a layer next to a tensor-parallel edge (trainer/parallel/tp_pieces.h): half of the weight
/// pass, because row-parallel products need no second gather; none of experts.
PassSeconds productsBesideEdges(const RunConfig& config, const RankSpeed& speed, bool moeLayer);
PassSeconds embeddingSeconds(const RunConfig& config, const RankSpeed& speed);
PassSeconds headSeconds(const RunConfig& config, const RankSpeed& speed);
/// Device to host and back: PCIe 4.0 x16 (31.5 GB/s, PCI-SIG) at 80 %.
constexpr double kHostLinkBytesPerSecond = 25e9;
/// Optimizer step over a rank's shard: it reads and writes gradients, moments and weights. For double and for Term.
template <class Number>
Number optimizerSeconds(const RunConfig& config, const RankSpeed& speed, const RankShare& share);

}  // namespace slipway
