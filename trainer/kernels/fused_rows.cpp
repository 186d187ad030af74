#include "trainer/kernels/fused_rows.h"

#include "trainer/kernels/device_rows.h"
#include "trainer/kernels/dtype.h"
#include "trainer/kernels/embedding.h"
#include "trainer/kernels/lanes.h"
#include "trainer/kernels/plain_kernels.h"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace slipway::trainer {
namespace {

// ---- y = w x rstd, rstd = 1 / sqrt(mean(x^2) + eps)
template <class T>
LANES_INLINE void rmsRows(const T* x, const T* w, T eps, T* y, T* rstd, std::int64_t width, std::int64_t begin,
                          std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
        const T* in = x + row * width;
        Lane<T> squares{};
        eachLane<T>(width, [&](std::int64_t i, std::int64_t n) LANES_LAMBDA {
            const Lane<T> v = load(in + i, n);
            squares += v * v;
        });
        const T scale = T(1) / std::sqrt(sumOf<T>(squares) / static_cast<T>(width) + eps);
        rstd[row] = scale;
        eachLane<T>(width, [&](std::int64_t i, std::int64_t n) LANES_LAMBDA {
            store<T>(y + row * width + i, load(in + i, n) * scale * load(w + i, n), n);
        });
    }
}

// ---- branch += x, row by row before its norm, while the row is in the cache
template <class T>
LANES_INLINE void residualRmsRows(T* branch, const T* x, const T* w, T eps, T* y, T* rstd, std::int64_t width,
                                  std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
        eachLane<T>(width, [&](std::int64_t i, std::int64_t n) LANES_LAMBDA {
            T* sum = branch + row * width + i;
            store<T>(sum, load(sum, n) + load(x + row * width + i, n), n);
        });
        rmsRows<T>(branch, w, eps, y, rstd, width, row, row + 1);
    }
}

// ---- with n = x rstd and g = dy w: dx = rstd (g - n mean(g n)), plus the residual stream's gradient if there is one
template <class T>
LANES_INLINE void rmsGradRows(const T* dy, const T* x, const T* w, const T* rstd, const T* residual, T* dx,
                              std::int64_t width, std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
        const std::int64_t at = row * width;
        const T scale = rstd[row];
        Lane<T> products{};
        eachLane<T>(width, [&](std::int64_t i, std::int64_t n) LANES_LAMBDA {
            products += load(dy + at + i, n) * load(w + i, n) * load(x + at + i, n);
        });
        const T along = sumOf<T>(products) * scale * scale / static_cast<T>(width);
        eachLane<T>(width, [&](std::int64_t i, std::int64_t n) LANES_LAMBDA {
            const Lane<T> g = load(dy + at + i, n) * load(w + i, n);
            const Lane<T> grad = (g - load(x + at + i, n) * along) * scale;
            store<T>(dx + at + i, residual == nullptr ? grad : grad + load(residual + at + i, n), n);
        });
    }
}

// ---- columns [begin, end) of the sum over rows of dy x rstd; blocks of rows first, so that long sums lose little
template <class T>
LANES_INLINE void rmsWeightColumns(const T* dy, const T* x, const T* rstd, T* sums, T* block, std::int64_t rows,
                                   std::int64_t width, std::int64_t begin, std::int64_t end) {
    constexpr std::int64_t kBlock = 128;
    const std::int64_t columns = end - begin;
    for (std::int64_t first = 0; first < rows; first += kBlock) {
        std::fill(block, block + columns, T(0));
        for (std::int64_t row = first; row < std::min(rows, first + kBlock); ++row) {
            const T scale = rstd[row];
            const T* a = dy + row * width + begin;
            const T* b = x + row * width + begin;
            eachLane<T>(columns, [&](std::int64_t i, std::int64_t n) LANES_LAMBDA {
                store<T>(block + i, load(block + i, n) + load(a + i, n) * load(b + i, n) * scale, n);
            });
        }
        for (std::int64_t i = 0; i < columns; ++i) sums[begin + i] += block[i];
    }
}

// ---- silu(gate) up, and its gradients
template <class T>
LANES_INLINE void swiGluRange(const T* gate, const T* up, T* y, std::int64_t begin, std::int64_t end) {
    eachLane<T>(end - begin, [&](std::int64_t i, std::int64_t n) LANES_LAMBDA {
        const Lane<T> g = load(gate + begin + i, n);
        store<T>(y + begin + i, g / (expOf<T>(-g) + T(1)) * load(up + begin + i, n), n);
    });
}

template <class T>
LANES_INLINE void swiGluGradRange(const T* dy, const T* gate, const T* up, T* dGate, T* dUp, std::int64_t begin,
                                  std::int64_t end) {
    eachLane<T>(end - begin, [&](std::int64_t i, std::int64_t n) LANES_LAMBDA {
        const Lane<T> g = load(gate + begin + i, n), d = load(dy + begin + i, n);
        const Lane<T> s = T(1) / (expOf<T>(-g) + T(1));
        store<T>(dUp + begin + i, d * g * s, n);
        store<T>(dGate + begin + i, d * load(up + begin + i, n) * s * (g * (T(1) - s) + T(1)), n);
    });
}

// ---- (x1, x2) -> (x1 cos - x2 sin, x2 cos + x1 sin) for each head of each position
struct RotateShape {
    std::int64_t batch, heads, half;
    std::int64_t strides[3];  // of positions, sequences, heads
};

template <class T>
LANES_INLINE void rotatePositions(const T* x, const T* cos, const T* sin, T direction, T* y, const RotateShape& shape,
                                  std::int64_t begin, std::int64_t end) {
    const std::int64_t half = shape.half;
    for (std::int64_t s = begin; s < end; ++s)
        for (std::int64_t b = 0; b < shape.batch; ++b)
            for (std::int64_t h = 0; h < shape.heads; ++h) {
                const T* in = x + s * shape.strides[0] + b * shape.strides[1] + h * shape.strides[2];
                T* out = y + ((s * shape.batch + b) * shape.heads + h) * 2 * half;
                eachLane<T>(half, [&](std::int64_t i, std::int64_t n) LANES_LAMBDA {
                    const Lane<T> c = load(cos + s * half + i, n), t = load(sin + s * half + i, n) * direction;
                    const Lane<T> first = load(in + i, n), second = load(in + half + i, n);
                    store<T>(out + i, first * c - second * t, n);
                    store<T>(out + half + i, second * c + first * t, n);
                });
            }
}

// ---- cross-entropy
template <class T>
LANES_INLINE void maximaRows(const T* logits, T* maxima, std::int64_t width, std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
        const T* in = logits + row * width;
        Lane<T> most = Lane<T>{} + in[0];
        eachLane<T>(width, [&](std::int64_t i, std::int64_t n) LANES_LAMBDA {
            Lane<T> v = load(in + i, n);
            for (std::int64_t k = n; k < kLanes<T>; ++k) v[k] = in[0];
            most = ((v < most) | (most != most)) != 0 ? most : v;  // a NaN is taken over and stays
        });
        T best = most[0];
        for (std::int64_t k = 1; k < kLanes<T>; ++k) best = most[k] < best || best != best ? best : most[k];
        maxima[row] = best;
    }
}

template <class T>
LANES_INLINE void expSumRows(const T* logits, const T* maxima, T* sums, std::int64_t width, std::int64_t begin,
                             std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
        const T* in = logits + row * width;
        Lane<T> total{};
        eachLane<T>(width, [&](std::int64_t i, std::int64_t n) LANES_LAMBDA {
            Lane<T> e = expOf<T>(load(in + i, n) - maxima[row]);
            for (std::int64_t k = n; k < kLanes<T>; ++k) e[k] = 0;
            total += e;
        });
        sums[row] = sumOf<T>(total);
    }
}

template <class T>
LANES_INLINE void probabilityRows(T* logits, const T* logSumExp, const std::int64_t* targets, std::int64_t firstId,
                                  T scale, std::int64_t width, std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
        T* out = logits + row * width;
        if (targets[row] == kIgnoredTarget) {
            std::fill(out, out + width, T(0));
            continue;
        }
        eachLane<T>(width, [&](std::int64_t i, std::int64_t n) LANES_LAMBDA {
            store<T>(out + i, expOf<T>(load(out + i, n) - logSumExp[row]) * scale, n);
        });
        const std::int64_t local = targets[row] - firstId;
        if (local >= 0 && local < width) out[local] -= scale;
    }
}

// One function per format: the compiler creates a clone of each for every vector width, and the right one is chosen at
// program start.
#define SLIPWAY_FOR_BOTH(T)                                                                                            \
    LANES_CLONES void rms(const T* x, const T* w, T eps, T* y, T* r, std::int64_t h, std::int64_t b, std::int64_t e) { \
        rmsRows<T>(x, w, eps, y, r, h, b, e);                                                                          \
    }                                                                                                                  \
    LANES_CLONES void residualRms(T* z, const T* x, const T* w, T eps, T* y, T* r, std::int64_t h, std::int64_t b,     \
                                  std::int64_t e) {                                                                    \
        residualRmsRows<T>(z, x, w, eps, y, r, h, b, e);                                                               \
    }                                                                                                                  \
    LANES_CLONES void rmsGrad(const T* dy, const T* x, const T* w, const T* r, const T* more, T* dx, std::int64_t h,   \
                              std::int64_t b, std::int64_t e) {                                                        \
        rmsGradRows<T>(dy, x, w, r, more, dx, h, b, e);                                                                \
    }                                                                                                                  \
    LANES_CLONES void rmsWeight(const T* dy, const T* x, const T* r, T* sums, T* block, std::int64_t rows,             \
                                std::int64_t h, std::int64_t b, std::int64_t e) {                                      \
        rmsWeightColumns<T>(dy, x, r, sums, block, rows, h, b, e);                                                     \
    }                                                                                                                  \
    LANES_CLONES void swiGluPart(const T* g, const T* u, T* y, std::int64_t b, std::int64_t e) {                       \
        swiGluRange<T>(g, u, y, b, e);                                                                                 \
    }                                                                                                                  \
    LANES_CLONES void swiGluGradPart(const T* dy, const T* g, const T* u, T* dg, T* du, std::int64_t b,                \
                                     std::int64_t e) {                                                                 \
        swiGluGradRange<T>(dy, g, u, dg, du, b, e);                                                                    \
    }                                                                                                                  \
    LANES_CLONES void rotatePart(const T* x, const T* c, const T* s, T way, T* y, const RotateShape& shape,            \
                                 std::int64_t b, std::int64_t e) {                                                     \
        rotatePositions<T>(x, c, s, way, y, shape, b, e);                                                              \
    }                                                                                                                  \
    LANES_CLONES void maxima(const T* x, T* m, std::int64_t h, std::int64_t b, std::int64_t e) {                       \
        maximaRows<T>(x, m, h, b, e);                                                                                  \
    }                                                                                                                  \
    LANES_CLONES void expSums(const T* x, const T* m, T* s, std::int64_t h, std::int64_t b, std::int64_t e) {          \
        expSumRows<T>(x, m, s, h, b, e);                                                                               \
    }                                                                                                                  \
    LANES_CLONES void probabilities(T* x, const T* l, const std::int64_t* t, std::int64_t first, T scale,              \
                                    std::int64_t h, std::int64_t b, std::int64_t e) {                                  \
        probabilityRows<T>(x, l, t, first, scale, h, b, e);                                                            \
    }
SLIPWAY_FOR_BOTH(float)
SLIPWAY_FOR_BOTH(double)
#undef SLIPWAY_FOR_BOTH

// Calls f with a value of the tensor's format.
template <class F>
void inFormatOf(const at::Tensor& x, F&& f) {
    if (x.scalar_type() == at::kFloat)
        f(float{});
    else
        f(double{});
}

constexpr std::int64_t kGrain = 16384;  // elements below which a second thread does not pay off

// f(begin, end) over [0, rows) in libtorch's threads.
template <class F>
void eachRow(std::int64_t rows, std::int64_t width, F&& f) {
    at::parallel_for(0, rows, std::max<std::int64_t>(1, kGrain / std::max<std::int64_t>(1, width)),
                     [&](std::int64_t begin, std::int64_t end) { f(begin, end); });
}

std::int64_t rowsOf(const at::Tensor& x) {
    return x.size(-1) > 0 ? x.numel() / x.size(-1) : 0;
}

at::IntArrayRef withoutLast(const at::Tensor& x) {
    return x.sizes().slice(0, x.sizes().size() - 1);
}

}  // namespace

bool isFusable(const at::Tensor& x) {
    if (PlainKernels::ofRows()) return false;
    if (x.is_cuda()) return hasDeviceRows(x);
    return x.is_cpu() && x.is_contiguous() && (x.scalar_type() == at::kFloat || x.scalar_type() == at::kDouble);
}

bool isRotatable(const at::Tensor& x, const at::Tensor& cos) {
    if (PlainKernels::ofRows() || x.stride(-1) != 1 || x.device() != cos.device() || !cos.is_contiguous()) return false;
    return cos.scalar_type() == sumType(x) && (x.is_cpu() ? cos.scalar_type() == x.scalar_type() : hasDeviceRows(cos));
}

at::Tensor fusedRmsNorm(const at::Tensor& x, const at::Tensor& weight, double eps, at::Tensor& rstd) {
    if (x.is_cuda()) return deviceRmsNorm(x, weight, eps, rstd);
    const std::int64_t width = x.size(-1);
    rstd = at::empty(withoutLast(x), x.options()).unsqueeze(-1);
    at::Tensor y = at::empty_like(x);
    inFormatOf(x, [&]<class T>(T) {
        eachRow(rowsOf(x), width, [&](std::int64_t begin, std::int64_t end) {
            rms(x.const_data_ptr<T>(), weight.const_data_ptr<T>(), static_cast<T>(eps), y.mutable_data_ptr<T>(),
                rstd.mutable_data_ptr<T>(), width, begin, end);
        });
    });
    return y;
}

at::Tensor fusedResidualRmsNorm(const at::Tensor& branch, const at::Tensor& given, const at::Tensor& weight, double eps,
                                at::Tensor& rstd) {
    if (branch.is_cuda()) return deviceResidualRmsNorm(branch, given, weight, eps, rstd);
    const at::Tensor x = given.contiguous();
    const std::int64_t width = branch.size(-1);
    rstd = at::empty(withoutLast(branch), branch.options()).unsqueeze(-1);
    at::Tensor y = at::empty_like(branch);
    inFormatOf(branch, [&]<class T>(T) {
        eachRow(rowsOf(branch), width, [&](std::int64_t begin, std::int64_t end) {
            residualRms(branch.mutable_data_ptr<T>(), x.const_data_ptr<T>(), weight.const_data_ptr<T>(),
                        static_cast<T>(eps), y.mutable_data_ptr<T>(), rstd.mutable_data_ptr<T>(), width, begin, end);
        });
    });
    return y;
}

at::Tensor fusedRmsNormInputGrad(const at::Tensor& given, const at::Tensor& x, const at::Tensor& weight,
                                 const at::Tensor& rstd, const at::Tensor& residual) {
    if (x.is_cuda()) return deviceRmsNormInputGrad(given, x, weight, rstd, residual);
    const at::Tensor dy = given.contiguous(), more = residual.defined() ? residual.contiguous() : residual;
    at::Tensor dx = at::empty_like(x);
    inFormatOf(x, [&]<class T>(T) {
        eachRow(rowsOf(x), x.size(-1), [&](std::int64_t begin, std::int64_t end) {
            rmsGrad(dy.const_data_ptr<T>(), x.const_data_ptr<T>(), weight.const_data_ptr<T>(), rstd.const_data_ptr<T>(),
                    more.defined() ? more.const_data_ptr<T>() : nullptr, dx.mutable_data_ptr<T>(), x.size(-1), begin,
                    end);
        });
    });
    return dx;
}

void fusedRmsNormWeightGrad(at::Tensor& weightGrad, const at::Tensor& given, const at::Tensor& x,
                            const at::Tensor& rstd) {
    if (x.is_cuda()) return deviceRmsNormWeightGrad(weightGrad, given, x, rstd);
    const at::Tensor dy = given.contiguous();
    const std::int64_t width = x.size(-1), rows = rowsOf(x);
    inFormatOf(x, [&]<class T>(T) {
        eachRow(width, rows, [&](std::int64_t begin, std::int64_t end) {
            std::vector<T> block(static_cast<std::size_t>(end - begin));
            rmsWeight(dy.const_data_ptr<T>(), x.const_data_ptr<T>(), rstd.const_data_ptr<T>(),
                      weightGrad.mutable_data_ptr<T>(), block.data(), rows, width, begin, end);
        });
    });
}

at::Tensor fusedSwiGlu(const at::Tensor& gate, const at::Tensor& up) {
    if (gate.is_cuda()) return deviceSwiGlu(gate, up);
    at::Tensor y = at::empty_like(gate);
    inFormatOf(gate, [&]<class T>(T) {
        eachRow(gate.numel(), 1, [&](std::int64_t begin, std::int64_t end) {
            swiGluPart(gate.const_data_ptr<T>(), up.const_data_ptr<T>(), y.mutable_data_ptr<T>(), begin, end);
        });
    });
    return y;
}

std::pair<at::Tensor, at::Tensor> fusedSwiGluGrad(const at::Tensor& dy, const at::Tensor& gate, const at::Tensor& up) {
    if (gate.is_cuda()) return deviceSwiGluGrad(dy, gate, up);
    std::pair<at::Tensor, at::Tensor> grads{at::empty_like(gate), at::empty_like(gate)};
    inFormatOf(gate, [&]<class T>(T) {
        eachRow(gate.numel(), 1, [&](std::int64_t begin, std::int64_t end) {
            swiGluGradPart(dy.const_data_ptr<T>(), gate.const_data_ptr<T>(), up.const_data_ptr<T>(),
                           grads.first.mutable_data_ptr<T>(), grads.second.mutable_data_ptr<T>(), begin, end);
        });
    });
    return grads;
}

at::Tensor fusedRotate(const at::Tensor& x, const at::Tensor& cos, const at::Tensor& sin, double direction) {
    if (x.is_cuda()) return deviceRotate(x, cos, sin, direction);
    at::Tensor y = at::empty(x.sizes(), x.options());
    const RotateShape shape{x.size(1), x.size(2), x.size(3) / 2, {x.stride(0), x.stride(1), x.stride(2)}};
    inFormatOf(x, [&]<class T>(T) {
        eachRow(x.size(0), x.size(1) * x.size(2) * x.size(3), [&](std::int64_t begin, std::int64_t end) {
            rotatePart(x.const_data_ptr<T>(), cos.const_data_ptr<T>(), sin.const_data_ptr<T>(),
                       static_cast<T>(direction), y.mutable_data_ptr<T>(), shape, begin, end);
        });
    });
    return y;
}

at::Tensor fusedRowMaxima(const at::Tensor& logits) {
    if (logits.is_cuda()) return deviceRowMaxima(logits);
    at::Tensor most = at::empty(withoutLast(logits), logits.options());
    inFormatOf(logits, [&]<class T>(T) {
        eachRow(rowsOf(logits), logits.size(-1), [&](std::int64_t begin, std::int64_t end) {
            maxima(logits.const_data_ptr<T>(), most.mutable_data_ptr<T>(), logits.size(-1), begin, end);
        });
    });
    return most;
}

at::Tensor fusedCrossEntropySums(const at::Tensor& logits, const at::Tensor& targets, const at::Tensor& most,
                                 std::int64_t firstId) {
    if (logits.is_cuda()) return deviceCrossEntropySums(logits, targets, most, firstId);
    const at::Tensor ids = targets.contiguous();
    const std::int64_t rows = rowsOf(logits), width = logits.size(-1);
    at::Tensor sums = at::empty({2, rows}, logits.options());
    inFormatOf(logits, [&]<class T>(T) {
        T* exponentials = sums.mutable_data_ptr<T>();
        eachRow(rows, width, [&](std::int64_t begin, std::int64_t end) {
            const T* maximum = most.const_data_ptr<T>();
            expSums(logits.const_data_ptr<T>(), maximum, exponentials, width, begin, end);
            for (std::int64_t row = begin; row < end; ++row) {
                const std::int64_t local = ids.const_data_ptr<std::int64_t>()[row] - firstId;
                const bool here = local >= 0 && local < width;
                exponentials[rows + row] = here ? logits.const_data_ptr<T>()[row * width + local] - maximum[row] : T(0);
            }
        });
    });
    return sums.unflatten(1, withoutLast(logits));
}

void fusedCrossEntropyGrad(const at::Tensor& logits, const at::Tensor& targets, const at::Tensor& logSumExp,
                           std::int64_t firstId, double scale) {
    if (logits.is_cuda()) return deviceCrossEntropyGrad(logits, targets, logSumExp, firstId, scale);
    const at::Tensor ids = targets.contiguous();
    inFormatOf(logits, [&]<class T>(T) {
        eachRow(rowsOf(logits), logits.size(-1), [&](std::int64_t begin, std::int64_t end) {
            probabilities(logits.mutable_data_ptr<T>(), logSumExp.const_data_ptr<T>(),
                          ids.const_data_ptr<std::int64_t>(), firstId, static_cast<T>(scale), logits.size(-1), begin,
                          end);
        });
    });
}

}  // namespace slipway::trainer
