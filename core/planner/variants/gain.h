// Quantified advice: for each piece of advice of a plan, the best change that follows it, with its plan.
//   for (const AdviceGain& g : adviceGains(plan)) g.text   // "tp 4 -> 2: step time 3.74 s instead of 4.15 s (9.9 % less time per token)"
#pragma once

#include "core/planner/values/forecast.h"

#include <string>
#include <string_view>
#include <vector>

namespace slipway {

struct AdviceGain {
    std::string code;                   ///< of the issue it addresses
    std::string change;                 ///< "zero_stage 0 -> 1"; empty where nothing fits
    Message text;                       ///< one sentence with the figures before and after
    RunConfig config;                   ///< with the change
    std::vector<std::string> settings;  ///< the change for --set: "parallel.tp=2"
    double stepSeconds = kUnknown;
    double memoryPeakBytes = kUnknown;
    /// Time per token against the plan's: -0.1 is 10 % faster. Steps with other batches compare fairly.
    double timeChange = kUnknown;
    double memoryChangeBytes = kUnknown;
    double hostNodeBytes = kUnknown;  ///< a node's host memory (NodeHostMemory::neededBytes)
    double hostNodeChangeBytes = kUnknown;
    bool fits = false;  ///< devices and, where their memory is known, nodes; within the available devices
    std::string label;  ///< basis of the figures: textbook, calibrated, measured
};

/// One for each piece of advice in the plan that a change of the layout, the batch or the vocabulary improves, in the plan's order; where
/// nothing fits, one with that message. Plans about 50 configs, so tens of milliseconds; separate from makePlan() for that reason. If the
/// bundled trainer can execute the plan's own config, so it can every proposed one. @param ranked of rankLayouts(): advice for speed
/// leads to the first of them at once, where no single change is as good
std::vector<AdviceGain> adviceGains(const Plan& plan, const std::vector<LayoutChoice>& ranked = {});

/// Whether adviceGains() looks for a change that answers this advice.
bool isAnswerable(std::string_view code);

/// The gain of an issue, or null.
const AdviceGain* gainOf(const std::vector<AdviceGain>& gains, std::string_view code);

}  // namespace slipway
