#include "tests/trainer/kernels/host_rows.h"

#include "trainer/kernels/embedding.h"
#include "trainer/kernels/row_programs.h"
#include "trainer/kernels/update_program.h"

#include <array>
#include <barrier>
#include <thread>
#include <vector>

namespace slipway::trainer {
namespace {

constexpr int kLanes = 3;

// A block of threads, whose sums meet at barriers as those of a GPU's block do.
template <class S>
struct ThreadLanes {
    struct Meeting {
        std::barrier<> barrier{kLanes};
        std::array<S, kLanes> values{};
    };
    int lane;
    Meeting& meeting;
    [[nodiscard]] std::int64_t rank() const { return lane; }
    [[nodiscard]] std::int64_t size() const { return kLanes; }
    template <class Both>
    S reduce(S value, Both both) {
        meeting.values[static_cast<std::size_t>(lane)] = value;
        meeting.barrier.arrive_and_wait();
        S result = meeting.values[0];
        for (std::size_t i = 1; i < kLanes; ++i) result = both(result, meeting.values[i]);
        meeting.barrier.arrive_and_wait();
        return result;
    }
    S sum(S value) {
        return reduce(value, [](S a, S b) { return a + b; });
    }
    S max(S value) {
        return reduce(value, [](S a, S b) { return a >= b || a != a ? a : b; });
    }
};

// f(lanes, row) for each row, by all lanes.
template <class T, class F>
void eachRow(std::int64_t rows, F f) {
    typename ThreadLanes<Sum<T>>::Meeting meeting;
    std::vector<std::thread> threads;
    for (int lane = 0; lane < kLanes; ++lane)
        threads.emplace_back([&, lane] {
            ThreadLanes<Sum<T>> lanes{lane, meeting};
            for (std::int64_t row = 0; row < rows; ++row) f(lanes, row);
        });
    for (std::thread& thread : threads) thread.join();
}

template <class F>
void inFormat(RowFormat format, F&& f) {
    switch (format) {
        case RowFormat::Fp32: return f(float{});
        case RowFormat::Fp64: return f(double{});
        case RowFormat::Bf16: return f(c10::BFloat16{});
        case RowFormat::Fp16: return f(c10::Half{});
    }
}

template <class T>
const T* in(const void* p) {
    return static_cast<const T*>(p);
}
template <class T>
T* out(void* p) {
    return static_cast<T*>(p);
}

// f with values of the weights', the gradients' and the moments' types.
template <class F>
void inUpdateFormats(const UpdateFormats& formats, F&& f) {
    inFormat(formats.weights, [&]<class W>(W w) {
        const auto moments = [&]<class G>(G g) {
            if (formats.narrowMoments)
                f(w, g, c10::BFloat16{});
            else
                f(w, g, Sum<W>{});
        };
        if (formats.narrowGradients)
            moments(c10::BFloat16{});
        else
            moments(Sum<W>{});
    });
}

CudaRows programs() {
    CudaRows rows{};
    rows.rmsNorm = [](RowFormat format, const void* x, const void* w, double eps, void* y, void* rstd, std::int64_t n,
                      std::int64_t h, void*) {
        inFormat(format, [&]<class T>(T) {
            eachRow<T>(n, [&](auto& lanes, std::int64_t row) {
                rmsRow<T>(lanes, in<T>(x) + row * h, in<T>(w), static_cast<Sum<T>>(eps), out<T>(y) + row * h,
                          out<Sum<T>>(rstd) + row, h);
            });
        });
        return hostRows().refusal;
    };
    rows.residualRmsNorm = [](RowFormat format, void* branch, const void* x, const void* w, double eps, void* y,
                              void* rstd, std::int64_t n, std::int64_t h, void*) {
        inFormat(format, [&]<class T>(T) {
            eachRow<T>(n, [&](auto& lanes, std::int64_t row) {
                residualRmsRow<T>(lanes, out<T>(branch) + row * h, in<T>(x) + row * h, in<T>(w),
                                  static_cast<Sum<T>>(eps), out<T>(y) + row * h, out<Sum<T>>(rstd) + row, h);
            });
        });
        return hostRows().refusal;
    };
    rows.rmsNormInputGrad = [](RowFormat format, const void* dy, const void* x, const void* w, const void* rstd,
                               const void* residual, void* dx, std::int64_t n, std::int64_t h, void*) {
        inFormat(format, [&]<class T>(T) {
            eachRow<T>(n, [&](auto& lanes, std::int64_t row) {
                rmsGradRow<T>(lanes, in<T>(dy) + row * h, in<T>(x) + row * h, in<T>(w), in<Sum<T>>(rstd)[row],
                              residual == nullptr ? nullptr : in<T>(residual) + row * h, out<T>(dx) + row * h, h);
            });
        });
        return hostRows().refusal;
    };
    rows.rmsNormWeightGrad = [](RowFormat format, const void* dy, const void* x, const void* rstd, void* partial,
                                void* sums, std::int64_t n, std::int64_t h, void*) {
        inFormat(format, [&]<class T>(T) {
            using S = Sum<T>;
            const std::int64_t chunks = (n + kRowsOfAChunk - 1) / kRowsOfAChunk;
            for (std::int64_t chunk = 0; chunk < chunks; ++chunk)
                for (std::int64_t column = 0; column < h; ++column)
                    out<S>(partial)[chunk * h + column] =
                        rmsWeightColumn<T>(in<T>(dy), in<T>(x), in<S>(rstd), column, h, chunk * kRowsOfAChunk,
                                           std::min(n, (chunk + 1) * kRowsOfAChunk));
            for (std::int64_t chunk = 0; chunk < chunks; ++chunk)
                for (std::int64_t column = 0; column < h; ++column)
                    out<S>(sums)[column] += in<S>(partial)[chunk * h + column];
        });
        return hostRows().refusal;
    };
    rows.swiGlu = [](RowFormat format, const void* gate, const void* up, void* y, std::int64_t n, void*) {
        inFormat(format, [&]<class T>(T) {
            for (std::int64_t i = 0; i < n; ++i) out<T>(y)[i] = swiGluOf<T>(in<T>(gate)[i], in<T>(up)[i]);
        });
        return hostRows().refusal;
    };
    rows.swiGluGrad = [](RowFormat format, const void* dy, const void* gate, const void* up, void* dGate, void* dUp,
                         std::int64_t n, void*) {
        inFormat(format, [&]<class T>(T) {
            for (std::int64_t i = 0; i < n; ++i)
                swiGluGradOf<T>(in<T>(dy)[i], in<T>(gate)[i], in<T>(up)[i], out<T>(dGate)[i], out<T>(dUp)[i]);
        });
        return hostRows().refusal;
    };
    rows.rotate = [](RowFormat format, const void* x, const void* cos, const void* sin, double direction, void* y,
                     std::int64_t positions, const RotateStrides& z, void*) {
        inFormat(format, [&]<class T>(T) {
            using S = Sum<T>;
            eachRow<T>(positions * z.batch * z.heads, [&](auto& lanes, std::int64_t one) {
                const std::int64_t h = one % z.heads, b = one / z.heads % z.batch, s = one / z.heads / z.batch;
                rotateRow<T>(lanes, in<T>(x) + s * z.strides[0] + b * z.strides[1] + h * z.strides[2],
                             in<S>(cos) + s * z.half, in<S>(sin) + s * z.half, static_cast<S>(direction),
                             out<T>(y) + one * 2 * z.half, z.half);
            });
        });
        return hostRows().refusal;
    };
    rows.rowMaxima = [](RowFormat format, const void* logits, void* maxima, std::int64_t n, std::int64_t v, void*) {
        inFormat(format, [&]<class T>(T) {
            eachRow<T>(n, [&](auto& lanes, std::int64_t row) {
                maximumRow<T>(lanes, in<T>(logits) + row * v, out<Sum<T>>(maxima) + row, v);
            });
        });
        return hostRows().refusal;
    };
    rows.crossEntropySums = [](RowFormat format, const void* logits, const std::int64_t* targets, const void* maxima,
                               std::int64_t firstId, void* sums, std::int64_t n, std::int64_t v, void*) {
        inFormat(format, [&]<class T>(T) {
            using S = Sum<T>;
            eachRow<T>(n, [&](auto& lanes, std::int64_t row) {
                expSumRow<T>(lanes, in<T>(logits) + row * v, in<S>(maxima)[row], targets[row] - firstId,
                             out<S>(sums) + row, out<S>(sums) + n + row, v);
            });
        });
        return hostRows().refusal;
    };
    rows.crossEntropyGrad = [](RowFormat format, void* logits, const std::int64_t* targets, const void* logSumExp,
                               std::int64_t firstId, double scale, std::int64_t n, std::int64_t v, void*) {
        inFormat(format, [&]<class T>(T) {
            using S = Sum<T>;
            eachRow<T>(n, [&](auto& lanes, std::int64_t row) {
                probabilityRow<T>(lanes, out<T>(logits) + row * v, in<S>(logSumExp)[row], targets[row] - firstId,
                                  targets[row] == kIgnoredTarget, static_cast<S>(scale), v);
            });
        });
        return hostRows().refusal;
    };
    rows.sumOfSquares = [](UpdateFormats formats, const SquaresSegment* table, std::int64_t segments,
                           std::int64_t chunks, double* partial, double* sum, void*) {
        inUpdateFormats(formats, [&]<class W, class G, class M>(W, G, M) {
            eachRow<double>(chunks, [&](auto& lanes, std::int64_t chunk) {
                squaresChunk<G>(lanes, segmentOf(table, segments, chunk), chunk, partial);
            });
        });
        eachRow<double>(1, [&](auto& lanes, std::int64_t) { addPartials(lanes, partial, chunks, sum); });
        return hostRows().refusal;
    };
    rows.stepFactors = [](const double* squares, std::int64_t ranks, double lossScale, double clipNorm,
                          const double* loss, double* factors, void*) {
        findFactors(squares, ranks, lossScale, clipNorm, loss, factors);
        return hostRows().refusal;
    };
    rows.adamW = [](UpdateFormats formats, const UpdateSegment* table, std::int64_t segments, std::int64_t chunks,
                    const AdamScalars& scalars, const double* factors, void*) {
        inUpdateFormats(formats, [&]<class W, class G, class M>(W, G, M) {
            eachRow<W>(chunks, [&](auto& lanes, std::int64_t chunk) {
                adamChunk<W, G, M>(lanes, segmentOf(table, segments, chunk), chunk, scalars, factors);
            });
        });
        ++hostRows().updates;
        return hostRows().refusal;
    };
    return rows;
}

}  // namespace

HostRows& hostRows() {
    static HostRows rows{.rows = programs()};
    return rows;
}

const CudaRows* cudaRows() {
    return &hostRows().rows;
}

}  // namespace slipway::trainer
