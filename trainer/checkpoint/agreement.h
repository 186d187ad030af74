// Agreement of ranks on one outcome of a joint operation that may fail.
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"
#include "trainer/comm/process_group.h"

#include <c10/core/Device.h>

#include <string>
#include <vector>

namespace slipway::trainer {

/// An error as text for gatherTexts; readReports parses it.
std::string errorText(const Error& error);

/// The ranks' reports as JSON, in rank order, or the first error among them. Ranks without a report (an empty text) are
/// null.
Result<std::vector<Json>> readReports(const std::vector<std::string>& reports);

/// Makes all ranks return the first error of any. A collective over `world`.
Result<void> agree(ProcessGroup& world, at::Device device, const Result<void>& mine);

}  // namespace slipway::trainer
