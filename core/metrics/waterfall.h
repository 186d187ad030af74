// The rows of the waterfall "Where did the MFU go?", for the command, reports and the window.
//   for (const WaterfallRow& row : waterfallOf(account)) draw(row.measured->from, row.measured->to);
#pragma once

#include "core/metrics/step_account.h"

#include <optional>
#include <vector>

namespace slipway {

/// A bar in percent of the step's FLOP at the devices' peak; from > to subtracts.
struct WaterfallBar {
    double from = 0, to = 0;
    double seconds = 0;
    [[nodiscard]] double percent() const { return to - from; }
};

struct WaterfallRow {
    enum class Kind {
        Peak,     ///< the full bar: 100 %; at the peak it takes as long as Useful
        Loss,     ///< a part of the step
        Reached,  ///< the MFU; its seconds are the step's
        Outside,  ///< a part outside the step: seconds, no bar
        Wall      ///< the MFU including time outside the step
    };
    Kind kind = Kind::Loss;
    TimePart part = TimePart::Unexplained;  ///< of Loss and Outside
    Message title;
    std::optional<WaterfallBar> measured, forecast;
};

/// Parts absent from both run and forecast, or 0 in both, are omitted. Without a peak there is no MFU row, and the
/// first row is the step. Empty without a measured step and without a forecast.
std::vector<WaterfallRow> waterfallOf(const StepAccount& account);

/// The most expensive part of the step, except Useful and Unexplained; empty when there is none.
std::optional<TimePart> largestLoss(const StepAccount& account);

/// "MFU 38.1 %: kernels below peak cost 24.5 % of the step, ..." in one or two sentences.
Message summaryOf(const StepAccount& account);

}  // namespace slipway
