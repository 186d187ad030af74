// Alerts of a run: one table of rules, and a detector for the figures that followers read.
//   AlertDetector detector(choices);
//   for (const Alert& alert : detector.takeStep({step, loss, tokensPerSecond})) ...
// Each alert is raised when its condition begins, and again only after the condition has ended.
#pragma once

#include "core/base/message.h"
#include "core/stability/spike_detector.h"

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace slipway {

enum class AlertRule {
    LossNotFinite,
    LossSpike,
    ThroughputDown,
    Straggler,
    DiskNearlyFull,
    RunEnded,
    RunFailed,
    RunLost
};

struct AlertRuleInfo {
    AlertRule rule;
    std::string_view word;  ///< in settings, events and JSON: "loss_spike"
    SourceText name;
    SourceText help;          ///< one sentence: the condition
    double threshold = 0;     ///< default; meaningless without a unit
    std::string_view unit{};  ///< of the threshold: "%", or "MAD" of the robust z-score
    double least = 0, most = 0;
};
std::span<const AlertRuleInfo> alertRules();
constexpr std::size_t kNumAlertRules = 8;
/// Null for an unknown word.
const AlertRuleInfo* findAlertRule(std::string_view word);
const AlertRuleInfo& infoOf(AlertRule rule);

struct AlertChoice {
    bool isOn = true;
    double threshold = 0;
    bool operator==(const AlertChoice&) const = default;
};
/// By AlertRule.
using AlertChoices = std::array<AlertChoice, kNumAlertRules>;
AlertChoices defaultAlertChoices();

struct Alert {
    AlertRule rule = AlertRule::LossNotFinite;
    std::int64_t step = 0;
    Message text;
};

/// Known figures of a step; another program's run may lack some.
struct AlertStep {
    std::int64_t step = 0;
    std::optional<double> loss;
    std::optional<double> throughput;  ///< tokens per second, or steps per second for all
};

class AlertDetector {
public:
    /// Steps without its condition after which an alert on the loss may be raised again.
    static constexpr std::int64_t kCalmSteps = 20;
    /// Throughput: the median of the recent steps, against that of a least and most number of steps before them.
    static constexpr std::size_t kRecentSteps = 20, kLeastReference = 30, kMostReference = 100;
    /// Number of slow steps after which the throughput is a new level.
    static constexpr std::int64_t kNewLevelSteps = 200;

    explicit AlertDetector(const AlertChoices& choices);
    /// Raised alerts stay raised.
    void choose(const AlertChoices& choices);

    /// To be called with steps in order.
    std::vector<Alert> takeStep(const AlertStep& step);
    /// @param slower by rank, fraction above the median of its stage; other ranks are as fast as the rest
    std::vector<Alert> takeStragglers(std::int64_t step, const std::vector<std::pair<std::int64_t, double>>& slower);
    std::vector<Alert> takeDisk(std::int64_t step, double freeBytes, double totalBytes);

private:
    [[nodiscard]] const AlertChoice& choice(AlertRule rule) const;
    void raise(AlertRule rule, std::int64_t step, Message text, std::vector<Alert>& out) const;
    void takeLoss(std::int64_t step, double loss, std::vector<Alert>& out);
    void takeThroughput(std::int64_t step, double throughput, std::vector<Alert>& out);

    AlertChoices m_choices;
    SpikeDetector m_spikes;
    std::optional<std::int64_t> m_notFiniteAt, m_spikeAt;  // the newest step of an episode
    std::deque<double> m_recent, m_reference;
    std::int64_t m_slowSteps = 0;  // 0: not slow
    std::set<std::int64_t> m_slowRanks;
    bool m_isDiskFull = false;
};

}  // namespace slipway
