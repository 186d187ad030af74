// DeviceUpdate: AdamW of all of a rank's parameters as one launch, clipped by a factor computed on the device, so that
// the host need not wait for the norm: the arithmetic is in kernels/update_program.h, with the plain operators of
// optimizer.cpp as its reference.
//   DeviceUpdate update(weights, gradients, key);   update.measure(squares);
//   update.decide(parts, lossScale, clipNorm, loss);
//   update.adamW(scalars);   const double norm = update.norm();
#pragma once

#include "core/spec/param_shard.h"
#include "trainer/kernels/cuda_rows.h"
#include "trainer/kernels/update_program.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace slipway::trainer {

/// Adjacent elements of one parameter, as flat tensors of equal length; their memory must stay valid.
struct UpdatedPart {
    at::Tensor weights, master;  ///< master undefined: the weights themselves
    at::Tensor gradient, first, second;
    double decay = 0;
    ParamShard shard;         ///< of the parameter, for stochastic rounding
    std::int64_t offset = 0;  ///< first element in the parameter's local part
};

class DeviceUpdate {
public:
    /// True where these weights' device (in tests a CPU) has the kernels.
    [[nodiscard]] static bool serves(const at::Tensor& weights);

    /// @param counted gradients in this rank's part of the norm
    DeviceUpdate(const std::vector<UpdatedPart>& parts, const std::vector<at::Tensor>& counted, at::Device device);

    /// -> [1] fp64 on the device: sum of the squares of the counted gradients.
    [[nodiscard]] at::Tensor squares();
    /// From the squares of all ranks [n] fp64: norm, factor and permission of the step.
    /// @param loss [1] fp64 on the device; undefined: no check. @param clipNorm 0: no
    /// clipping
    void decide(const at::Tensor& squares, double lossScale, double clipNorm, const at::Tensor& loss);
    /// Updates weights, master and moments in one pass; a no-op where the norm is not finite.
    void adamW(const AdamScalars& scalars);
    /// [0] norm, [1] factor of the gradients, [2] whether weights may change. Waits for the device.
    [[nodiscard]] std::vector<double> readFactors() const;

private:
    template <class Segment>
    [[nodiscard]] at::Tensor tableOf(std::vector<Segment>& segments, std::int64_t& chunks) const;

    at::Device m_device;
    UpdateFormats m_formats;
    std::int64_t m_numSegments = 0, m_numChunks = 0, m_numCounted = 0, m_countedChunks = 0;
    at::Tensor m_table, m_countedTable;   ///< bytes of the rows
    at::Tensor m_partial, m_sum;          ///< of the squares, fp64
    at::Tensor m_factors;                 ///< [kStepFactors] fp64
    std::vector<at::Tensor> m_keptAlive;  ///< targets of the tables' pointers
};

}  // namespace slipway::trainer
