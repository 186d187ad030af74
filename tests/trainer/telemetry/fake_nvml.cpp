// Stands in for libnvidia-ml.so.1, which only machines with a driver have: two devices, the second of which tells less
// than the first.
// The tests open it by its path and look at `fake_nvml_open`.
namespace {

constexpr int kSuccess = 0, kNotSupported = 3, kNotFound = 6;
int g_devices[2] = {0, 1};
bool isFirst(const void* device) {
    return device == &g_devices[0];
}
bool same(const char* a, const char* b) {
    for (; *a != '\0' && *a == *b; ++a) ++b;
    return *a == *b;
}

}  // namespace

extern "C" {

int fake_nvml_open = 0;
unsigned fake_nvml_celsius = 71;

int nvmlInit_v2() {
    ++fake_nvml_open;
    return kSuccess;
}
int nvmlShutdown() {
    --fake_nvml_open;
    return kSuccess;
}
int nvmlDeviceGetHandleByPciBusId_v2(const char* bus, void** device) {
    if (same(bus, "0000:65:00.0"))
        *device = &g_devices[0];
    else if (same(bus, "0000:66:00.0"))
        *device = &g_devices[1];
    else
        return kNotFound;
    return kSuccess;
}
int nvmlDeviceGetClockInfo(void* device, int type, unsigned* megahertz) {
    *megahertz = type == 1 ? (isFirst(device) ? 1755 : 1980) : 2619;
    return kSuccess;
}
int nvmlDeviceGetPowerUsage(void* device, unsigned* milliwatts) {
    *milliwatts = 612345;
    return isFirst(device) ? kSuccess : kNotSupported;
}
int nvmlDeviceGetTemperature(void*, int sensor, unsigned* celsius) {
    *celsius = sensor == 0 ? fake_nvml_celsius : 0;
    return kSuccess;
}
int nvmlDeviceGetMemoryInfo(void* device, unsigned long long* bytes) {
    bytes[0] = 85899345920;  // total, free, used
    bytes[1] = 64424509440;
    bytes[2] = 21474836480;
    return isFirst(device) ? kSuccess : kNotSupported;
}
// 0x1: idle; 0x4: the power limit; 0x40: too hot
int nvmlDeviceGetCurrentClocksThrottleReasons(void* device, unsigned long long* reasons) {
    *reasons = isFirst(device) ? 0x45 : 0x1;
    return kSuccess;
}
}
