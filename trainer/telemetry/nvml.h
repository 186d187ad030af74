// One GPU through NVIDIA's management library, opened at run time: where there is no driver there is no library, and
// nothing is lost.
//   Result<DeviceReader> read = openDevice(*pciBusOf(0));
#pragma once

#include "core/base/result.h"
#include "trainer/telemetry/device_sampler.h"

#include <string>

namespace slipway::trainer {

/// Where on the PCI bus the CUDA device is ("0000:65:00.0"): its number in this process and its number in the
/// management library differ under CUDA_VISIBLE_DEVICES. "no_device" when the CUDA runtime does not know it.
Result<std::string> pciBusOf(int cudaDevice);

/// A reader of the device at this place on the bus. It keeps the library open for as long as it or a copy of it lives.
/// "nvml_missing" when the library or one of its functions is not there, "nvml_failed" when it refuses the device.
Result<DeviceReader> openDevice(const std::string& pciBus, const std::string& library = "libnvidia-ml.so.1");

}  // namespace slipway::trainer
