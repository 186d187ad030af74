// meta.json: data about a run from people, sweeps and its lifecycle; enough, together with config.json, plan.json and
// metrics.jsonl, to rebuild its row. Keys: name, tags, notes, archived, locked, deleted_unix_ms, sweep, trial, status,
// reason, exit_code, attempts, created_unix_ms, started_unix_ms, ended_unix_ms, measured. Private to this room.
#pragma once

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/store/run_change.h"
#include "core/store/run_record.h"
#include "core/store/sweep_record.h"

#include <functional>

namespace slipway::store {

/// Writes record.folder/meta.json atomically, creating the folder if needed.
Result<void> writeMeta(const RunRecord& record);

/// Writes the stream of a future run into the folder prepared by makeRunFolder, with control/creator.json.
Result<void> stageStream(const RunDir& folder, const std::function<Result<void>(AppendFile&)>& write);

/// Makes record.folder with config.json, plan.json, meta.json, metrics.jsonl where the run has a stream, and
/// control/creator.json, first under another name, so that it never appears incomplete. "run_exists".
Result<void> makeRunFolder(const NewRun& run, const RunRecord& record);

/// Whether the creator of the run can still start it: false only where it is known to have ended.
bool creatorMayLive(const RunDir& folder);

/// Copies the document's values into `record`; missing keys or wrong types leave it unchanged.
void readMeta(const Json& meta, RunRecord& record);

Json sweepJson(const SweepRecord& sweep);
Result<SweepRecord> sweepFromJson(const Json& json, const SweepId& id);
Json trialJson(const TrialRecord& trial);
Result<TrialRecord> trialFromJson(const Json& json, const SweepId& id);

}  // namespace slipway::store
