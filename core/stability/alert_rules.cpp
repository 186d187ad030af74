#include "core/stability/alert_rules.h"

#include "core/base/units.h"

#include <algorithm>
#include <cmath>

namespace slipway {
namespace {

constexpr double kMadToSigma = 0.6745;    // of a normal distribution
constexpr double kMedianToMean = 1.2533;  // standard error of a median over the standard error of a mean, sqrt(pi / 2)
constexpr double kNoiseSigmas = 3;        // a drop within this number of standard errors is noise
constexpr double kDiskFreeAgain = 1.2;    // times the threshold
constexpr double kThroughputAgain = 0.5;  // of the threshold

constexpr std::array<AlertRuleInfo, kNumAlertRules> kRules = {{
    {AlertRule::LossNotFinite, "loss_not_finite", "Loss not finite"_text,
     "The loss of a step is NaN or infinite."_text},
    {AlertRule::LossSpike, "loss_spike", "Loss spike"_text,
     "The loss exceeds the median of the last 128 steps by this many scaled median absolute deviations."_text, 6, "MAD",
     3, 100},
    {AlertRule::ThroughputDown, "throughput_down", "Throughput down"_text,
     "The median throughput of 20 steps is lower than in the steps before, by more than this and by more than its noise."_text,
     5, "%", 1, 99},
    {AlertRule::Straggler, "straggler", "Straggler"_text,
     "A rank works longer than the median of its pipeline stage by more than this."_text, 5, "%", 5, 1000},
    {AlertRule::DiskNearlyFull, "disk_nearly_full", "Disk nearly full"_text,
     "The disk of the run folder has less than this free."_text, 5, "%", 0.1, 50},
    {AlertRule::RunEnded, "run_ended", "Run ended"_text,
     "A run is completed or was stopped; trials of a sweep are left out."_text},
    {AlertRule::RunFailed, "run_failed", "Run failed"_text, "A run has failed and does not restart by itself."_text},
    {AlertRule::RunLost, "run_lost", "Run lost"_text, "The agent of a run has disappeared."_text},
}};

double spread(const std::deque<double>& values, double median) {
    std::deque<double> distances;
    for (const double value : values) distances.push_back(std::abs(value - median));
    return medianOf(distances) / kMadToSigma;
}

}  // namespace

std::span<const AlertRuleInfo> alertRules() {
    return kRules;
}

const AlertRuleInfo* findAlertRule(std::string_view word) {
    const auto found = std::ranges::find(kRules, word, &AlertRuleInfo::word);
    return found == kRules.end() ? nullptr : &*found;
}

const AlertRuleInfo& infoOf(AlertRule rule) {
    return kRules[static_cast<std::size_t>(rule)];
}

AlertChoices defaultAlertChoices() {
    AlertChoices choices;
    for (std::size_t i = 0; i < choices.size(); ++i) choices[i].threshold = kRules[i].threshold;
    return choices;
}

AlertDetector::AlertDetector(const AlertChoices& choices)
    : m_choices(choices), m_spikes(SpikeRule::RobustZ, choice(AlertRule::LossSpike).threshold) {}

void AlertDetector::choose(const AlertChoices& choices) {
    const SpikeDetector before = m_spikes;
    m_choices = choices;
    m_spikes = SpikeDetector(SpikeRule::RobustZ, choice(AlertRule::LossSpike).threshold);
    m_spikes.restore(before.window(), before.streak());
}

const AlertChoice& AlertDetector::choice(AlertRule rule) const {
    return m_choices[static_cast<std::size_t>(rule)];
}

void AlertDetector::raise(AlertRule rule, std::int64_t step, Message text, std::vector<Alert>& out) const {
    if (choice(rule).isOn) out.push_back({rule, step, std::move(text)});
}

std::vector<Alert> AlertDetector::takeStep(const AlertStep& step) {
    std::vector<Alert> out;
    if (step.loss) takeLoss(step.step, *step.loss, out);
    if (step.throughput) takeThroughput(step.step, *step.throughput, out);
    return out;
}

void AlertDetector::takeLoss(std::int64_t step, double loss, std::vector<Alert>& out) {
    const double limit = m_spikes.limit();
    const SpikeVerdict verdict = m_spikes.evaluate(loss);
    const auto isNew = [&](std::optional<std::int64_t>& newest) {
        const bool begins = !newest || step - *newest > kCalmSteps;
        newest = step;
        return begins;
    };
    if (verdict == SpikeVerdict::NonFinite && isNew(m_notFiniteAt))
        raise(AlertRule::LossNotFinite, step, "The loss is not finite at step %1."_text(step), out);
    if (verdict == SpikeVerdict::Spike && isNew(m_spikeAt))
        raise(AlertRule::LossSpike, step,
              "Loss %1 at step %2 exceeds %3, the limit from the steps before."_text(formatSignificant(loss, 4), step,
                                                                                     formatSignificant(limit, 4)),
              out);
}

// The standard error of the difference of two medians of n and m values is 1.2533 sigma sqrt(1/n + 1/m) (normal noise).
void AlertDetector::takeThroughput(std::int64_t step, double throughput, std::vector<Alert>& out) {
    if (!std::isfinite(throughput) || throughput <= 0) return;
    m_recent.push_back(throughput);
    if (m_recent.size() > kRecentSteps) {
        if (m_slowSteps == 0) m_reference.push_back(m_recent.front());
        m_recent.pop_front();
    }
    if (m_reference.size() > kMostReference) m_reference.pop_front();
    if (m_recent.size() < kRecentSteps || m_reference.size() < kLeastReference) return;
    const double before = medianOf(m_reference), now = medianOf(m_recent);
    const double share = choice(AlertRule::ThroughputDown).threshold / 100;
    if (m_slowSteps > 0) {
        const bool isOver = now >= before * (1 - kThroughputAgain * share);
        const bool isLevel = ++m_slowSteps > kNewLevelSteps;
        if (isOver || isLevel) m_slowSteps = 0;
        if (isLevel) m_reference = {};
        return;
    }
    const double noise = kNoiseSigmas * kMedianToMean * spread(m_reference, before) *
                         std::sqrt(1.0 / kRecentSteps + 1.0 / static_cast<double>(m_reference.size()));
    if (now >= before * (1 - share) || before - now <= noise) return;
    m_slowSteps = 1;
    raise(AlertRule::ThroughputDown, step,
          "Throughput has dropped by %1 at step %2: the median of %3 steps, against that of the %4 before."_text(
              formatPercent(1 - now / before), step, static_cast<std::int64_t>(kRecentSteps),
              static_cast<std::int64_t>(m_reference.size())),
          out);
}

std::vector<Alert> AlertDetector::takeStragglers(std::int64_t step,
                                                 const std::vector<std::pair<std::int64_t, double>>& slower) {
    std::vector<Alert> out;
    std::set<std::int64_t> slow;
    for (const auto& [rank, share] : slower) {
        if (!(share > choice(AlertRule::Straggler).threshold / 100)) continue;
        slow.insert(rank);
        if (!m_slowRanks.contains(rank))
            raise(AlertRule::Straggler, step,
                  "Rank %1 works %2 longer than the median of its pipeline stage."_text(rank, formatPercent(share)),
                  out);
    }
    m_slowRanks = std::move(slow);
    return out;
}

std::vector<Alert> AlertDetector::takeDisk(std::int64_t step, double freeBytes, double totalBytes) {
    std::vector<Alert> out;
    if (!(totalBytes > 0)) return out;
    const double share = freeBytes / totalBytes, limit = choice(AlertRule::DiskNearlyFull).threshold / 100;
    if (share < limit && !m_isDiskFull)
        raise(AlertRule::DiskNearlyFull, step,
              "The disk of the run folder has %1 free, %2 of it."_text(formatBytes(freeBytes), formatPercent(share)),
              out);
    m_isDiskFull = share < (m_isDiskFull ? limit * kDiskFreeAgain : limit);
    return out;
}

}  // namespace slipway
