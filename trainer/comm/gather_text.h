// Texts of all ranks on every rank: small data other than tensors (manifests, failures).
#pragma once

#include "trainer/comm/process_group.h"

#include <string>
#include <vector>

namespace slipway::trainer {

/// One text per rank, in rank order. A collective; `device` is the device of the group's tensors.
std::vector<std::string> gatherTexts(ProcessGroup& group, const std::string& mine, at::Device device);

}  // namespace slipway::trainer
