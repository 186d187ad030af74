// Checks: a source's worked numbers, recomputed through the figure models and compared within their tolerance.
//   for (const CheckResult& r : runChecks(chapter.checks)) ...   // r.verdict, r.actualJson
#pragma once

#include "core/playbook/playbook.h"

namespace slipway {

enum class CheckVerdict {
    Agrees,         ///< the recomputed and printed values match
    SourceMistake,  ///< recomputed as expected; the source prints another value, and the check has the reason
    Fails           ///< the figure model does not return the expected value
};
std::string_view wordOf(CheckVerdict verdict);

struct CheckResult {
    CheckVerdict verdict = CheckVerdict::Fails;
    std::string actualJson;  ///< the model's result
    std::string rightJson;   ///< the corrected figure for a source's mistake; empty where there is none
    Message problem;         ///< reason why it could not be computed
};

CheckResult runCheck(const Check& check);
std::vector<CheckResult> runChecks(const std::vector<Check>& checks);

/// "exact", "rel NUMBER" or "abs NUMBER".
bool isTolerance(const std::string& text);
/// Each number within the tolerance, words equal; members missing in `expected` are ignored. "exact" means the nine
/// printed digits of a fraction. @param actual, expected JSON texts
bool agrees(const std::string& actual, const std::string& expected, const std::string& tolerance);

}  // namespace slipway
