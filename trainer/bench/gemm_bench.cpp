#include "trainer/bench/gemm_bench.h"

#include "core/base/clock.h"

#include <ATen/Parallel.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/randn.h>

#include <algorithm>
#include <set>
#include <thread>

namespace slipway::trainer {
namespace {

struct Shape {
    at::ScalarType type;
    const char* precision;
    std::int64_t size;
};
// bf16 is small because CPUs without bf16 instructions are a hundred times slower with it.
constexpr Shape kShapes[] = {{at::kFloat, "fp32", 512},    {at::kFloat, "fp32", 1024},  {at::kFloat, "fp32", 1536},
                             {at::kDouble, "fp64", 512},   {at::kDouble, "fp64", 1024}, {at::kBFloat16, "bf16", 256},
                             {at::kBFloat16, "bf16", 1024}};

double medianOf(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

// The median of a window, best of five: other programs come and go, the machine's peak does not.
double secondsOf(const Shape& shape, double budgetSeconds, double slowestSeconds) {
    constexpr int kWindows = 5;
    const at::Tensor a = at::randn({shape.size, shape.size}, at::TensorOptions().dtype(at::kFloat)).to(shape.type);
    const at::Tensor b = at::randn({shape.size, shape.size}, at::TensorOptions().dtype(at::kFloat)).to(shape.type);
    at::Tensor out = at::mm(a, b);  // warm-up: threads start, pages are mapped
    double begin = monotonicSecondsNow();
    at::mm_out(out, a, b);
    const double once = monotonicSecondsNow() - begin;
    if (once > slowestSeconds) return once;
    double best = once;
    for (int window = 0; window < kWindows; ++window) {
        std::vector<double> seconds;
        const double end = monotonicSecondsNow() + budgetSeconds / kWindows;
        while (seconds.size() < 3 || monotonicSecondsNow() < end) {
            begin = monotonicSecondsNow();
            at::mm_out(out, a, b);
            seconds.push_back(monotonicSecondsNow() - begin);
        }
        best = std::min(best, medianOf(std::move(seconds)));
    }
    return best;
}

}  // namespace

std::map<std::string, double> GemmReport::peakFlops(std::int64_t numThreads) const {
    std::map<std::string, double> peaks;
    for (const GemmSample& sample : samples)
        if (sample.threads == numThreads) peaks[sample.precision] = std::max(peaks[sample.precision], sample.flops());
    return peaks;
}

GemmReport measureGemm(double secondsPerShape) {
    GemmReport report;
    report.threads = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::thread::hardware_concurrency()));
    for (const std::int64_t threads : std::set<std::int64_t>{1, report.threads}) {
        at::set_num_threads(static_cast<int>(threads));
        bool slow = false;
        for (const Shape& shape : kShapes) {
            if (shape.type == at::kBFloat16 && shape.size > 256 && slow) continue;
            GemmSample sample{shape.precision, threads, shape.size,
                              secondsOf(shape, secondsPerShape, 10 * secondsPerShape)};
            if (shape.type == at::kBFloat16) slow = sample.flops() < 10e9;
            report.samples.push_back(std::move(sample));
        }
    }
    return report;
}

}  // namespace slipway::trainer
