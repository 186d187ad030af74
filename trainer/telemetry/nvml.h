// One GPU through NVIDIA's management library, opened at run time: without a driver there is no library, and training
// continues without telemetry.
//   Result<DeviceReader> read = openDevice(*pciBusOf(0));
#pragma once

#include "core/base/result.h"
#include "trainer/telemetry/device_sampler.h"

#include <string>

namespace slipway::trainer {

/// PCI bus address of the CUDA device ("0000:65:00.0"): its number in this process and its number in the management
/// library differ under CUDA_VISIBLE_DEVICES. "no_device" when unknown to the CUDA runtime.
Result<std::string> pciBusOf(int cudaDevice);

/// A reader of the device at this bus address. It keeps the library open for the lifetime of it and its copies.
/// "nvml_missing" when the library or one of its functions is missing, "nvml_failed" when it refuses the device.
Result<DeviceReader> openDevice(const std::string& pciBus, const std::string& library = "libnvidia-ml.so.1");

}  // namespace slipway::trainer
