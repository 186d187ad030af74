#include "core/metrics/waterfall.h"

#include "core/base/units.h"

#include <algorithm>
#include <cmath>

namespace slipway {
namespace {

/// The bars of one column, from the total down.
class Column {
public:
    Column(const TimeParts& parts, const std::optional<double>& whole) : m_parts(parts), m_whole(whole) {}

    [[nodiscard]] std::optional<WaterfallBar> peak() const {
        if (!m_whole) return {};
        return WaterfallBar{0, 100, m_parts[TimePart::Useful].value_or(*m_whole)};
    }
    std::optional<WaterfallBar> loss(TimePart part) {
        const std::optional<double>& seconds = m_parts[part];
        if (!m_whole || !seconds) return {};
        const WaterfallBar bar{m_at, m_at - 100 * *seconds / *m_whole, *seconds};
        m_at = bar.to;
        return bar;
    }
    [[nodiscard]] std::optional<WaterfallBar> reached() const {
        const std::optional<double>& useful = m_parts[TimePart::Useful];
        if (!m_whole || !useful) return {};
        return WaterfallBar{0, 100 * *useful / *m_whole, *m_whole};
    }

private:
    const TimeParts& m_parts;
    const std::optional<double>& m_whole;
    double m_at = 100;
};

bool isNothing(const std::optional<WaterfallBar>& bar) {
    return !bar || bar->seconds == 0;
}

}  // namespace

std::vector<WaterfallRow> waterfallOf(const StepAccount& account) {
    std::vector<WaterfallRow> rows;
    if (!account.stepSeconds && !account.forecastSeconds) return rows;
    Column measured(account.measured, account.stepSeconds), forecast(account.forecast, account.forecastSeconds);
    const bool hasPeak = account.mfu || account.forecastMfu;
    rows.push_back({WaterfallRow::Kind::Peak, TimePart::Useful, hasPeak ? "Device peak, useful work"_text : "Step"_text,
                    measured.peak(), forecast.peak()});
    for (const auto& name : enumNames(TimePart{})) {
        if (name.value == TimePart::Useful || isOutsideStep(name.value)) continue;
        WaterfallRow row{WaterfallRow::Kind::Loss, name.value, titleOf(name.value), measured.loss(name.value),
                         forecast.loss(name.value)};
        const bool always = name.value == TimePart::Kernels || name.value == TimePart::Unexplained;
        if (always || !isNothing(row.measured) || !isNothing(row.forecast)) rows.push_back(std::move(row));
    }
    const auto mfuTitle = [&](SourceText causal, SourceText other) { return account.mfuRule == "C" ? causal : other; };
    if (hasPeak)
        rows.push_back({WaterfallRow::Kind::Reached, TimePart::Useful,
                        mfuTitle("MFU (causal) reached"_text, "MFU reached"_text), measured.reached(),
                        forecast.reached()});
    if (!account.wallSeconds) return rows;
    for (const auto& name : enumNames(TimePart{}))
        if (const auto& seconds = account.measured[name.value]; isOutsideStep(name.value) && seconds && *seconds != 0)
            rows.push_back({WaterfallRow::Kind::Outside,
                            name.value,
                            titleOf(name.value),
                            WaterfallBar{0, -100 * *seconds / *account.wallSeconds, *seconds},
                            {}});
    if (account.wallMfu)
        rows.push_back({WaterfallRow::Kind::Wall,
                        TimePart::Useful,
                        "MFU with the time between steps"_text,
                        WaterfallBar{0, 100 * *account.wallMfu, *account.wallSeconds},
                        {}});
    return rows;
}

std::optional<TimePart> largestLoss(const StepAccount& account) {
    std::optional<TimePart> most;
    for (const auto& name : enumNames(TimePart{})) {
        if (name.value == TimePart::Useful || name.value == TimePart::Unexplained || isOutsideStep(name.value))
            continue;
        const auto& seconds = account.measured[name.value];
        if (seconds && *seconds > 0 && (!most || *seconds > *account.measured[*most])) most = name.value;
    }
    return most;
}

Message summaryOf(const StepAccount& account) {
    if (!account.stepSeconds) return "No step was measured."_text;
    const auto percent = [](double value) { return formatFixed(value, 1) + " %"; };
    const Message whole = account.mfu ? "A step takes %1, and its MFU is %2."_text(Seconds{*account.stepSeconds},
                                                                                   percent(100 * *account.mfu))
                                      : "A step takes %1."_text(Seconds{*account.stepSeconds});
    const double unexplained = account.share(TimePart::Unexplained, false).value_or(0);
    const auto most = largestLoss(account);
    const Message loss = most ? "The largest loss is %1: %2 of the step."_text(
                                    titleOf(*most), percent(account.share(*most, false).value_or(0)))
                              : Message();
    const Message rest = "Unexplained: %1."_text(percent(unexplained));
    return most ? "%1 %2 %3"_text(whole, loss, rest) : "%1 %2"_text(whole, rest);
}

}  // namespace slipway
