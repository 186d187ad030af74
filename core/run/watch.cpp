#include "core/run/watch.h"

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/own_file.h"
#include "core/base/untrusted_text.h"
#include "core/base/version.h"
#include "core/interop/tf_events.h"
#include "core/process/host_identity.h"
#include "core/process/proc_facts.h"
#include "core/run/run_files.h"
#include "core/run/stream_mark.h"
#include "core/spec/agent_files.h"

#include <nlohmann/json.hpp>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>

namespace slipway {
namespace fs = std::filesystem;
namespace {

constexpr const char* kNode = "local";
constexpr const char* kMark = "watch";  // {file: [byte, checksum of its beginning]}
constexpr std::size_t kHeadBytes = 256;
constexpr std::size_t kGuessBytes = 256 << 10;
constexpr std::int64_t kLookMilliseconds = 2000;
constexpr int kDeepest = 4, kMostEntries = 10000;

fs::path watchFile(const RunDir& folder) {
    return folder.path / "watch.json";
}

enum class Kind { None, Log, Table, Events };

Kind kindOf(const fs::path& path) {
    if (path.filename().string().find("tfevents") != std::string::npos) return Kind::Events;
    const std::string ending = path.extension().string();
    if (ending == ".csv") return Kind::Table;
    return ending == ".log" || ending == ".out" || ending == ".txt" || ending == ".jsonl" ? Kind::Log : Kind::None;
}

/// The files of the best kind in a folder: event files before tables before logs, so that no figure is read twice.
std::vector<std::string> filesIn(const fs::path& folder) {
    std::vector<std::pair<Kind, std::string>> found;
    std::error_code code;
    int entries = 0;
    for (fs::recursive_directory_iterator it(folder, code), end; !code && it != end && ++entries < kMostEntries;
         it.increment(code)) {
        if (it.depth() >= kDeepest) it.disable_recursion_pending();
        std::error_code ignored;
        if (it->is_symlink(ignored) || !it->is_regular_file(ignored)) continue;
        if (const Kind kind = kindOf(it->path()); kind != Kind::None)
            found.emplace_back(kind, it->path().lexically_relative(folder).string());
    }
    Kind best = Kind::None;
    for (const auto& [kind, name] : found) best = std::max(best, kind);
    std::vector<std::string> names;
    for (auto& [kind, name] : found)
        if (kind == best) names.push_back(std::move(name));
    std::sort(names.begin(), names.end());
    if (names.size() > Watch::kMostFiles) names.resize(Watch::kMostFiles);
    return names;
}

/// The run of an earlier watch of this source.
Result<std::optional<RunRecord>> earlierRun(RunStore& store, const std::string& source) {
    RunQuery query;
    query.filter = std::string("tag:") + kWatchedTag;
    const auto ids = store.ids(query);
    if (!ids) return fail(ids.error());
    for (const RunId& id : *ids) {
        auto record = store.run(id);
        if (!record) continue;
        const auto json = readOwnJson(watchFile(RunDir{record->folder}));
        if (json && json->is_object() && json->contains("source") && json->at("source") == source)
            return std::optional(std::move(*record));
    }
    return std::optional<RunRecord>();
}

double bootSeconds() {
    timespec time{};
    ::clock_gettime(CLOCK_BOOTTIME, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

RankState ownRank() {
    const ProcessIdentity self = identityOf(::getpid());
    RankState rank;
    rank.pid = self.pid;
    rank.startTicks = self.startTicks;
    return rank;
}

}  // namespace

Result<Watch> Watch::begin(RunStore& store, const Home& home, const WatchRequest& request, std::int64_t now) {
    std::error_code code;
    Watch watch;
    watch.m_request = request;
    watch.m_request.source = fs::canonical(request.source, code);
    if (code) return fail("file_missing", "File or folder not found: %1."_text(request.source.string()), "SOURCE");
    if (auto read = interop::LiveLog::make({request.reading.format, request.reading.pattern, {}}); !read)
        return fail(read.error());
    const auto earlier = earlierRun(store, watch.m_request.source.string());
    if (!earlier) return fail(earlier.error());
    watch.m_id = *earlier ? (*earlier)->id : RunId(makeId(now, randomEntropy()));
    const auto folder = home.run(watch.m_id);
    if (!folder) return fail(folder.error());
    watch.m_folder = *folder;
    watch.m_attempt = *earlier ? (*earlier)->attempts + 1 : 1;
    if (!*earlier) {
        NewRun run;
        run.id = watch.m_id;
        run.name = repairedName(request.name.empty() ? watch.m_request.source.filename().string() : request.name);
        run.config.name = run.name;
        run.tags = {kWatchedTag};
        run.given.emplace();
        run.life.status = RunStatus::Running;
        run.life.attempts = 1;
        run.life.startedUnixMilliseconds = now;
        run.documents.emplace_back(watchFile(RunDir{}).string(),
                                   dumpJson(Json{{"source", watch.m_request.source.string()}}, true));
        if (auto made = store.createRun(run, now); !made) return fail(made.error());
    }
    if (auto prepared = watch.prepare(store, now); !prepared) return fail(prepared.error());
    return watch;
}

Result<void> Watch::prepare(RunStore& store, std::int64_t now) {
    const fs::path agent = m_folder.agentFolder(kNode);
    for (const fs::path& folder : {agent, m_folder.stopFile().parent_path(), m_folder.path / "logs"})
        if (auto made = makeFolders(folder); !made) return made;
    auto lock = FileLock::tryLock(agent / "lock");
    if (!lock && lock.error().code == "locked")
        return fail("still_running", "Another program watches %1 already."_text(m_request.source.string()), m_id.value);
    if (!lock) return fail(lock.error());
    m_lock = std::move(*lock);
    const auto mark = newestMark(m_folder.metrics(), kMark);
    if (!mark) return fail(mark.error());
    if (mark->is_object())
        for (const auto& [name, place] : mark->items())
            if (place.is_array() && place.size() == 2 && place[0].is_number_unsigned() && place[1].is_number_unsigned())
                m_sources[name] = {place[0].get<std::uint64_t>(), place[1].get<std::uint32_t>(), {}};
    if (m_attempt > 1) {
        RunChange change;
        change.status = RunStatus::Running;
        change.attempts = m_attempt;
        change.startedUnixMilliseconds = now;
        change.clearEnd = true;
        if (auto stored = store.updateRun(m_id, change); !stored) return stored;
    }
    return beginAttempt(m_attempt, now);
}

Result<void> Watch::beginAttempt(std::int64_t attempt, std::int64_t now) {
    m_started = now;
    LaunchPlan plan;
    plan.runId = m_id.value;
    plan.attempt = attempt;
    plan.version = versionText();
    plan.createdUnixMilliseconds = now;
    plan.isProgram = true;
    plan.nodes = {{kNode, {{0, 0, {"slipway", "watch", m_request.source.string()}, {}, {}}}}};
    if (auto written = writeLaunchFile(m_folder, plan); !written) return written;
    AgentId id;
    id.runId = m_id.value;
    id.attempt = attempt;
    id.node = kNode;
    id.host = thisHost().host;
    id.bootId = thisHost().bootId;
    id.pidNamespace = thisHost().pidNamespace;
    const RankState self = ownRank();
    id.pid = self.pid;
    id.startTicks = self.startTicks;
    id.version = versionText();
    id.startedUnixMilliseconds = now;
    beat(now);
    return writeJsonFile(m_folder.agentFolder(kNode) / "id.json", toJson(id));
}

void Watch::beat(std::int64_t now) {
    AgentHeartbeat beat;
    beat.attempt = m_attempt;
    beat.node = kNode;
    beat.counter = ++m_counter;
    beat.bootSeconds = bootSeconds();
    beat.timeUnixMilliseconds = now;
    beat.ranks = {ownRank()};
    (void)writeJsonFile(m_folder.agentFolder(kNode) / "heartbeat.json", toJson(beat));  // the next one may succeed
}

void Watch::look() {
    std::error_code code;
    if (!fs::is_directory(m_request.source, code)) {
        m_sources.try_emplace("");
        return;
    }
    for (std::string& name : filesIn(m_request.source)) m_sources.try_emplace(std::move(name));
}

std::vector<std::string> Watch::files() const {
    std::vector<std::string> out;
    for (const auto& [name, source] : m_sources)
        // A file that an earlier watch has read to its end is not reopened.
        if (const std::string format = source.log          ? source.log->format()
                                       : source.offset > 0 ? "read"
                                                           : "";
            !format.empty())
            out.push_back((name.empty() ? m_request.source.filename().string() : name) + " (" + format + ")");
    return out;
}

bool Watch::isStopped() const {
    std::error_code code;
    return fs::exists(m_folder.stopFile(), code) || fs::exists(m_folder.killFile(), code);
}

Result<std::int64_t> Watch::advance(std::int64_t now) {
    if (now >= m_nextLook) {
        m_nextLook = now + kLookMilliseconds;
        look();
        beat(now);
    }
    m_isAtEnd = true;
    std::int64_t steps = 0;
    for (auto& [name, source] : m_sources) {
        const auto more = read(name, source, now);
        if (!more) return more;
        steps += *more;
    }
    return steps;
}

Result<std::int64_t> Watch::read(const std::string& name, Source& source, std::int64_t now) {
    const fs::path path = name.empty() ? m_request.source : m_request.source / name;
    std::error_code code;
    if (!fs::is_regular_file(path, code)) return 0;
    if (source.offset > 0) {
        const auto head = readFileFrom(path, 0, std::min<std::size_t>(kHeadBytes, source.offset));
        if (!head) return fail(head.error());
        if (fs::file_size(path, code) < source.offset || interop::crc32c(*head) != source.head) source = {};
    }
    const auto bytes = readFileFrom(path, source.offset, kPieceBytes);
    if (!bytes) return fail(bytes.error());
    if (bytes->empty()) return 0;
    if (!source.log) {
        const auto head = readFileFrom(path, 0, kGuessBytes);
        if (!head) return fail(head.error());
        const bool isWhole = interop::guessLogFormat(*head) == "tensorboard" || head->find('\n') != std::string::npos;
        if (!isWhole) return 0;  // its first line is still being written
        auto log = interop::LiveLog::make(m_request.reading, *head);
        if (!log) return fail(log.error());
        source.log = std::move(*log);
    }
    const auto taken = source.log->take(*bytes, source.offset, false);
    if (bytes->size() == kPieceBytes && taken.bytes == 0)
        return fail("bad_log", "A line or record of %1 is longer than 32 MiB."_text(path.string()), path.string());
    if (bytes->size() == kPieceBytes) m_isAtEnd = false;
    source.offset += taken.bytes;
    if (taken.steps.empty()) return 0;
    const auto head = readFileFrom(path, 0, std::min<std::size_t>(kHeadBytes, source.offset));
    if (!head) return fail(head.error());
    source.head = interop::crc32c(*head);
    if (auto appended = append(taken.steps, now); !appended) return fail(appended.error());
    return static_cast<std::int64_t>(taken.steps.size());
}

Result<void> Watch::append(const std::vector<MetricStep>& steps, std::int64_t now) {
    auto stream = AppendFile::open(m_folder.metrics());
    if (!stream) return fail(stream.error());
    std::string text;
    if (!m_hasHeader) {
        // A trainer that returned to a checkpoint while unwatched writes its steps again.
        const std::int64_t resumeStep = m_attempt == 1 ? 0 : std::max<std::int64_t>(0, steps.front().step - 1);
        text += toLine(MetricHeader{1, m_id.value, m_attempt, resumeStep, 0, now});
    }
    for (MetricStep step : steps) {
        if (step.timeUnixMilliseconds == 0) step.timeUnixMilliseconds = now;
        text += toLine(step);
    }
    Json places = Json::object();
    for (const auto& [name, source] : m_sources)
        if (source.offset > 0) places[name] = {source.offset, source.head};
    if (auto appended = stream->append(withMark(std::move(text), kMark, places)); !appended) return appended;
    m_hasHeader = true;
    return {};
}

Result<void> Watch::end(std::int64_t now) {
    AgentExit exit;
    exit.runId = m_id.value;
    exit.attempt = m_attempt;
    exit.node = kNode;
    exit.reason = "completed";
    exit.detail = textOf("The watch has ended."_text);
    exit.startedUnixMilliseconds = m_started;
    exit.endedUnixMilliseconds = now;
    exit.ranks = {ownRank()};
    exit.ranks.front().state = "exited";
    exit.ranks.front().exitCode = 0;
    return writeJsonFile(m_folder.agentFolder(kNode) / "exit.json", toJson(exit));
}

}  // namespace slipway
