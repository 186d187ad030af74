// Tests that need a GPU, without Qt: the machine that has one may have nothing but libtorch and a compiler.
//   GPU_TEST(norms) { ... check(a == b, "a is not b"); near("y", y, exact, 1e-6); }
// `tst_gpu` runs all, `tst_gpu norms` some, `tst_gpu --list` names them; 77 is the exit code of a test that was
// skipped. The program tst_gpu_rehearsal is the same source on a CPU, whose threads run the kernels' lines
// (tests/trainer/kernels/host_rows.h): it shows that the tests themselves are right.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <vector>

namespace slipway::test::gpu {

/// Why a test does not run here.
class Skipped : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Where the tests run: the first GPU, or the CPU in a rehearsal.
at::Device device();
bool isRehearsal();
/// What only a GPU can show.
void needGpu(const char* why);
/// `large`, or in a rehearsal, whose rows are run one after the other, no more than `small`.
std::int64_t sized(std::int64_t large, std::int64_t small);

void check(bool ok, const std::string& what);
/// Relative distance in the norm, in fp64; NaN is never near.
double distance(const at::Tensor& got, const at::Tensor& want);
void near(const std::string& what, const at::Tensor& got, const at::Tensor& want, double bound);
void sameBits(const std::string& what, const at::Tensor& got, const at::Tensor& want);

/// Normal values of that format on device(), the same in every run.
at::Tensor normal(at::IntArrayRef shape, at::ScalarType type);
inline at::Tensor wide(const at::Tensor& x) {
    return x.to(at::kDouble);
}

struct Format {
    at::ScalarType type, sums;
    double bound;     ///< one rounding of a result
    double sumBound;  ///< some roundings of sums
};
/// fp32, fp64, bf16, fp16.
const std::vector<Format>& formats();

/// Whether this program is the one that runs on a CPU; it has the kernels' lines from then on.
bool rehearses();
/// While it lives, an operation that makes the host wait for the GPU throws; nothing in a rehearsal or a build without
/// CUDA.
class NoHostWait {
public:
    NoHostWait();
    ~NoHostWait();
    NoHostWait(const NoHostWait&) = delete;
    NoHostWait& operator=(const NoHostWait&) = delete;
};

/// The caching allocator's account.
struct MemoryCounts {
    std::int64_t deviceCalls = 0;  ///< asked of the driver so far
    std::int64_t activeBlocks = 0;
    bool operator==(const MemoryCounts&) const = default;
};
MemoryCounts memoryCounts();

bool registerTest(const char* name, void (*run)());

}  // namespace slipway::test::gpu

#define GPU_TEST(name)                                                                \
    static void name##Test();                                                         \
    static const bool s_##name = slipway::test::gpu::registerTest(#name, name##Test); \
    static void name##Test()
