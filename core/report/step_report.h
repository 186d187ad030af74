// "Where did the MFU go?" and "Why is B slower than A?" as tables, a drawing and a section of a report.
#pragma once

#include "core/metrics/step_difference.h"
#include "core/metrics/waterfall.h"
#include "core/report/report.h"

#include <string>
#include <vector>

namespace slipway {

/// A row per part: percent of the peak and seconds, measured and forecast, and their difference. The cells' text is in
/// `language`; without a forecast its columns are absent.
Table waterfallTable(const StepAccount& account, Language language);

/// A row per part, largest difference first, then the step; the last column has the settings as possible causes.
Table differenceTable(const StepDifference& difference, const std::string& first, const std::string& second,
                      Language language);

/// "4.48 s instead of 3.85 s a step: +0.63 s (+16 %)."
Message differenceSentence(const StepDifference& difference);

WaterfallFigure waterfallFigure(const StepAccount& account, Language language);

/// A run with a name, for a section.
struct NamedAccount {
    std::string name;
    AccountedRun run;
};
/// Empty where no run has a step; for two runs also their difference.
Section accountSection(const std::vector<NamedAccount>& runs, Language language);

}  // namespace slipway
