// Rows of the table runs: reading, writing, tags.
#include "core/base/json.h"
#include "core/base/own_file.h"
#include "core/store/meta_file.h"
#include "core/store/store_impl.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace slipway::store {
namespace {

constexpr const char* kPlainColumns =
    "run_id, name, status, attempts, created_unix_ms, started_unix_ms, ended_unix_ms, config_hash, tags, archived, locked, deleted_unix_ms, sweep_id, trial, exit_code, last_step, "
    "reason, notes, forecast_mfu_rule, measured_mfu_rule";
constexpr int kNumWritten = 20;
// recordFrom reads these as well; others write them: the config's number of steps, and the state on another computer.
constexpr const char* kReadColumns = "r.num_steps, r.host, r.last_sign_unix_ms";
constexpr int kNumRead = 3;

std::string figureColumns() {
    std::string out;
    for (const char* prefix : {"forecast_", "measured_"})
        for (const FigureInfo& figure : figureInfos()) out += ", " + (prefix + std::string(figure.key));
    return out;
}

std::string repeated(const std::string& text, std::size_t times) {
    std::string out;
    for (std::size_t i = 0; i < times; ++i) out += text;
    return out;
}

std::string upsertSql() {
    const std::string columns = kPlainColumns + figureColumns();
    std::string updates;
    std::size_t at = columns.find(", ") + 2;  // run_id itself is not updated
    while (at < columns.size()) {
        const std::size_t end = std::min(columns.find(", ", at), columns.size());
        const std::string name = columns.substr(at, end - at);
        updates += (updates.empty() ? "" : ", ") + name + " = excluded." + name;
        at = end + 2;
    }
    return "INSERT INTO runs (" + columns + ") VALUES (?" +
           repeated(", ?", static_cast<std::size_t>(std::count(columns.begin(), columns.end(), ','))) +
           ") ON CONFLICT (run_id) DO UPDATE SET " + updates + " RETURNING id";
}

std::optional<std::string> orNull(const std::string& text) {
    return text.empty() ? std::nullopt : std::optional(text);
}

}  // namespace

const std::string& recordColumns() {
    static const std::string columns = [] {
        std::string out = kReadColumns;
        std::string rest = ", " + (kPlainColumns + figureColumns());
        for (std::size_t at = 0; (at = rest.find(", ", at)) != std::string::npos; at += 4) rest.insert(at + 2, "r.");
        return out + rest;
    }();
    return columns;
}

int numRecordColumns() {
    return kNumRead + kNumWritten + 2 * static_cast<int>(figureInfos().size());
}

RunRecord recordFrom(Query& row, const Home& home) {
    RunRecord out;
    int c = 0;
    out.numSteps = row.optionalInteger(c++).value_or(0);
    out.host = row.text(c++);
    out.lastSignUnixMilliseconds = row.optionalInteger(c++);
    out.id = RunId(row.text(c++));
    out.name = row.text(c++);
    out.status = runStatusFrom(row.text(c++)).value_or(RunStatus::Planned);
    out.attempts = row.integer(c++);
    out.createdUnixMilliseconds = row.integer(c++);
    out.startedUnixMilliseconds = row.optionalInteger(c++);
    out.endedUnixMilliseconds = row.optionalInteger(c++);
    out.configHash = row.text(c++);
    out.tags = splitTags(row.text(c++));
    out.archived = row.integer(c++) != 0;
    out.locked = row.integer(c++) != 0;
    out.deletedUnixMilliseconds = row.optionalInteger(c++);
    out.sweep = SweepId(row.text(c++));
    out.trial = row.optionalInteger(c++);
    if (const auto code = row.optionalInteger(c++)) out.exitCode = static_cast<int>(*code);
    out.lastStep = row.integer(c++);
    out.reason = row.text(c++);
    out.notes = row.text(c++);
    out.forecast.mfuRule = row.text(c++);
    out.measured.mfuRule = row.text(c++);
    for (RunFigures* figures : {&out.forecast, &out.measured})
        for (const FigureInfo& figure : figureInfos()) figures->*figure.member = row.optionalReal(c++);
    out.folder = home.runs() / out.id.value;
    return out;
}

std::int64_t writeRow(Database& db, const RunRecord& record) {
    static const std::string sql = upsertSql();
    Query query = db.query(sql);
    query.add(record.id.value).add(record.name).add(wordOf(record.status)).add(record.attempts);
    query.add(record.createdUnixMilliseconds).add(record.startedUnixMilliseconds).add(record.endedUnixMilliseconds);
    query.add(record.configHash)
        .add(joinTags(record.tags))
        .add(std::int64_t{record.archived})
        .add(std::int64_t{record.locked});
    query.add(record.deletedUnixMilliseconds).add(record.sweep.value).add(record.trial).add(record.exitCode);
    query.add(record.lastStep).add(record.reason).add(record.notes);
    query.add(orNull(record.forecast.mfuRule)).add(orNull(record.measured.mfuRule));
    for (const RunFigures* figures : {&record.forecast, &record.measured})
        for (const FigureInfo& figure : figureInfos()) query.add(figures->*figure.member);
    query.next();
    const std::int64_t id = query.integer(0);
    while (query.next()) {
    }  // RETURNING commits its row only when the statement is done
    noteListChange(db);
    return id;
}

void stampMeta(Database& db, std::int64_t row, const RunRecord& record) {
    db.query("UPDATE runs SET meta_stamp = ? WHERE id = ?")
        .bind(1, fileStamp(RunDir{record.folder}.meta()))
        .bind(2, row)
        .run();
}

void overlayNewerMeta(Database& db, RunRecord& record) {
    const RunDir dir{record.folder};
    {
        Query query = db.query("SELECT meta_stamp FROM runs WHERE run_id = ?");
        if (query.bind(1, record.id.value).next() && query.integer(0) == fileStamp(dir.meta())) return;
    }
    const auto meta = readOwnJson(dir.meta());
    if (!meta || !meta->is_object()) return;  // the row is the better copy
    // Missing keys are missing values, so the record starts without any; the rest of the row is not from meta.json.
    RunRecord fresh;
    fresh.id = record.id;
    fresh.name = record.name;
    fresh.folder = record.folder;
    fresh.configHash = record.configHash;
    fresh.numSteps = record.numSteps;
    fresh.lastStep = record.lastStep;
    fresh.forecast = record.forecast;
    fresh.measured = record.measured;
    fresh.host = record.host;
    fresh.lastSignUnixMilliseconds = record.lastSignUnixMilliseconds;
    readMeta(*meta, fresh);
    fresh.tags = cleanTags(fresh.tags);
    record = std::move(fresh);
}

void writeDocuments(Database& db, std::int64_t row, const StoredConfig& stored, const std::string& clusterJson,
                    const std::string& forecastJson) {
    db.query(
          "INSERT INTO run_documents (run, config, cluster, forecast) VALUES (?, ?, ?, ?) ON CONFLICT (run) DO UPDATE SET config = excluded.config, "
          "cluster = excluded.cluster, forecast = excluded.forecast")
        .bind(1, row)
        .bind(2, dumpJson(stored.document(), false))
        .bind(3, clusterJson)
        .bind(4, forecastJson)
        .run();

    const RunConfig& config = stored.config;
    const ModelSpec& m = config.model;
    const TrainSpec& t = config.train;
    const ParallelLayout& p = config.parallel;
    const auto known = [&](std::initializer_list<const char*> paths) {
        return std::all_of(paths.begin(), paths.end(), [&](const char* path) { return stored.knows(path); });
    };
    const bool isBatchKnown = known({"train.global_batch_size", "train.micro_batch_size", "parallel.dp"});
    std::optional<std::int64_t> microBatches;
    if (isBatchKnown && t.microBatchSize * p.dp > 0) microBatches = config.numMicroBatches();
    // The stream of another program's run has its number of ranks (storeHeader) if the degrees are unknown.
    const bool isWorldKnown = known({"parallel.dp", "parallel.tp", "parallel.pp", "parallel.cp"});
    std::optional<std::string> device;
    std::optional<std::int64_t> nodes;
    if (!clusterJson.empty()) {
        if (const auto json = parseJson(clusterJson, "cluster")) {
            Issues issues;
            const ClusterSpec cluster = clusterFromJson(*json, issues);
            device = cluster.device.name;
            nodes = cluster.numNodes;
        }
    }
    Query query = db.query(
        "UPDATE runs SET model_family = ?, num_layers = ?, hidden_size = ?, ffn_hidden_size = ?, num_heads = ?, num_kv_heads = ?, vocab_size = ?, num_experts = ?, seq_len = ?, "
        "global_batch_size = ?, micro_batch_size = ?, num_micro_batches = ?, num_steps = ?, precision = ?, recompute = ?, seed = ?, threads_per_rank = ?, lr = ?, world_size = ?, "
        "dp = ?, tp = ?, pp = ?, cp = ?, ep = ?, zero_stage = ?, virtual_stages = ?, schedule = ?, sequence_parallel = ?, data_tokens = ?, device_name = ?, num_nodes = ? WHERE id = ?");
    const auto word = [](auto value) { return std::string(wordOf(value)); };
    const auto add = [&](const char* path, const auto& value) {
        query.add(stored.knows(path) ? std::optional(value) : std::nullopt);
    };
    add("model.family", word(m.family));
    add("model.num_layers", m.numLayers);
    add("model.hidden_size", m.hiddenSize);
    add("model.ffn_hidden_size", m.ffnHiddenSize);
    add("model.num_heads", m.numHeads);
    add(m.numKvHeads ? "model.num_kv_heads" : "model.num_heads", m.kvHeads());
    add("model.vocab_size", m.vocabSize);
    query.add(m.moe ? std::optional(m.moe->numExperts) : std::nullopt);
    add("train.seq_len", t.seqLen);
    add("train.global_batch_size", t.globalBatchSize);
    add("train.micro_batch_size", t.microBatchSize);
    query.add(microBatches);
    add("train.num_steps", t.numSteps);
    add("train.precision", word(t.precision));
    add("train.recompute.policy", word(t.recompute.policy));
    add("train.seed", t.seed);
    add("train.threads_per_rank", t.threadsPerRank);
    add("optimizer.lr", config.optimizer.lr);
    query.add(isWorldKnown ? std::optional(p.worldSize()) : std::nullopt);
    add("parallel.dp", p.dp);
    add("parallel.tp", p.tp);
    add("parallel.pp", p.pp);
    add("parallel.cp", p.cp);
    add("parallel.ep", p.ep);
    add("parallel.zero_stage", p.zeroStage);
    add("parallel.virtual_stages", p.virtualStages);
    query.add(p.pp > 1 && stored.knows("parallel.schedule") ? std::optional(word(p.schedule)) : std::nullopt);
    add("parallel.sequence_parallel", std::int64_t{p.sequenceParallel});
    add("data.tokens", config.data.tokens);
    query.add(device).add(nodes).add(row).run();
}

std::string joinTags(const std::vector<std::string>& tags) {
    std::string out;
    for (const std::string& tag : tags) out += (out.empty() ? "\n" : "") + tag + "\n";
    return out;
}

std::vector<std::string> splitTags(const std::string& column) {
    std::vector<std::string> out;
    std::size_t at = 1;
    while (at < column.size()) {
        const std::size_t end = std::min(column.find('\n', at), column.size());
        out.push_back(column.substr(at, end - at));
        at = end + 1;
    }
    return out;
}

std::vector<std::string> cleanTags(std::vector<std::string> tags) {
    for (std::string& tag : tags) {
        std::replace_if(
            tag.begin(), tag.end(), [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
        tag.erase(0, std::min(tag.find_first_not_of(' '), tag.size()));
        tag.erase(tag.find_last_not_of(' ') + 1);
    }
    std::erase_if(tags, [](const std::string& tag) { return tag.empty(); });
    std::sort(tags.begin(), tags.end());
    tags.erase(std::unique(tags.begin(), tags.end()), tags.end());
    return tags;
}

}  // namespace slipway::store
