#include "trainer/kernels/grouped_linear.h"

#include <ATen/ops/_grouped_mm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/stack.h>

#include <cstddef>

namespace slipway::trainer {
namespace {

constexpr std::int64_t kMultiple = 8;

// The end of each group in the operator's format: int32 on the device.
at::Tensor endsOf(const std::vector<std::int64_t>& rows, at::Device device) {
    at::Tensor ends = at::empty({static_cast<std::int64_t>(rows.size())}, at::TensorOptions().dtype(at::kInt));
    auto* end = ends.mutable_data_ptr<std::int32_t>();
    std::int32_t sum = 0;
    for (const std::int64_t count : rows) *end++ = sum += static_cast<std::int32_t>(count);
    return ends.to(device);
}

}  // namespace

bool hasGroupedProduct(const at::Tensor& x, const at::Tensor& weight) {
    return x.is_cuda() && x.scalar_type() == at::kBFloat16 && x.size(0) > 0 && weight.size(0) % kMultiple == 0 &&
           weight.size(1) % kMultiple == 0;
}

at::Tensor stackedWeights(const std::vector<at::Tensor>& weights) {
    const at::Tensor& first = weights.front();
    const auto address = [](const at::Tensor& t) { return static_cast<const char*>(t.const_data_ptr()); };
    const std::ptrdiff_t distance =
        weights.size() > 1 ? address(weights[1]) - address(first) : static_cast<std::ptrdiff_t>(first.nbytes());
    bool even = distance > 0 && distance % static_cast<std::ptrdiff_t>(16) == 0;
    for (std::size_t i = 0; i < weights.size(); ++i)
        even = even && weights[i].is_contiguous() && weights[i].is_alias_of(first) &&
               address(weights[i]) - address(first) == static_cast<std::ptrdiff_t>(i) * distance;
    if (!even) return at::stack(weights);
    const auto size = static_cast<std::int64_t>(first.element_size());
    return first.as_strided({static_cast<std::int64_t>(weights.size()), first.size(0), first.size(1)},
                            {distance / size, first.size(1), 1});
}

at::Tensor groupedForward(const at::Tensor& x, const std::vector<at::Tensor>& weights,
                          const std::vector<std::int64_t>& rows) {
    return at::_grouped_mm(x, stackedWeights(weights).transpose(1, 2), endsOf(rows, x.device()));
}

at::Tensor groupedInputGrad(const at::Tensor& dy, const std::vector<at::Tensor>& weights,
                            const std::vector<std::int64_t>& rows) {
    return at::_grouped_mm(dy, stackedWeights(weights), endsOf(rows, dy.device()));
}

}  // namespace slipway::trainer
