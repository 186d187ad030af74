// Checks: a source's worked numbers, recomputed through the figure models and compared within their tolerance.
//   for (const CheckResult& r : runChecks(chapter.checks)) ...   // r.verdict, r.actualJson
#pragma once

#include "core/playbook/playbook.h"

namespace slipway {

enum class CheckVerdict {
    Agrees,         ///< recomputed and printed alike
    SourceMistake,  ///< recomputed as expected; the source prints something else, and the check has the reason
    Fails           ///< the figure model does not give the expected value
};
std::string_view wordOf(CheckVerdict verdict);

struct CheckResult {
    CheckVerdict verdict = CheckVerdict::Fails;
    std::string actualJson;  ///< what the model gives
    std::string rightJson;   ///< the corrected figure beside a source's own; empty where there is none
    Message problem;         ///< why it could not be computed
};

CheckResult runCheck(const Check& check);
std::vector<CheckResult> runChecks(const std::vector<Check>& checks);

/// "exact", "rel NUMBER" or "abs NUMBER".
bool isTolerance(const std::string& text);
/// Each number within the tolerance, words equal; members that `expected` does not name are ignored. "exact" allows the nine digits
/// that a fraction is printed with. @param actual, expected JSON texts
bool agrees(const std::string& actual, const std::string& expected, const std::string& tolerance);

}  // namespace slipway
