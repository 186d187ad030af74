#include "core/run/run_actions.h"

#include "core/process/proc_facts.h"

#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace slipway {

Result<void> refreshOpenRuns(RunStore& store, const Home& home, std::int64_t now, const Programs& programs) {
    constexpr int kLeastPolls = 6;    // presence, record, last points, log, verdict
    constexpr int kMostPolls = 1000;  // of a stream unread for days
    constexpr double kWaitSeconds = 0.02;
    double patienceSeconds = 2;
    RunQuery query;
    query.filter = "status:queued,running";
    query.scope = RunScope::All;
    const auto open = store.ids(query);
    if (!open) return fail(open.error());
    for (const RunId& id : *open) {
        std::error_code code;
        const auto folder = home.run(id);
        if (!folder || !std::filesystem::exists(folder->launch(), code)) continue;
        auto session = RunSession::attach(store, home, id, now, programs);
        if (!session || session->isRemote())
            continue;  // a list never logs in to nodes; followers of a run bring its news
        session->leaveRestarts();
        bool news = true;
        for (int i = 0; i < kMostPolls && !session->done() && (news || i < kLeastPolls || session->isBusy()); ++i) {
            // A scheduler is queried; one that does not answer delays all runs for this long.
            if (session->isBusy() && patienceSeconds > 0) {
                session->wait(kWaitSeconds);
                patienceSeconds -= kWaitSeconds;
            } else if (session->isBusy() && i >= kLeastPolls) {
                break;
            }
            const std::vector<RunEvent> events = session->poll(now);
            news = std::any_of(events.begin(), events.end(),
                               [](const RunEvent& e) { return e.kind == RunEvent::Kind::Progress; });
            // Another program is writing: its findings are equally good, and the next query brings the rest.
            const bool busy =
                std::any_of(events.begin(), events.end(), [](const RunEvent& e) { return e.name == "store_busy"; });
            if (busy) return fail("store_busy", "Another program is writing to the run index."_text);
        }
    }
    return {};
}

std::int64_t endRunWithoutFolder(const RunId& id, bool atOnce) {
    std::int64_t numSignalled = 0;
    for (const std::int64_t pid : processesWithEnvironment({"SLIPWAY_RUN_ID=" + id.value}))
        if (::kill(static_cast<pid_t>(pid), atOnce ? SIGKILL : SIGTERM) == 0) ++numSignalled;
    return numSignalled;
}

}  // namespace slipway
