// Declarations of the functions and constants, after the NVML API reference (docs.nvidia.com/deploy/nvml-api):
// chapters
// "Initialization and Cleanup" and "Device Queries". Its header is only in the CUDA toolkit, which a build may lack.
#include "trainer/telemetry/nvml.h"

#include <dlfcn.h>

#include <array>
#include <memory>

namespace slipway::trainer {
namespace {

using Device = void*;  // nvmlDevice_t is a pointer to an opaque struct
struct Memory {        // nvmlMemory_t
    unsigned long long totalBytes, freeBytes, usedBytes;
};
constexpr int kSuccess = 0;            // NVML_SUCCESS
constexpr int kClockOfProcessors = 1;  // NVML_CLOCK_SM
constexpr int kTemperatureOfChip = 0;  // NVML_TEMPERATURE_GPU
constexpr double kHertzPerMegahertz = 1e6;
constexpr double kWattsPerMilliwatt = 1e-3;

struct CloseLibrary {
    void operator()(void* library) const { dlclose(library); }
};

/// The opened library; shuts it down at its end.
struct Nvml {
    std::unique_ptr<void, CloseLibrary> library;
    int (*init)() = nullptr;
    int (*shutdown)() = nullptr;
    int (*deviceByPciBus)(const char*, Device*) = nullptr;
    int (*clock)(Device, int type, unsigned* megahertz) = nullptr;
    int (*power)(Device, unsigned* milliwatts) = nullptr;
    int (*temperature)(Device, int sensor, unsigned* celsius) = nullptr;
    int (*memory)(Device, Memory*) = nullptr;
    int (*throttleReasons)(Device, unsigned long long*) = nullptr;
    bool isReady = false;
    Device device = nullptr;

    Nvml() = default;
    Nvml(const Nvml&) = delete;
    Nvml& operator=(const Nvml&) = delete;
    ~Nvml() {
        if (isReady) shutdown();
    }

    template <class Function>
    bool find(Function& function, const char* name) {
        function = reinterpret_cast<Function>(dlsym(library.get(), name));
        return function != nullptr;
    }

    /// The name of the first missing function; null if there is none.
    const char* findAll() {
        if (!find(init, "nvmlInit_v2")) return "nvmlInit_v2";
        if (!find(shutdown, "nvmlShutdown")) return "nvmlShutdown";
        if (!find(deviceByPciBus, "nvmlDeviceGetHandleByPciBusId_v2")) return "nvmlDeviceGetHandleByPciBusId_v2";
        // Optional: a device may not support these, and a library may lack them.
        find(clock, "nvmlDeviceGetClockInfo");
        find(power, "nvmlDeviceGetPowerUsage");
        find(temperature, "nvmlDeviceGetTemperature");
        find(memory, "nvmlDeviceGetMemoryInfo");
        // Renamed in release 535, which has both names.
        if (!find(throttleReasons, "nvmlDeviceGetCurrentClocksEventReasons"))
            find(throttleReasons, "nvmlDeviceGetCurrentClocksThrottleReasons");
        return nullptr;
    }

    [[nodiscard]] DeviceSample read() const {
        DeviceSample sample;
        unsigned number = 0;
        Memory bytes{};
        unsigned long long reasons = 0;
        if (clock != nullptr && clock(device, kClockOfProcessors, &number) == kSuccess)
            sample.clockHertz = number * kHertzPerMegahertz;
        if (power != nullptr && power(device, &number) == kSuccess) sample.powerWatts = number * kWattsPerMilliwatt;
        if (temperature != nullptr && temperature(device, kTemperatureOfChip, &number) == kSuccess)
            sample.temperatureCelsius = number;
        if (memory != nullptr && memory(device, &bytes) == kSuccess) {
            sample.memoryUsedBytes = static_cast<double>(bytes.usedBytes);
            sample.memoryTotalBytes = static_cast<double>(bytes.totalBytes);
        }
        if (throttleReasons != nullptr && throttleReasons(device, &reasons) == kSuccess)
            sample.throttleReasons = reasons;
        return sample;
    }
};

}  // namespace

Result<std::string> pciBusOf(int cudaDevice) {
    // A CUDA build has the runtime in its process; the symbol is looked up there, so that a CPU build does not need a
    // header.
    // CUDA Runtime API reference, "Device Management": cudaError_t cudaDeviceGetPCIBusId(char*, int, int).
    using Function = int (*)(char*, int, int);
    const auto function = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, "cudaDeviceGetPCIBusId"));
    std::array<char, 32> text{};
    if (function == nullptr || function(text.data(), static_cast<int>(text.size()), cudaDevice) != 0)
        return fail("no_device", "The CUDA runtime does not say where device " + std::to_string(cudaDevice) + " is.");
    return std::string(text.data());
}

Result<DeviceReader> openDevice(const std::string& pciBus, const std::string& library) {
    const auto nvml = std::make_shared<Nvml>();
    nvml->library.reset(dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL));
    if (!nvml->library) {
        const char* why = dlerror();
        return fail("nvml_missing",
                    "The management library cannot be opened: " + std::string(why != nullptr ? why : "") + ".",
                    library);
    }
    if (const char* missing = nvml->findAll())
        return fail("nvml_missing", "The management library has no function " + std::string(missing) + ".", library);
    if (const int code = nvml->init(); code != kSuccess)
        return fail("nvml_failed", "The management library did not start: its code is " + std::to_string(code) + ".",
                    library);
    nvml->isReady = true;
    if (const int code = nvml->deviceByPciBus(pciBus.c_str(), &nvml->device); code != kSuccess)
        return fail("nvml_failed",
                    "The management library does not give out the device at " + pciBus + ": its code is " +
                        std::to_string(code) + ".",
                    library);
    return DeviceReader([nvml] { return nvml->read(); });
}

}  // namespace slipway::trainer
