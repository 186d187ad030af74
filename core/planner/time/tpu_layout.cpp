#include "core/planner/time/tpu_layout.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace slipway {

int iciAxes(std::string_view device) {
    return device.find("v5e") != std::string_view::npos || device.find("v6e") != std::string_view::npos ? 2 : 3;
}

TpuLayout tpuLayout(const TpuQuestion& q) {
    TpuLayout layout;
    const auto chips = static_cast<double>(q.chipsPerPod), pods = static_cast<double>(q.numPods);
    const double intensity = q.peakFlops / q.axisBytesPerSecond;
    const double batchPerPod = q.batchTokens / pods;
    const bool mixes = q.axes > 1;
    layout.bestFsdp = mixes ? bestFsdpDegree(batchPerPod, chips, q.ffnWidth, q.axes - 1) : chips;
    layout.bestTp = chips / layout.bestFsdp;
    layout.tpLimit = tensorParallelLimit(q.ffnWidth, intensity);
    layout.fsdpTokenLimit = fsdpTokenLimit(q.peakFlops, q.axisBytesPerSecond, q.axes);
    if (mixes) layout.mixedTokenLimit = mixedTokenLimit(intensity, q.axes - 1, q.ffnWidth, q.edition);
    layout.dcnTokenLimit = dcnTokenLimit(q.peakFlops, q.dcnBytesPerSecond);
    if (q.fsdp || q.tp) {
        layout.tp = q.tp.value_or(std::max<std::int64_t>(1, q.chipsPerPod / q.fsdp.value_or(q.chipsPerPod)));
        layout.fsdp = q.fsdp.value_or(q.chipsPerPod / layout.tp);
    } else {
        const double wanted = std::max(1.0, std::min(layout.bestTp, layout.tpLimit));
        for (std::int64_t tp = 1; static_cast<double>(tp) <= layout.tpLimit && q.chipsPerPod % tp == 0; tp *= 2) {
            const auto distance = [&](std::int64_t degree) {
                return std::fabs(std::log(static_cast<double>(degree) / wanted));
            };
            if (distance(tp) < distance(layout.tp)) layout.tp = tp;
        }
        layout.fsdp = q.chipsPerPod / layout.tp;
    }
    layout.usedChips = layout.fsdp * layout.tp * q.numPods;
    layout.idleChips = q.chipsPerPod * q.numPods - layout.usedChips;
    layout.tokensPerChip = q.batchTokens / static_cast<double>(layout.usedChips);
    layout.commRatio = mixes            ? mixedCommRatio(layout.tokensPerChip, *layout.mixedTokenLimit)
                       : layout.tp == 1 ? layout.fsdpTokenLimit / layout.tokensPerChip
                                        : static_cast<double>(layout.tp) / layout.tpLimit;
    layout.peakCeiling = std::min(1.0, 1 / layout.commRatio);
    layout.dcnMargin = q.numPods > 1 ? batchPerPod / layout.dcnTokenLimit : std::numeric_limits<double>::infinity();
    return layout;
}

}  // namespace slipway
