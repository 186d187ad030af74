#include "core/run/alert_watch.h"

#include "core/base/file.h"
#include "core/base/own_file.h"
#include "core/base/units.h"
#include "core/run/rank_map.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace slipway {
namespace {

constexpr std::int64_t kWarmSteps = 256;      // of an attempt already running: they fill the windows
constexpr std::int64_t kStepsAtOnce = 20000;  // per poll
constexpr std::int64_t kDiskMilliseconds = 15000, kRanksMilliseconds = 60000;
constexpr std::uint64_t kRankBytes = 4U << 20;
constexpr std::size_t kPieceBytes = 1U << 20;

/// The points of a metric after a step, unmodified.
Result<std::map<std::int64_t, double>> pointsAfter(const AlertView& view, const char* metric, std::int64_t step,
                                                   std::int64_t to) {
    const auto read = view.store->window(view.id, metric, step + 1, to, static_cast<std::size_t>(kStepsAtOnce));
    if (!read) return fail(read.error());
    std::map<std::int64_t, double> out;
    for (const SeriesBucket& bucket : read->buckets) out[bucket.lastStep] = bucket.last;
    for (const NonFinitePoint& point : read->nonFinite) out[point.step] = point.value;
    std::erase_if(out, [&](const auto& point) { return point.first <= step || point.first > to; });
    return out;
}

std::optional<double> valueAt(const std::map<std::int64_t, double>& points, std::int64_t step) {
    const auto found = points.find(step);
    return found == points.end() ? std::nullopt : std::optional(found->second);
}

std::string eventName(std::string_view word) {
    return std::string(AlertWatch::kEventPrefix) + std::string(word);
}

}  // namespace

Result<void> AlertWatch::poll(const AlertView& view, std::int64_t now, std::vector<RunEvent>& out) {
    if (!m_told) {
        std::error_code code;
        const auto size = std::filesystem::file_size(view.folder->path / kAlertsFile, code);
        m_told = code ? 0 : size;
        m_endedAttempt = view.endedAttempt;
    }
    if (view.mayRaise || m_hook.isBusy()) {
        const std::int64_t stamp = fileStamp(alertSettingsFile(*view.home));
        if (stamp != std::exchange(m_settingsStamp, stamp)) {
            auto read = readAlertSettings(*view.home);
            if (!read) return fail(read.error());  // reported once: until the file changes the last settings apply
            m_settings = std::move(*read);
            if (m_detector) m_detector->choose(m_settings.choices);
        }
        if (auto begun = begin(view); !begun) return begun;
        if (auto taken = takeSteps(view); !taken) return taken;
        takeFacts(view, now);
        takeEnd(view);
        const auto written = write(view, now);
        m_hook.poll(m_settings.hook, view.home->path / "alerts.lock", static_cast<double>(now) / 1000);
        if (!written) return written;
    }
    if (fileStamp(view.folder->path / kAlertsFile) == m_stamp) return {};
    return read(view, out);
}

/// The detector of an attempt: its earlier steps fill the windows without raising alerts.
Result<void> AlertWatch::begin(const AlertView& view) {
    if (view.attempt == 0 || m_attempt == view.attempt) return {};
    const auto attempts = view.store->attempts(view.id);
    if (!attempts) return fail(attempts.error());
    const auto found = std::ranges::find(*attempts, view.attempt, &AttemptRecord::attempt);
    if (found == attempts->end()) return {};  // nothing written yet
    m_attempt = view.attempt;
    m_detector.emplace(m_settings.choices);
    m_tokens = 0;
    m_quietUntil = view.attempt == view.arrivedAttempt ? view.arrivedStep : 0;
    m_seen = std::max(found->resumeStep, m_quietUntil - kWarmSteps);
    return {};
}

Result<void> AlertWatch::takeSteps(const AlertView& view) {
    if (!m_detector || view.lastStep <= m_seen || m_attempt != view.attempt) return {};
    const std::int64_t to = std::min(view.lastStep, m_seen + kStepsAtOnce);
    const auto losses = pointsAfter(view, "loss", m_seen, to);
    const auto seconds = pointsAfter(view, "step_seconds", m_seen, to);
    const auto tokens = pointsAfter(view, "tokens", m_seen, to);
    for (const auto* one : {&losses, &seconds, &tokens})
        if (!*one) return fail(one->error());
    std::set<std::int64_t> steps;
    for (const auto* one : {&losses, &seconds})
        for (const auto& [step, value] : **one) steps.insert(step);
    for (const std::int64_t step : steps) {
        AlertStep fact{step, valueAt(*losses, step), std::nullopt};
        const double total = valueAt(*tokens, step).value_or(0);
        // The first step after a gap has no separate number of tokens.
        const bool hasTokens = total > 0;
        const double added = hasTokens ? total - m_tokens : 1;
        const bool isKnown = !hasTokens || (m_tokens > 0 && added > 0);
        if (hasTokens) m_tokens = total;
        if (const auto took = valueAt(*seconds, step); took && *took > 0 && isKnown) fact.throughput = added / *took;
        std::vector<Alert> raised = m_detector->takeStep(fact);
        if (step > m_quietUntil) std::move(raised.begin(), raised.end(), std::back_inserter(m_raised));
    }
    m_seen = to;
    return {};
}

/// Facts outside the stream: the disk, and the ranks' own records.
void AlertWatch::takeFacts(const AlertView& view, std::int64_t now) {
    if (!m_detector || !(view.isRunning || view.isDone) || m_endedAttempt == view.attempt) return;
    const auto add = [&](std::vector<Alert> raised) {
        std::move(raised.begin(), raised.end(), std::back_inserter(m_raised));
    };
    if (view.isDiskHere && now >= m_nextDisk) {
        m_nextDisk = now + kDiskMilliseconds;
        std::error_code code;
        const auto space = std::filesystem::space(view.folder->path, code);
        if (!code)
            add(m_detector->takeDisk(view.lastStep, static_cast<double>(space.available),
                                     static_cast<double>(space.capacity)));
    }
    if (view.layout != nullptr && (now >= m_nextRanks || view.isDone)) {
        m_nextRanks = now + kRanksMilliseconds;
        const RankMap map =
            readRankMap(*view.folder, {.numRanks = view.layout->worldSize(), .maxColumns = 40, .maxBytes = kRankBytes});
        std::vector<std::pair<std::int64_t, double>> slower;
        for (const Straggler& one : stragglersOf(map, *view.layout)) slower.emplace_back(one.rank, one.slower);
        add(m_detector->takeStragglers(view.lastStep, slower));
    }
}

void AlertWatch::takeEnd(const AlertView& view) {
    if (!view.isDone || view.attempt == 0 || m_endedAttempt == view.attempt) return;
    m_endedAttempt = view.attempt;
    const AlertRule rule = view.status == RunStatus::Failed ? AlertRule::RunFailed
                           : view.status == RunStatus::Lost ? AlertRule::RunLost
                                                            : AlertRule::RunEnded;
    if (!m_settings.choices[static_cast<std::size_t>(rule)].isOn) return;
    // Ends of trials are reported by the sweep.
    const auto record = view.store->run(view.id);
    if (rule == AlertRule::RunEnded && record && !record->sweep.empty()) return;
    const std::string status = wordOf(view.status);
    m_raised.push_back({rule, view.lastStep,
                        view.reason.empty() ? "Attempt %1: %2."_text(view.attempt, status)
                                            : "Attempt %1: %2. %3"_text(view.attempt, status, view.reason)});
}

/// The holder of the lock writes; other programs that follow the run have raised the same.
Result<void> AlertWatch::write(const AlertView& view, std::int64_t now) {
    std::ranges::move(m_hook.takeEnds(), std::back_inserter(m_hookEnds));
    if (m_raised.empty() && m_hookEnds.empty() && m_lock.held()) return {};
    if (!m_lock.held()) {
        if (auto made = makeFolders(view.folder->path / "control"); !made) return made;
        auto lock = FileLock::tryLock(view.folder->path / "control" / "alerts.lock");
        if (!lock && lock.error().code != "locked") return fail(lock.error());
        if (!lock) {
            m_raised.clear();
            m_hookEnds.clear();
            return {};
        }
        m_lock = std::move(*lock);
    }
    if (m_raised.empty() && m_hookEnds.empty()) return {};
    const auto path = view.folder->path / kAlertsFile;
    // The former holder's last lines are not repeated.
    const std::string before = readOwnFile(path).value_or("");
    MetricReader reader;
    const MetricBatch old = readAlertEvents(reader, before, 0);
    const auto isWritten = [&](const MetricEvent& event) {
        return std::ranges::any_of(old.records, [&](const MetricRecord& record) {
            const auto& one = std::get<MetricEvent>(record);
            return one.name == event.name && one.step == event.step && one.detail == event.detail;
        });
    };
    auto file = AppendFile::open(path);
    if (!file) return fail(file.error());
    // Each leaves its list when written: on a full disk the rest is retried.
    for (; !m_hookEnds.empty(); m_hookEnds.pop_front()) {
        const HookEnd& end = m_hookEnds.front();
        const MetricEvent event{end.step, std::string(kHookEvent), end.rule + ": " + end.text, now};
        if (auto appended = file->append(toLine(event)); !appended) return appended;
    }
    for (; !m_raised.empty(); m_raised.pop_front()) {
        const Alert& alert = m_raised.front();
        const std::string word(infoOf(alert.rule).word), text = asciiText(textOf(alert.text));
        const MetricEvent event{alert.step, eventName(word), text, now};
        if (isWritten(event)) continue;
        if (auto appended = file->append(toLine(event)); !appended) return appended;
        m_hook.add({word, view.id.value, view.name, text, alert.step, view.attempt, now});
    }
    return {};
}

Result<void> AlertWatch::read(const AlertView& view, std::vector<RunEvent>& out) {
    const auto path = view.folder->path / kAlertsFile;
    const std::int64_t stamp = fileStamp(path);
    if (stamp == 0) {
        m_stamp = 0;
        return {};
    }
    if (auto stored = ingestAlerts(*view.store, m_reader, view.id); !stored) return stored;
    const auto bytes = readOwnFile(path, *m_told, kPieceBytes);
    if (!bytes) return fail(bytes.error());
    const MetricBatch batch = readAlertEvents(m_reader, *bytes, *m_told);
    for (const MetricRecord& record : batch.records) {
        const auto& event = std::get<MetricEvent>(record);
        out.push_back({RunEvent::Kind::Event, view.status, event.step, event.name, event.detail});
    }
    m_told = batch.toOffset;
    m_stamp = stamp;
    return {};
}

}  // namespace slipway
