#include "core/run/run_actions.h"

#include "core/run/run_files.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace slipway {

Result<RunRequest> cloneRun(RunStore& store, const Home&, const RunId& id,
                            const std::vector<std::pair<std::string, std::string>>& changes) {
    const auto record = store.run(id);
    if (!record) return fail(record.error());
    const auto files = readRunFiles(RunDir{record->folder});
    if (!files) return fail(files.error());
    Json json = toJson(files->config);
    json["name"] = record->name + " (copy)";
    for (const auto& [path, text] : changes)
        if (const auto set = setField(json, path, text); !set) return fail(set.error());
    auto config = parseRunConfig(json, record->name);
    if (!config) return fail(config.error());
    RunRequest request;
    request.config = std::move(*config);
    request.cluster = files->cluster;
    request.tags = record->tags;
    return request;
}

Result<void> stopRun(RunStore& store, const Home& home, const RunId& id, StopKind kind, std::int64_t now,
                     const Programs& programs) {
    auto session = RunSession::attach(store, home, id, now, programs);
    if (!session) return fail(session.error());
    if (session->done())
        return fail("wrong_status", "The run has ended already: " + wordOf(session->status()) + ".", id.value);
    return kind == StopKind::Stop ? session->stop(now) : session->kill(now);
}

Result<RunSession> resumeRun(RunStore& store, const Home& home, const RunId& id, std::int64_t now,
                             const Programs& programs) {
    auto session = RunSession::attach(store, home, id, now, programs);
    if (!session) return session;
    if (const auto resumed = session->resume(now); !resumed) return fail(resumed.error());
    return session;
}

Result<std::vector<RunId>> openRuns(RunStore& store) {
    RunQuery query;
    query.filter = "status:queued,running,lost";
    query.sort = {{"created", false}};
    query.scope = RunScope::All;
    return store.ids(query);
}

Result<void> refreshOpenRuns(RunStore& store, const Home& home, std::int64_t now, const Programs& programs) {
    constexpr int kLeastPolls = 6;    // presence, record, last points, log, verdict
    constexpr int kMostPolls = 1000;  // of a stream that nobody read for days
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
        if (!session) continue;
        bool news = true;
        for (int i = 0; i < kMostPolls && !session->done() && (news || i < kLeastPolls); ++i) {
            const std::vector<RunEvent> events = session->poll(now);
            news = std::any_of(events.begin(), events.end(),
                               [](const RunEvent& e) { return e.kind == RunEvent::Kind::Progress; });
        }
    }
    return {};
}

}  // namespace slipway
