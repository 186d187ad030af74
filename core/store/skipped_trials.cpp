#include "core/store/skipped_trials.h"

#include <algorithm>
#include <utility>

namespace slipway {

Result<std::int64_t> skippedIn(RunStore& store, const SweepId& sweep) {
    const auto trials = store.trials(sweep);
    if (!trials) return fail(trials.error());
    return std::count_if(trials->begin(), trials->end(), [](const TrialRecord& trial) {
        return trial.status == "skipped" || trial.status == "infeasible";
    });
}

Result<std::int64_t> SkippedTrials::of(RunStore& store, RunQuery query, const std::stop_token& stop) {
    const auto version = store.listVersion();
    if (!version) return fail(version.error());
    if (*version != m_version) {
        const auto sweeps = store.sweeps();
        if (!sweeps) return fail(sweeps.error());
        std::map<std::string, Sweep> found;
        m_any = false;
        for (const SweepRecord& sweep : *sweeps) {
            const auto known = m_sweeps.find(sweep.id.value);
            Sweep now{sweep.endedUnixMilliseconds, 0};
            if (known != m_sweeps.end() && now.endedUnixMilliseconds &&
                now.endedUnixMilliseconds == known->second.endedUnixMilliseconds) {
                now.skipped = known->second.skipped;
            } else {
                const auto count = skippedIn(store, sweep.id);
                if (!count) return fail(count.error());
                now.skipped = *count;
            }
            m_any = m_any || now.skipped > 0;
            found.emplace(sweep.id.value, now);
        }
        m_sweeps = std::move(found);
        m_version = *version;
    }
    if (!m_any) return 0;
    query.sort.clear();
    query.figure.clear();
    query.groupBy = "sweep";
    const auto groups = store.groups(query, {}, stop);
    if (!groups) return fail(groups.error());
    std::int64_t out = 0;
    for (const RunGroup& group : *groups)
        if (const auto* id = std::get_if<std::string>(&group.value))
            if (const auto sweep = m_sweeps.find(*id); sweep != m_sweeps.end()) out += sweep->second.skipped;
    return out;
}

}  // namespace slipway
