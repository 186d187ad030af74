// Words and number formats of reports in the reader's language.
#pragma once

#include "core/base/message.h"
#include "core/report/report.h"
#include "core/spec/run_dir.h"
#include "core/sweep/trial.h"

namespace slipway {

/// "completed", "out of memory", ...
Message statusText(TrialStatus status);
Message statusText(RunStatus status);
/// "textbook", "typical", "calibrated", "extrapolated" or "measured", and any other label unchanged.
std::string labelText(const std::string& label, Language language);
/// "MFU (causal)"; "MFU" where the rule is unknown.
std::string mfuTitle(const std::string& rule, Language language);

NumberFormat secondsFormat(Language language);
NumberFormat shortFormat(Language language);  ///< whole numbers: "27.3 k"

}  // namespace slipway
