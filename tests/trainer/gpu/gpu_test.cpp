#include "tests/trainer/gpu/gpu_test.h"

#include "trainer/kernels/cuda_rows.h"
#include "trainer/kernels/first_gpu.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/randn.h>

#include <algorithm>
#include <cstdio>
#include <map>

namespace slipway::test::gpu {
namespace {

std::map<std::string, void (*)()>& tests() {
    static std::map<std::string, void (*)()> all;
    return all;
}

at::Device& chosen() {
    static at::Device device = at::kCPU;
    return device;
}

constexpr int kSkipped = 77;

// The words of the suites' own reports, so that ./test counts the reasons.
int runOne(const std::string& name) {
    try {
        tests().at(name)();
    } catch (const Skipped& why) {
        std::printf("SKIP   : gpu::%s() %s\n", name.c_str(), why.what());
        return kSkipped;
    } catch (const std::exception& error) {
        std::printf("FAIL!  : gpu::%s() %s\n", name.c_str(), error.what());
        return 1;
    }
    std::printf("PASS   : gpu::%s()\n", name.c_str());
    return 0;
}

}  // namespace

at::Device device() {
    return chosen();
}

bool isRehearsal() {
    return chosen().is_cpu();
}

void needGpu(const char* why) {
    if (isRehearsal()) throw Skipped(why);
}

std::int64_t sized(std::int64_t large, std::int64_t small) {
    return isRehearsal() ? std::min(large, small) : large;
}

void check(bool ok, const std::string& what) {
    if (!ok) throw std::runtime_error(what);
}

double distance(const at::Tensor& got, const at::Tensor& want) {
    const at::Tensor exact = wide(want).to(got.device());
    return (wide(got) - exact).norm().item<double>() / std::max(exact.norm().item<double>(), 1e-30);
}

void near(const std::string& what, const at::Tensor& got, const at::Tensor& want, double bound) {
    check(got.sizes() == want.sizes(), what + " has another shape");
    const double off = distance(got, want);
    char text[64];
    std::snprintf(text, sizeof text, " is off by %.3g, bound %.3g", off, bound);
    check(off <= bound, what + text);
}

void sameBits(const std::string& what, const at::Tensor& got, const at::Tensor& want) {
    check(got.equal(want.to(got.device())), what + " has other bits");
}

at::Tensor normal(at::IntArrayRef shape, at::ScalarType type) {
    static at::Generator generator = at::detail::createCPUGenerator(11);
    return at::randn(shape, generator, at::TensorOptions().dtype(at::kFloat)).to(device(), type);
}

const std::vector<Format>& formats() {
    static const std::vector<Format> all{{at::kFloat, at::kFloat, 2e-6, 8e-6},
                                         {at::kDouble, at::kDouble, 1e-14, 4e-14},
                                         {at::kBFloat16, at::kFloat, 4e-3, 8e-6},
                                         {at::kHalf, at::kFloat, 5e-4, 8e-6}};
    return all;
}

bool registerTest(const char* name, void (*run)()) {
    return tests().emplace(name, run).second;
}

// Defined here, where the tests' table is at hand.
int runTests(std::vector<std::string> words) {
    if (words == std::vector<std::string>{"--list"}) {
        for (const auto& [name, run] : tests()) std::printf("%s\n", name.c_str());
        return 0;
    }
    for (const std::string& word : words)
        if (!tests().contains(word)) {
            std::fprintf(stderr, "tst_gpu has no test %s; tst_gpu --list names them.\n", word.c_str());
            return 2;
        }
    if (words.empty())
        for (const auto& [name, run] : tests()) words.push_back(name);
    if (!rehearses()) {
        const auto gpu = trainer::firstGpu();
        if (!gpu || trainer::cudaRows() == nullptr) {
            for (const std::string& name : words)
                std::printf("SKIP   : gpu::%s() %s\n", name.c_str(),
                            gpu ? "this build has no kernels" : gpu.error().message.c_str());
            return kSkipped;
        }
        chosen() = *gpu;
    }
    int worst = 0, skipped = 0;
    for (const std::string& name : words) {
        const int code = runOne(name);
        if (code == kSkipped)
            ++skipped;
        else
            worst = std::max(worst, code);
    }
    return worst == 0 && skipped == static_cast<int>(words.size()) ? kSkipped : worst;
}

}  // namespace slipway::test::gpu
