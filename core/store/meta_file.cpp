#include "core/store/meta_file.h"

#include "core/base/file.h"
#include "core/base/file_descriptor.h"
#include "core/base/own_file.h"
#include "core/base/untrusted_text.h"
#include "core/process/host_identity.h"
#include "core/store/store_impl.h"

#include <nlohmann/json.hpp>
#include <unistd.h>

#include <limits>

namespace slipway::store {
namespace {

template <class T>
void put(Json& json, const char* key, const std::optional<T>& value) {
    if (value) json[key] = *value;
}

void get(const Json& json, const char* key, std::string& out) {
    if (const auto it = json.find(key); it != json.end() && it->is_string()) out = it->get<std::string>();
}

void get(const Json& json, const char* key, bool& out) {
    if (const auto it = json.find(key); it != json.end() && it->is_boolean()) out = it->get<bool>();
}

template <class T>
void get(const Json& json, const char* key, std::optional<T>& out) {
    const auto it = json.find(key);
    if (it == json.end()) return;
    if (it->is_null()) out.reset();
    if (!it->is_number_integer()) return;
    const auto value = it->get<std::int64_t>();
    if (value >= std::numeric_limits<T>::min() && value <= std::numeric_limits<T>::max()) out = static_cast<T>(value);
}

void get(const Json& json, const char* key, std::int64_t& out) {
    std::optional<std::int64_t> value;
    get(json, key, value);
    if (value) out = *value;
}

std::vector<std::string> textsOf(const Json& list) {
    std::vector<std::string> out;
    if (!list.is_array()) return out;
    for (std::size_t i = 0; i < list.size(); ++i)
        if (list[i].is_string()) out.push_back(repairedName(list[i].get<std::string>()));
    return out;
}

/// A JSON text as a nested document, so that the files stay readable; other text stays text.
Json nested(const std::string& text) {
    if (text.empty()) return Json(nullptr);
    auto json = parseJson(text, "document");
    return json ? *json : Json(text);
}

std::string unnested(const Json& json, const char* key) {
    const auto it = json.find(key);
    if (it == json.end() || it->is_null()) return {};
    return it->is_string() ? it->get<std::string>() : dumpJson(*it, false);
}

/// The creator of a run, so that other programs can tell whether it may still start.
Json creatorJson() {
    const HostIdentity& host = thisHost();
    const ProcessIdentity self = identityOf(::getpid());
    return Json{{"host", host.host},
                {"boot_id", host.bootId},
                {"pid_namespace", host.pidNamespace},
                {"pid", self.pid},
                {"start_ticks", self.startTicks}};
}

RunDir stageOf(const std::filesystem::path& folder) {
    return {folder.parent_path() / (kStagePrefix + folder.filename().string())};
}

Result<void> beginStage(const RunDir& stage) {
    std::error_code ignored;
    std::filesystem::remove_all(stage.path, ignored);  // of a creator that was killed
    const std::filesystem::path creator = stage.path / "control" / "creator.json";
    auto made = makeFolders(creator.parent_path());
    return made ? writeJsonFile(creator, creatorJson()) : made;
}

}  // namespace

Result<void> writeMeta(const RunRecord& record) {
    Json meta = Json::object();
    meta["name"] = record.name;
    meta["tags"] = record.tags;
    meta["notes"] = record.notes;
    meta["archived"] = record.archived;
    meta["locked"] = record.locked;
    put(meta, "deleted_unix_ms", record.deletedUnixMilliseconds);
    if (!record.sweep.empty()) meta["sweep"] = record.sweep.value;
    put(meta, "trial", record.trial);
    meta["status"] = wordOf(record.status);
    if (!record.reason.empty()) meta["reason"] = record.reason;
    put(meta, "exit_code", record.exitCode);
    meta["attempts"] = record.attempts;
    meta["created_unix_ms"] = record.createdUnixMilliseconds;
    put(meta, "started_unix_ms", record.startedUnixMilliseconds);
    put(meta, "ended_unix_ms", record.endedUnixMilliseconds);
    meta["measured"] = measuredJson(record.measured);
    if (auto made = makeFolders(record.folder); !made) return made;
    return writeJsonFile(RunDir{record.folder}.meta(), meta);
}

Result<void> stageStream(const RunDir& folder, const std::function<Result<void>(AppendFile&)>& write) {
    const RunDir stage = stageOf(folder.path);
    auto made = beginStage(stage);
    if (made) {
        auto file = AppendFile::open(stage.metrics());
        made = file ? write(*file) : fail(file.error());
        if (made) made = file->sync();
    }
    std::error_code ignored;
    if (!made) std::filesystem::remove_all(stage.path, ignored);
    return made;
}

Result<void> makeRunFolder(const NewRun& run, const RunRecord& record) {
    const RunDir stage = stageOf(record.folder);
    std::error_code code;
    RunRecord staged = record;
    staged.folder = stage.path;
    auto made = run.isStreamStaged ? Result<void>() : beginStage(stage);
    const auto write = [&](const std::filesystem::path& path, const Json& json) {
        if (made) made = writeJsonFile(path, json);
    };
    write(stage.config(), run.storedConfig().document());
    if (run.cluster) {
        const auto forecast = parseJson(run.forecastJson, "forecast");
        write(stage.plan(), Json{{"cluster", toJson(*run.cluster)}, {"forecast", forecast.value_or(Json(nullptr))}});
    }
    for (const auto& [name, text] : run.documents)
        if (made) made = writeFileAtomically(stage.path / name, text);
    if (made && !run.stream.empty()) made = writeFileAtomically(stage.metrics(), run.stream);
    if (made) made = writeMeta(staged);
    if (made) {
        std::filesystem::rename(stage.path, record.folder, code);
        if (!code) {
            flushFolder(record.folder.parent_path());
            return {};
        }
        made = fail(code == std::errc::directory_not_empty || code == std::errc::file_exists ? "run_exists"
                                                                                             : "folder_unwritable",
                    "The run folder cannot be put in place: %1."_text(code.message()), record.folder.string());
    }
    std::filesystem::remove_all(stage.path, code);
    return made;
}

bool creatorMayLive(const RunDir& folder) {
    const auto json = readOwnJson(folder.path / "control" / "creator.json");
    if (!json || !json->is_object()) return true;
    HostIdentity host;
    ProcessIdentity process;
    get(*json, "host", host.host);
    get(*json, "boot_id", host.bootId);
    get(*json, "pid_namespace", host.pidNamespace);
    get(*json, "pid", process.pid);
    get(*json, "start_ticks", process.startTicks);
    process.bootId = host.bootId;
    const Reach reach = reachOf(host);
    return reach == Reach::Elsewhere || (reach == Reach::Here && isAlive(process));
}

void readMeta(const Json& meta, RunRecord& record) {
    if (!meta.is_object()) return;
    get(meta, "name", record.name);
    record.name = repairedName(record.name);
    get(meta, "notes", record.notes);
    get(meta, "archived", record.archived);
    get(meta, "locked", record.locked);
    get(meta, "deleted_unix_ms", record.deletedUnixMilliseconds);
    get(meta, "sweep", record.sweep.value);
    get(meta, "trial", record.trial);
    get(meta, "reason", record.reason);
    get(meta, "exit_code", record.exitCode);
    get(meta, "attempts", record.attempts);
    get(meta, "created_unix_ms", record.createdUnixMilliseconds);
    get(meta, "started_unix_ms", record.startedUnixMilliseconds);
    get(meta, "ended_unix_ms", record.endedUnixMilliseconds);
    std::string status;
    get(meta, "status", status);
    if (const auto known = runStatusFrom(status)) record.status = *known;
    if (meta.contains("tags")) record.tags = textsOf(meta["tags"]);
    if (const auto measured = meta.find("measured"); measured != meta.end())
        record.measured = figuresFromJson(*measured);
}

Json sweepJson(const SweepRecord& sweep) {
    Json json = Json::object();
    json["sweep_id"] = sweep.id.value;
    json["name"] = sweep.name;
    json["identity"] = sweep.identity;
    json["status"] = sweep.status;
    json["created_unix_ms"] = sweep.createdUnixMilliseconds;
    put(json, "ended_unix_ms", sweep.endedUnixMilliseconds);
    json["notes"] = sweep.notes;
    json["document"] = nested(sweep.document);
    return json;
}

Result<SweepRecord> sweepFromJson(const Json& json, const SweepId& id) {
    if (!json.is_object()) return fail("bad_sweep_file", "sweep.json is not an object."_text, id.value);
    SweepRecord sweep;
    sweep.id = id;
    get(json, "name", sweep.name);
    sweep.name = repairedName(sweep.name);
    get(json, "identity", sweep.identity);
    get(json, "status", sweep.status);
    get(json, "created_unix_ms", sweep.createdUnixMilliseconds);
    get(json, "ended_unix_ms", sweep.endedUnixMilliseconds);
    get(json, "notes", sweep.notes);
    sweep.document = unnested(json, "document");
    return sweep;
}

Json trialJson(const TrialRecord& trial) {
    Json json = Json::object();
    json["trial"] = trial.index;
    json["name"] = trial.name;
    json["status"] = trial.status;
    json["reason"] = trial.reason;
    json["run_id"] = trial.run.value;
    json["config_hash"] = trial.configHash;
    json["point"] = nested(trial.point);
    return json;
}

Result<TrialRecord> trialFromJson(const Json& json, const SweepId& id) {
    TrialRecord trial;
    trial.sweep = id;
    trial.index = -1;
    if (json.is_object()) get(json, "trial", trial.index);
    if (trial.index < 0) return fail("bad_trial_line", "The line has no trial index."_text, id.value);
    get(json, "name", trial.name);
    trial.name = repairedName(trial.name);
    get(json, "status", trial.status);
    get(json, "reason", trial.reason);
    get(json, "run_id", trial.run.value);
    get(json, "config_hash", trial.configHash);
    trial.point = unnested(json, "point");
    return trial;
}

}  // namespace slipway::store
