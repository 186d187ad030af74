#include "app/gui/pages/gain_text.h"

#include "app/gui/pages/plan_page.h"
#include "app/gui/text/config_change.h"
#include "app/gui/text/format.h"

#include <cmath>

namespace slipway::gui {
namespace {

// The change in the window's words; without a changed field, the layout's own text.
QString changeOf(const Plan& plan, const AdviceGain& gain) {
    const QString text = configChangeText(plan.config, gain.config);
    return text.isEmpty() ? qs(gain.change) : text;
}

}  // namespace

// The gain of a piece of advice, with the figures before and after.
QString gainText(const Plan& plan, const AdviceGain& gain) {
    if (gain.change.empty())
        return gain.code == "host_does_not_fit"
                   ? PlanPage::tr(
                         "No layout of these devices fits their nodes; use nodes with more memory, or more of them.")
                   : PlanPage::tr(
                         "No layout of these devices fits; use more devices, a shorter sequence or a smaller model.");
    QString text;
    if (gain.config.tokensPerStep() == plan.config.tokensPerStep() && std::isfinite(gain.timeChange))
        text = PlanPage::tr("%1: step time %2 instead of %3 (%4), memory %5 instead of %6.")
                   .arg(changeOf(plan, gain), secondsText(gain.stepSeconds), secondsText(plan.step.stepSeconds),
                        deltaText(gain.timeChange), bytesText(gain.memoryPeakBytes), bytesText(plan.memoryPeakBytes));
    else if (std::isfinite(gain.timeChange))
        text = PlanPage::tr("%1: %2 tokens/s instead of %3 (time per token %4), memory %5 instead of %6.")
                   .arg(changeOf(plan, gain),
                        countText(static_cast<double>(gain.config.tokensPerStep()) / gain.stepSeconds),
                        countText(plan.step.tokensPerSecond), deltaText(gain.timeChange),
                        bytesText(gain.memoryPeakBytes), bytesText(plan.memoryPeakBytes));
    else
        text = PlanPage::tr("%1: memory %2 instead of %3.")
                   .arg(changeOf(plan, gain), bytesText(gain.memoryPeakBytes), bytesText(plan.memoryPeakBytes));
    if (gain.code.rfind("host_", 0) == 0)
        text += ' ' + PlanPage::tr("A node's host memory: %1 instead of %2.")
                          .arg(bytesText(gain.hostNodeBytes), bytesText(gain.hostNodeBytes - gain.hostNodeChangeBytes));
    return gain.fits ? text : text + ' ' + PlanPage::tr("It does not fit either.");
}

}  // namespace slipway::gui
