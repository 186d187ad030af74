// The actions of one pipeline rank under each schedule; makeSchedule() checks and calls it.
#pragma once

#include "core/spec/pipeline_schedule.h"

namespace slipway {

/// Actions of one rank. @param schedule kind, sizes and number of ranks are set; its requirements are met
std::vector<ScheduleAction> buildRank(const PipelineSchedule& schedule, std::int64_t rank);

}  // namespace slipway
