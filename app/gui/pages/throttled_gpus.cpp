#include "app/gui/pages/throttled_gpus.h"

#include "app/gui/pages/run_page.h"
#include "app/gui/text/format.h"

namespace slipway::gui {

QString throttledText(const std::vector<RankState>& ranks) {
    constexpr std::size_t kMostNamed = 3;
    const auto reasonText = [](const std::string& word) {
        if (word == "sw_power_cap") return RunPage::tr("power limit");
        if (word == "sw_thermal" || word == "hw_thermal") return RunPage::tr("heat");
        if (word == "hw_power_brake") return RunPage::tr("power brake");
        if (word == "hw_slowdown") return RunPage::tr("hardware slowdown");
        if (word == "sync_boost") return RunPage::tr("synchronized with other GPUs");
        return qs(word);
    };
    QStringList named;
    std::size_t count = 0;
    for (const RankState& rank : ranks) {
        if (rank.deviceThrottled.empty() || ++count > kMostNamed) continue;
        QStringList reasons;
        for (const std::string& word : rank.deviceThrottled) reasons << reasonText(word);
        reasons.removeDuplicates();
        named << RunPage::tr("rank %1 (%2)").arg(rank.rank).arg(reasons.join(QStringLiteral(", ")));
    }
    if (count == 0) return {};
    if (count > kMostNamed)
        return RunPage::tr("%n GPU(s) throttled, such as %1.", nullptr, static_cast<int>(count))
            .arg(named.join(QStringLiteral(", ")));
    return RunPage::tr("Throttled: %1.").arg(named.join(QStringLiteral(", ")));
}

}  // namespace slipway::gui
