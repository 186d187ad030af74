#include "core/report/words.h"

#include "core/base/units.h"
#include "core/metrics/mfu_rule.h"

#include <cmath>

namespace slipway {

Message statusText(TrialStatus status) {
    switch (status) {
        case TrialStatus::Planned: return "planned"_text;
        case TrialStatus::Running: return "running"_text;
        case TrialStatus::Completed: return "completed"_text;
        case TrialStatus::Failed: return "failed"_text;
        case TrialStatus::Cancelled: return "cancelled"_text;
        case TrialStatus::Lost: return "lost"_text;
        case TrialStatus::Skipped: return "skipped"_text;
        case TrialStatus::Infeasible: return "out of memory"_text;
    }
    return {};
}

Message statusText(RunStatus status) {
    switch (status) {
        case RunStatus::Planned: return "planned"_text;
        case RunStatus::Queued: return "queued"_text;
        case RunStatus::Running: return "running"_text;
        case RunStatus::Completed: return "completed"_text;
        case RunStatus::Failed: return "failed"_text;
        case RunStatus::Cancelled: return "cancelled"_text;
        case RunStatus::Lost: return "lost"_text;
    }
    return {};
}

std::string labelText(const std::string& label, Language language) {
    if (label == "textbook") return textOf("textbook"_text, language);
    if (label == "typical") return textOf("typical"_text, language);
    if (label == "fitted") return textOf("fitted here"_text, language);
    if (label == "calibrated") return textOf("calibrated"_text, language);
    if (label == "extrapolated") return textOf("extrapolated"_text, language);
    if (label == "measured") return textOf("measured"_text, language);
    return label;
}

std::string mfuTitle(const std::string& rule, Language language) {
    return rule.empty() ? "MFU" : "MFU (" + textOf(mfuRuleName(rule), language) + ")";
}

NumberFormat secondsFormat(Language language) {
    if (language == Language::Korean) return [](double value) { return formatSeconds(value, Language::Korean); };
    return [](double value) { return formatSeconds(value); };
}

NumberFormat shortFormat(Language language) {
    if (language == Language::Korean)
        return [](double value) { return formatShort(std::round(value), Language::Korean); };
    return [](double value) { return formatShort(std::round(value)); };
}

}  // namespace slipway
