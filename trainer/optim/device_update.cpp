#include "trainer/optim/device_update.h"

#include "core/base/hash.h"
#include "trainer/kernels/device_rows.h"
#include "trainer/optim/stochastic_rounding.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <cstring>
#include <limits>

namespace slipway::trainer {
namespace {

// Position of a local part's elements in the whole parameter: local [outer][cut length][inner] in global
// [outer][dim][inner].
void placeInWhole(const ParamShard& shard, UpdateSegment& segment) {
    segment.local = segment.global = std::numeric_limits<std::int64_t>::max();
    if (shard.slices.empty()) return;
    const ShardSlice& slice = shard.slices.front();
    std::int64_t inner = 1;
    for (auto d = static_cast<std::size_t>(slice.dim) + 1; d < shard.globalShape.size(); ++d)
        inner *= shard.globalShape[d];
    segment.local = slice.length * inner;
    segment.global = shard.globalShape[static_cast<std::size_t>(slice.dim)] * inner;
    segment.shift = slice.offset * inner;
}

}  // namespace

bool DeviceUpdate::serves(const at::Tensor& weights) {
    return cudaRows() != nullptr && (weights.is_cuda() || (weights.is_cpu() && cudaRows()->onHost));
}

DeviceUpdate::DeviceUpdate(const std::vector<UpdatedPart>& parts, const std::vector<at::Tensor>& counted,
                           at::Device device)
    : m_device(device) {
    std::vector<UpdateSegment> segments;
    for (const UpdatedPart& part : parts) {
        UpdateSegment segment{};
        segment.weights = part.weights.mutable_data_ptr();
        segment.master = part.master.defined() ? part.master.mutable_data_ptr() : nullptr;
        segment.gradient = part.gradient.const_data_ptr();
        segment.first = part.first.mutable_data_ptr();
        segment.second = part.second.mutable_data_ptr();
        segment.length = part.weights.numel();
        segment.decay = part.decay;
        segment.name = fnv1a(part.shard.name);
        segment.offset = part.offset;
        placeInWhole(part.shard, segment);
        segments.push_back(segment);
        for (const at::Tensor& tensor : {part.weights, part.master, part.gradient, part.first, part.second})
            m_keptAlive.push_back(tensor);
    }
    std::vector<SquaresSegment> squares;
    for (const at::Tensor& gradient : counted) {
        squares.push_back({gradient.const_data_ptr(), gradient.numel(), 0});
        m_keptAlive.push_back(gradient);
    }
    if (!parts.empty()) {
        m_formats.weights = *rowFormatOf(parts.front().weights.scalar_type());
        m_formats.narrowMoments = parts.front().first.scalar_type() == at::kBFloat16;
        m_formats.narrowGradients = parts.front().gradient.scalar_type() == at::kBFloat16;
    } else if (!counted.empty()) {
        m_formats.narrowGradients = counted.front().scalar_type() == at::kBFloat16;
        m_formats.weights = m_formats.narrowGradients ? RowFormat::Bf16 : *rowFormatOf(counted.front().scalar_type());
    }
    m_numSegments = static_cast<std::int64_t>(segments.size());
    m_numCounted = static_cast<std::int64_t>(squares.size());
    m_table = tableOf(segments, m_numChunks);
    m_countedTable = tableOf(squares, m_countedChunks);
    const at::TensorOptions wide = at::TensorOptions().dtype(at::kDouble).device(device);
    m_partial = at::zeros({m_countedChunks}, wide);
    m_sum = at::zeros({1}, wide);
    m_factors = at::zeros({kStepFactors}, wide);
}

template <class Segment>
at::Tensor DeviceUpdate::tableOf(std::vector<Segment>& segments, std::int64_t& chunks) const {
    for (Segment& segment : segments) {
        segment.firstChunk = chunks;
        chunks += (segment.length + kUpdateChunk - 1) / kUpdateChunk;
    }
    const std::size_t bytes = segments.size() * sizeof(Segment);
    at::Tensor table = at::empty({static_cast<std::int64_t>(bytes)}, at::kByte);
    if (bytes > 0) std::memcpy(table.mutable_data_ptr(), segments.data(), bytes);
    return table.to(m_device);
}

at::Tensor DeviceUpdate::squares() {
    startedOnDevice("sumOfSquares", cudaRows()->sumOfSquares(
                                        m_formats, static_cast<const SquaresSegment*>(m_countedTable.const_data_ptr()),
                                        m_numCounted, m_countedChunks, m_partial.mutable_data_ptr<double>(),
                                        m_sum.mutable_data_ptr<double>(), deviceStreamOf(m_sum)));
    return m_sum;
}

void DeviceUpdate::decide(const at::Tensor& squares, double lossScale, double clipNorm, const at::Tensor& loss) {
    startedOnDevice("stepFactors",
                    cudaRows()->stepFactors(squares.const_data_ptr<double>(), squares.numel(), lossScale, clipNorm,
                                            loss.defined() ? loss.const_data_ptr<double>() : nullptr,
                                            m_factors.mutable_data_ptr<double>(), deviceStreamOf(m_factors)));
}

void DeviceUpdate::adamW(const AdamScalars& scalars) {
    startedOnDevice("adamW", cudaRows()->adamW(m_formats, static_cast<const UpdateSegment*>(m_table.const_data_ptr()),
                                               m_numSegments, m_numChunks, scalars, m_factors.const_data_ptr<double>(),
                                               deviceStreamOf(m_factors)));
}

std::vector<double> DeviceUpdate::readFactors() const {
    const at::Tensor host = m_factors.cpu();
    const double* values = host.const_data_ptr<double>();
    return {values, values + kStepFactors};
}

}  // namespace slipway::trainer
