#include "trainer/telemetry/environment.h"

#include "core/base/file.h"
#include "core/base/version.h"

#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <nlohmann/json.hpp>
#include <sys/utsname.h>
#include <torch/headeronly/version.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>

namespace slipway::trainer {
namespace {

std::string cpuName() {
    const Result<std::string> text = readFile("/proc/cpuinfo");
    if (!text) return {};
    const std::size_t key = text->find("model name");
    if (key == std::string::npos) return {};
    const std::size_t begin = text->find(": ", key);
    const std::size_t end = text->find('\n', key);
    return begin < end ? text->substr(begin + 2, end - begin - 2) : std::string();
}

}  // namespace

Json describeEnvironment(const RunConfig& config, const std::string& backend) {
    utsname host{};
    uname(&host);
    Json knobs = Json::object();
    for (const char* name :
         {"OMP_NUM_THREADS", "MKL_NUM_THREADS", "OMP_PROC_BIND", "KMP_AFFINITY", "GLOO_SOCKET_IFNAME",
          "NCCL_SOCKET_IFNAME", "NCCL_ALGO", "NCCL_PROTO", "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_MAX_CONNECTIONS",
          "CUBLAS_WORKSPACE_CONFIG", "PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF"}) {
        if (const char* value = std::getenv(name)) knobs[name] = value;
    }
    return Json{{"slipway_version", std::string(version())},
                {"commit", std::string(commit())},
                {"libtorch_version", TORCH_VERSION},
                {"compiler", __VERSION__},
                {"backend", backend},
                {"device", std::string(wordOf(config.train.device))},
                {"host", host.nodename},
                {"kernel", host.release},
                {"cpu", cpuName()},
                {"cpu_count", static_cast<std::int64_t>(std::thread::hardware_concurrency())},
                {"memory_bytes", static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE)},
                {"cpu_capability", at::get_cpu_capability()},
                {"threads_per_rank", config.train.threadsPerRank},
                {"parallel_info", at::get_parallel_info()},
                {"knobs", std::move(knobs)}};
}

}  // namespace slipway::trainer
