// Texts of all ranks on every rank: small things that are no tensors (manifests, failures).
#pragma once

#include "trainer/comm/process_group.h"

#include <string>
#include <vector>

namespace slipway::trainer {

/// One text per rank, in rank order. A collective; `device` is where the group's tensors must be.
std::vector<std::string> gatherTexts(ProcessGroup& group, const std::string& mine, at::Device device);

}  // namespace slipway::trainer
