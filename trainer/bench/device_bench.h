// Products and attention at one device's full speed, through the operators of training: the peak behind MFU, and
// attention's share of it.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace slipway::trainer {

struct DeviceSample {
    std::string operation;  ///< product, attention (forward), attention_grad
    std::string precision;  ///< bf16, fp16, fp32, fp8
    std::string shape;      ///< "8192 x 8192 x 8192", "8 x 1024, 12 heads of 128"
    double operations = 0;  ///< of one call: 2 n m k; attention counts only the scores inside the causal mask
    double seconds = 0;     ///< of one call: the best of five windows of many calls
    std::string by = {};    ///< attention: attentionOperator()
    [[nodiscard]] double flops() const { return operations / seconds; }
};

struct DeviceReport {
    std::vector<DeviceSample> samples;
    /// Best rate of products per precision.
    [[nodiscard]] std::map<std::string, double> peakFlops() const;
};

/// Bytes per second, read and written, of the copy of a tensor larger than any cache; on a CPU with all its threads.
double copyBytesPerSecond(at::Device device, double seconds);

/// Large shapes on a GPU, small ones on a CPU. @param secondsPerShape time spent on repeats of one shape
DeviceReport measureDevice(at::Device device, double secondsPerShape);

}  // namespace slipway::trainer
