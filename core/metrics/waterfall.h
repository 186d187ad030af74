// The rows of the waterfall "Where did the MFU go?", for command, report and window alike.
//   for (const WaterfallRow& row : waterfallOf(account)) draw(row.measured->from, row.measured->to);
#pragma once

#include "core/metrics/step_account.h"

#include <optional>
#include <vector>

namespace slipway {

/// A bar in percent of the step, which is what the devices' peak would have allowed; from > to takes away.
struct WaterfallBar {
    double from = 0, to = 0;
    double seconds = 0;
    [[nodiscard]] double percent() const { return to - from; }
};

struct WaterfallRow {
    enum class Kind {
        Peak,     ///< the whole: 100 %, at the peak as long as Useful
        Loss,     ///< a part of the step
        Reached,  ///< the MFU; its seconds are the step's
        Outside,  ///< a part outside the step: seconds, no bar
        Wall      ///< the MFU with what is outside the step
    };
    Kind kind = Kind::Loss;
    TimePart part = TimePart::Unexplained;  ///< of Loss and Outside
    Message title;
    std::optional<WaterfallBar> measured, forecast;
};

/// Parts that neither run nor forecast has are left out, and so are those that are 0 in both. Without a peak there is no
/// row of the MFU, and the first one is the step. Empty without a measured step and without a forecast.
std::vector<WaterfallRow> waterfallOf(const StepAccount& account);

/// The part, but for Useful, Unexplained and what is outside the step, that costs most; empty when there is none.
std::optional<TimePart> largestLoss(const StepAccount& account);

/// "MFU 38.1 %: kernels below peak cost 24.5 % of the step, ..." in one or two sentences.
Message summaryOf(const StepAccount& account);

}  // namespace slipway
