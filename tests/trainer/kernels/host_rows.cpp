#include "tests/trainer/kernels/host_rows.h"

#include "trainer/kernels/embedding.h"
#include "trainer/kernels/fp8_program.h"
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
    void meet() { meeting.barrier.arrive_and_wait(); }
    void raise(float* place, float value) { *place = largerOf(*place, value); }  // no two lanes share a place
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
            inPacks(wholePacks<T>(h, {x, w, y}), [&](auto whole) {
                eachRow<T>(n, [&](auto& lanes, std::int64_t row) {
                    rmsRow<T, whole>(lanes, in<T>(x) + row * h, in<T>(w), static_cast<Sum<T>>(eps), out<T>(y) + row * h,
                                     out<Sum<T>>(rstd) + row, h);
                });
            });
        });
        return hostRows().refusal;
    };
    rows.residualRmsNorm = [](RowFormat format, void* branch, const void* x, const void* w, double eps, void* y,
                              void* rstd, std::int64_t n, std::int64_t h, void*) {
        inFormat(format, [&]<class T>(T) {
            inPacks(wholePacks<T>(h, {branch, x, w, y}), [&](auto whole) {
                eachRow<T>(n, [&](auto& lanes, std::int64_t row) {
                    residualRmsRow<T, whole>(lanes, out<T>(branch) + row * h, in<T>(x) + row * h, in<T>(w),
                                             static_cast<Sum<T>>(eps), out<T>(y) + row * h, out<Sum<T>>(rstd) + row, h);
                });
            });
        });
        return hostRows().refusal;
    };
    rows.rmsNormInputGrad = [](RowFormat format, const void* dy, const void* x, const void* w, const void* rstd,
                               const void* residual, void* dx, std::int64_t n, std::int64_t h, void*) {
        inFormat(format, [&]<class T>(T) {
            inPacks(wholePacks<T>(h, {dy, x, w, residual, dx}), [&](auto whole) {
                eachRow<T>(n, [&](auto& lanes, std::int64_t row) {
                    rmsGradRow<T, whole>(
                        lanes, in<T>(dy) + row * h, in<T>(x) + row * h, in<T>(w), in<Sum<T>>(rstd)[row],
                        residual == nullptr ? nullptr : in<T>(residual) + row * h, out<T>(dx) + row * h, h);
                });
            });
        });
        return hostRows().refusal;
    };
    rows.rmsNormWeightGrad = [](RowFormat format, const void* dy, const void* x, const void* rstd, void* partial,
                                void* sums, std::int64_t n, std::int64_t h, void*) {
        inFormat(format, [&]<class T>(T) {
            using S = Sum<T>;
            const std::int64_t chunks = (n + kRowsOfAChunk - 1) / kRowsOfAChunk;
            inPacks(wholePacks<T>(h, {dy, x}), [&](auto whole) {
                for (std::int64_t chunk = 0; chunk < chunks; ++chunk)
                    for (std::int64_t column = 0; column < h; column += kPack<T>)
                        rmsWeightColumns<T, whole>(in<T>(dy), in<T>(x), in<S>(rstd), out<S>(partial) + chunk * h,
                                                   column, h, chunk * kRowsOfAChunk,
                                                   std::min(n, (chunk + 1) * kRowsOfAChunk));
            });
            for (std::int64_t column = 0; column < h; ++column)
                for (std::int64_t lane = 0; lane < kChunkLanes; ++lane)
                    out<S>(sums)[column] += chunkShare(in<S>(partial), column, h, chunks, lane);
        });
        return hostRows().refusal;
    };
    rows.swiGlu = [](RowFormat format, const void* gate, const void* up, void* y, std::int64_t n, void*) {
        inFormat(format, [&]<class T>(T) {
            inPacks(wholePacks<T>(n, {gate, up, y}), [&](auto whole) {
                eachRow<T>(1, [&](auto& lanes, std::int64_t) {
                    eachPack<T, whole>(lanes, n, [&](std::int64_t i, std::int64_t length) {
                        swiGluPack<T, whole>(in<T>(gate) + i, in<T>(up) + i, out<T>(y) + i, length);
                    });
                });
            });
        });
        return hostRows().refusal;
    };
    rows.swiGluGrad = [](RowFormat format, const void* dy, const void* gate, const void* up, void* dGate, void* dUp,
                         std::int64_t n, void*) {
        inFormat(format, [&]<class T>(T) {
            inPacks(wholePacks<T>(n, {dy, gate, up, dGate, dUp}), [&](auto whole) {
                eachRow<T>(1, [&](auto& lanes, std::int64_t) {
                    eachPack<T, whole>(lanes, n, [&](std::int64_t i, std::int64_t length) {
                        swiGluGradPack<T, whole>(in<T>(dy) + i, in<T>(gate) + i, in<T>(up) + i, out<T>(dGate) + i,
                                                 out<T>(dUp) + i, length);
                    });
                });
            });
        });
        return hostRows().refusal;
    };
    rows.rotate = [](RowFormat format, const void* x, const void* cos, const void* sin, double direction, void* y,
                     std::int64_t positions, const RotateStrides& z, void*) {
        inFormat(format, [&]<class T>(T) {
            using S = Sum<T>;
            inPacks(wholeHeads<T>(z, {x, cos, sin, y}), [&](auto whole) {
                eachRow<T>(positions * z.batch * z.heads, [&](auto& lanes, std::int64_t one) {
                    rotateHead<T, whole>(lanes, in<T>(x), in<S>(cos), in<S>(sin), static_cast<S>(direction), out<T>(y),
                                         z, one);
                });
            });
        });
        return hostRows().refusal;
    };
    rows.rowMaxima = [](RowFormat format, const void* logits, void* maxima, std::int64_t n, std::int64_t v, void*) {
        inFormat(format, [&]<class T>(T) {
            inPacks(wholePacks<T>(v, {logits}), [&](auto whole) {
                eachRow<T>(n, [&](auto& lanes, std::int64_t row) {
                    maximumRow<T, whole>(lanes, in<T>(logits) + row * v, out<Sum<T>>(maxima) + row, v);
                });
            });
        });
        return hostRows().refusal;
    };
    rows.crossEntropySums = [](RowFormat format, const void* logits, const std::int64_t* targets, const void* maxima,
                               std::int64_t firstId, void* sums, std::int64_t n, std::int64_t v, void*) {
        inFormat(format, [&]<class T>(T) {
            using S = Sum<T>;
            inPacks(wholePacks<T>(v, {logits}), [&](auto whole) {
                eachRow<T>(n, [&](auto& lanes, std::int64_t row) {
                    expSumRow<T, whole>(lanes, in<T>(logits) + row * v, in<S>(maxima)[row], targets[row] - firstId,
                                        out<S>(sums) + row, out<S>(sums) + n + row, v);
                });
            });
        });
        return hostRows().refusal;
    };
    rows.crossEntropyGrad = [](RowFormat format, void* logits, const std::int64_t* targets, const void* logSumExp,
                               std::int64_t firstId, double scale, std::int64_t n, std::int64_t v, void*) {
        inFormat(format, [&]<class T>(T) {
            using S = Sum<T>;
            inPacks(wholePacks<T>(v, {logits}), [&](auto whole) {
                eachRow<T>(n, [&](auto& lanes, std::int64_t row) {
                    probabilityRow<T, whole>(lanes, out<T>(logits) + row * v, in<S>(logSumExp)[row],
                                             targets[row] - firstId, targets[row] == kIgnoredTarget,
                                             static_cast<S>(scale), v);
                });
            });
        });
        return hostRows().refusal;
    };
    rows.fp8Largest = [](RowFormat format, const void* x, LargestOf of, float* largest, std::int64_t n, std::int64_t k,
                         void*) {
        inFormat(format, [&]<class T>(T) {
            inPacks(wholePacks<T>(k, {x}), [&](auto whole) {
                if (of == LargestOf::Columns)
                    return eachRow<float>(2, [&](auto& lanes, std::int64_t half) {
                        for (std::int64_t i = lanes.rank() * kPack<T>; i < k; i += lanes.size() * kPack<T>)
                            largestOfColumns<T, whole>(lanes, in<T>(x), i, k, half * (n / 2), half == 0 ? n / 2 : n,
                                                       largest);
                    });
                const std::int64_t segment = of == LargestOf::Rows ? k : kLargestSegment;
                eachRow<float>((n * k + segment - 1) / segment, [&](auto& lanes, std::int64_t i) {
                    largestOfSegment<T, whole>(lanes, in<T>(x) + i * segment, std::min(segment, n * k - i * segment),
                                               largest + (of == LargestOf::Rows ? i : 0));
                });
            });
        });
        return hostRows().refusal;
    };
    rows.fp8Values = [](RowFormat format, const void* x, const Fp8Output& byRow, const Fp8Output& byColumn,
                        bool wideRange, std::int64_t n, std::int64_t k, void*) {
        inFormat(format, [&]<class T>(T) {
            inPacks(wholeTiles<T>(n, k, x, byRow, byColumn), [&](auto whole) {
                const auto tiles = [&]<class Q>(Q) {
                    static Q turned[kFp8Tile][kFp8Tile + kFp8Gap];
                    const auto parts = [](std::int64_t size) { return (size + kFp8Tile - 1) / kFp8Tile; };
                    eachRow<float>(parts(n) * parts(k), [&](auto& lanes, std::int64_t tile) {
                        fp8TileOf<T, Q, whole>(lanes, in<T>(x), byRow, byColumn, fp8Most(wideRange), n, k, tile,
                                               turned);
                        lanes.meet();  // the next tile takes the same memory
                    });
                };
                wideRange ? tiles(c10::Float8_e5m2{}) : tiles(c10::Float8_e4m3fn{});
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
