#include "trainer/bench/device_bench.h"

#include "core/base/clock.h"
#include "trainer/kernels/attention.h"
#include "trainer/kernels/fp8.h"

#include <ATen/ops/mm.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <functional>

namespace slipway::trainer {
namespace {

at::Tensor normal(at::IntArrayRef shape, at::ScalarType type, at::Device device) {
    return at::randn(shape, at::TensorOptions().dtype(at::kFloat).device(device)).to(type);
}

// Waits for all queued work: a number comes back only after it.
void settle(const at::Tensor& result) {
    static_cast<void>(result.flatten().narrow(0, 0, 1).to(at::kFloat).cpu());
}

// Calls are queued back to back with one wait at the end, so that the time is the device's and not the latency of
// reaching it.
double secondsOf(double budgetSeconds, const std::function<at::Tensor()>& call) {
    constexpr int kWindows = 5;
    settle(call());
    double begin = monotonicSecondsNow();
    settle(call());
    const double once = std::max(monotonicSecondsNow() - begin, 1e-6);
    const int calls = std::clamp(static_cast<int>(budgetSeconds / kWindows / once), 1, 1000);
    double best = once;
    for (int window = 0; window < kWindows; ++window) {
        at::Tensor last;
        begin = monotonicSecondsNow();
        for (int i = 0; i < calls; ++i) last = call();
        settle(last);
        best = std::min(best, (monotonicSecondsNow() - begin) / calls);
    }
    return best;
}

std::string cubeText(std::int64_t size) {
    const std::string one = std::to_string(size);
    return one + " x " + one + " x " + one;
}

class Measuring {
public:
    Measuring(at::Device device, double secondsPerShape) : m_device(device), m_budget(secondsPerShape) {}

    DeviceReport run() {
        const bool gpu = m_device.is_cuda();
        const std::vector<std::int64_t> sizes =
            gpu ? std::vector<std::int64_t>{4096, 8192, 16384} : std::vector<std::int64_t>{128};
        for (const std::int64_t size : sizes) product(at::kBFloat16, "bf16", size);
        product(at::kHalf, "fp16", sizes.front());
        product(at::kFloat, "fp32", sizes.front());
        if (multipliesFp8(m_device))
            for (const std::int64_t size : sizes) productFp8(size);
        const at::ScalarType type = gpu ? at::kBFloat16 : at::kFloat;
        const char* precision = gpu ? "bf16" : "fp32";
        if (gpu) {
            attention(type, precision, 8, 1024, 12, 128);
            attention(type, precision, 4, 1024, 28, 128);
            attention(type, precision, 1, 4096, 28, 128);
        } else {
            attention(type, precision, 1, 64, 2, 16);
        }
        return std::move(m_report);
    }

private:
    void add(const char* operation, const char* precision, std::string shape, double operations,
             const std::function<at::Tensor()>& call) {
        m_report.samples.push_back({operation, precision, std::move(shape), operations, secondsOf(m_budget, call)});
    }

    void product(at::ScalarType type, const char* precision, std::int64_t size) {
        const at::Tensor a = normal({size, size}, type, m_device), b = normal({size, size}, type, m_device);
        at::Tensor out = at::mm(a, b);
        add("product", precision, cubeText(size), cube(size), [&] { return at::mm_out(out, a, b); });
    }

    void productFp8(std::int64_t size) {
        const auto factor = [&] {
            const at::Tensor x = normal({size, size}, at::kBFloat16, m_device);
            return fp8Factor(x, fp8Largest(x, false), fp8Type(Fp8Format::Hybrid, false));
        };
        const Fp8Factor a = factor(), b = factor();
        add("product", "fp8", cubeText(size), cube(size), [&] { return fp8Product(a, b, at::kBFloat16, true, true); });
    }

    // Two products forward and five backward, each half the size because of the causal mask.
    void attention(at::ScalarType type, const char* precision, std::int64_t batch, std::int64_t length,
                   std::int64_t heads, std::int64_t width) {
        const auto make = [&] { return normal({length, batch, heads, width}, type, m_device); };
        const at::Tensor q = make(), k = make(), v = make(), dOut = make();
        const std::string shape = std::to_string(batch) + " x " + std::to_string(length) + ", " +
                                  std::to_string(heads) + " heads of " + std::to_string(width);
        const double scores = static_cast<double>(batch * heads * length * length) / 2;
        const double one = 2 * scores * static_cast<double>(width);
        AttentionSaved saved;
        add("attention", precision, shape, 2 * one, [&] { return causalAttention(q, k, v, saved); });
        add("attention_grad", precision, shape, 5 * one, [&] { return causalAttentionGrad(dOut, saved).q; });
        for (std::size_t i = m_report.samples.size() - 2; i < m_report.samples.size(); ++i)
            m_report.samples[i].by = attentionOperator(q);
    }

    static double cube(std::int64_t size) {
        const auto n = static_cast<double>(size);
        return 2 * n * n * n;
    }

    at::Device m_device;
    double m_budget;
    DeviceReport m_report;
};

}  // namespace

std::map<std::string, double> DeviceReport::peakFlops() const {
    std::map<std::string, double> peaks;
    for (const DeviceSample& sample : samples)
        if (sample.operation == "product") peaks[sample.precision] = std::max(peaks[sample.precision], sample.flops());
    return peaks;
}

double copyBytesPerSecond(at::Device device, double seconds) {
    constexpr std::int64_t kOnCpu = 1 << 28, kOnGpu = 1 << 30;
    const std::int64_t bytes = device.is_cuda() ? kOnGpu : kOnCpu;
    const at::Tensor from = at::ones({bytes / 4}, at::TensorOptions().dtype(at::kFloat).device(device));
    at::Tensor to = at::zeros_like(from);
    return 2 * static_cast<double>(bytes) / secondsOf(seconds, [&] { return to.copy_(from); });
}

DeviceReport measureDevice(at::Device device, double secondsPerShape) {
    return Measuring(device, secondsPerShape).run();
}

}  // namespace slipway::trainer
