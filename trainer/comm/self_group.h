// The group of one rank: every collective is a copy or a no-op, without network.
#pragma once

#include "trainer/comm/process_group.h"

namespace slipway::trainer {

std::unique_ptr<ProcessGroup> makeSelfGroup(const std::string& name);

}  // namespace slipway::trainer
