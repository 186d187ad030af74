#include "core/run/run_actions.h"

#include "core/run/run_files.h"

#include <nlohmann/json.hpp>

#include <algorithm>

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

}  // namespace slipway
