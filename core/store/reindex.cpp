#include "core/store/reindex.h"

#include "core/base/file.h"
#include "core/base/own_file.h"
#include "core/process/file_lock.h"
#include "core/store/folder_reader.h"
#include "core/store/meta_file.h"
#include "core/store/store_impl.h"

#include <algorithm>
#include <utility>

namespace slipway {

namespace fs = std::filesystem;
using store::guarded;
using store::IndexState;
using store::Query;
using store::WriteTransaction;

namespace {

constexpr std::int64_t kGivenUpMilliseconds = 3600 * 1000;
// A folder's time has the resolution of its file system's clock: below this age, it may predate the newest entry.
constexpr std::int64_t kGrainMilliseconds = 2000;
constexpr std::int64_t kFinalRowsPerLook = 500;

const Error kCancelled{"cancelled", "The index was rebuilt in part only; the next command that uses it finishes.", {}};

/// The names of run or sweep folders, unordered, and of the stages left by createRun.
struct Listing {
    std::vector<std::string> names;
    std::vector<fs::path> stages;
    std::int64_t stamp = 0;
    std::int64_t modifiedUnixMilliseconds = 0;
};

Result<Listing> foldersIn(const fs::path& parent) {
    Listing out;
    out.modifiedUnixMilliseconds = modifiedUnixMilliseconds(parent);
    out.stamp = fileStamp(parent);  // before the listing: entries added meanwhile make the next look list again
    std::error_code code;
    for (fs::directory_iterator it(parent, code), end; !code && it != end; it.increment(code)) {
        const std::string name = it->path().filename().string();
        std::error_code ignored;
        if (name.starts_with(store::kStagePrefix))
            out.stages.push_back(it->path());
        else if (isSafeId(name) && it->is_directory(ignored))
            out.names.push_back(name);
    }
    if (code && code != std::errc::no_such_file_or_directory)
        return fail("folder_unreadable", "The folder could not be read: %1."_text(code.message()), parent.string());
    return out;
}

Result<FileLock> rebuildLock(const RunStore& store) {
    auto lock = FileLock::tryLock(store.home().index().string() + ".lock");
    if (lock || lock.error().code != "locked") return lock;
    return fail("index_rebuilding", "Another program is rebuilding the run index; try again when it is done."_text,
                store.home().index().string());
}

}  // namespace

class IndexKeeper {
public:
    IndexKeeper(RunStore& store, std::int64_t now, ReindexReport& report, const ReindexProgress& progress)
        : m_store(store), m_impl(*store.m_impl), m_now(now), m_report(report), m_progress(progress) {}

    /// Starts a new epoch: every row counts as old until its folder has been read. Under the rebuild lock.
    Result<void> beginRebuild() {
        return guarded(m_impl.db, [&]() -> Result<void> {
            WriteTransaction transaction(m_impl.db);
            IndexState state = store::readIndexState(m_impl.db);
            ++state.epoch;
            state.complete = false;
            store::writeIndexState(m_impl.db, state);
            transaction.commit();
            return {};
        });
    }

    /// Reads every folder whose row is missing or of an older epoch; then removes rows without a folder.
    Result<void> finishRebuild() {
        if (auto loaded = load(); !loaded) return loaded;
        if (auto looked = look(); !looked) return looked;
        return guarded(m_impl.db, [&]() -> Result<void> {
            WriteTransaction transaction(m_impl.db);
            m_report.removed +=
                prune("SELECT run_id FROM runs", "DELETE FROM runs WHERE run_id = ?", m_runs.names, m_impl.home.runs());
            m_report.removed += prune("SELECT sweep_id FROM sweeps", "DELETE FROM sweeps WHERE sweep_id = ?",
                                      m_sweeps.names, m_impl.home.sweeps());
            m_impl.db.execute("DELETE FROM trials WHERE sweep_id NOT IN (SELECT sweep_id FROM sweeps)");
            IndexState state = store::readIndexState(m_impl.db);
            if (state.epoch == m_state.epoch) state.complete = true;
            store::writeIndexState(m_impl.db, state);
            transaction.commit();
            return {};
        });
    }

    Result<void> load() {
        return guarded(m_impl.db, [&]() -> Result<void> {
            m_state = store::readIndexState(m_impl.db);
            SeenFolders& seen = m_impl.seen;
            if (seen.epoch == m_state.epoch && m_state.complete) return {};
            seen = {};
            seen.epoch = m_state.epoch;
            if (m_state.complete) {
                seen.runsStamp = m_state.runsStamp;
                seen.sweepsStamp = m_state.sweepsStamp;
            }
            return {};
        });
    }

    /// Reads the new folders since the last look.
    Result<void> look() {
        SeenFolders& seen = m_impl.seen;
        FolderReader reader(m_store, m_state.epoch, m_now, m_report.issues);
        // What the kernel reported is reported once: it stays pending until it is read.
        const bool runsReported = takeReported(m_impl.home.runs(), m_runs, seen.runsWatch, seen.runs, seen.pending);
        const bool sweepsReported =
            takeReported(m_impl.home.sweeps(), m_sweeps, seen.sweepsWatch, seen.sweeps, seen.pendingSweeps);
        const bool listsRuns = !runsReported && (!m_state.complete || m_runs.stamp != seen.runsStamp);
        const bool listsSweeps = !sweepsReported && (!m_state.complete || m_sweeps.stamp != seen.sweepsStamp);
        if (listsRuns) {
            if (auto listed = list(m_impl.home.runs(), m_runs, seen.runs, "SELECT run_id FROM runs WHERE epoch = ?");
                !listed)
                return listed;
        }
        if (listsSweeps)
            if (auto listed =
                    list(m_impl.home.sweeps(), m_sweeps, seen.sweeps, "SELECT sweep_id FROM sweeps WHERE epoch = ?");
                !listed)
                return listed;
        if (listsRuns) {
            seen.pending = unknown(m_runs, seen.runs);
            for (const fs::path& stage : m_runs.stages) seen.pending.push_back(stage.filename().string());
        }
        if (listsSweeps) seen.pendingSweeps = unknown(m_sweeps, seen.sweeps);
        removeGivenUp();
        const std::vector<std::string> sweeps = seen.pendingSweeps;
        std::vector<std::string> runs, later;
        for (const std::string& name : seen.pending) (isStage(name) ? later : runs).push_back(name);
        const auto numWanted = static_cast<std::int64_t>(runs.size() + sweeps.size());
        m_all = std::max(static_cast<std::int64_t>(m_runs.names.size() + m_sweeps.names.size()), numWanted);
        m_done = m_all - numWanted;
        for (const std::string& name : runs) {
            if (!goesOn()) return fail(kCancelled);
            const auto outcome = reader.run(name);
            if (!outcome) return fail(outcome.error());
            if (*outcome == FolderOutcome::NotYet) {
                later.push_back(name);
                continue;
            }
            seen.runs.insert(name);
            m_report.runs += *outcome == FolderOutcome::Read ? 1 : 0;
        }
        seen.pending = std::exchange(later, {});
        for (const std::string& name : sweeps) {
            if (!goesOn()) return fail(kCancelled);
            const auto outcome = reader.sweep(name);
            if (!outcome) return fail(outcome.error());
            if (*outcome == FolderOutcome::NotYet) {
                later.push_back(name);
                continue;
            }
            seen.sweeps.insert(name);
            m_report.sweeps += *outcome == FolderOutcome::Read ? 1 : 0;
        }
        seen.pendingSweeps = std::move(later);
        m_report.points += reader.counts().points;
        m_report.trials += reader.counts().trials;
        return remember(listsRuns || runsReported, listsSweeps || sweepsReported);
    }

    /// Reads changes beside the index for unfinished runs. @return number of changed runs
    Result<std::int64_t> refreshOpen() {
        struct OpenRow {
            RunId id;
            std::int64_t metaStamp = 0;
            bool isPlanned = false;
        };
        std::vector<OpenRow> rows;
        const bool isShared = m_impl.home.index().parent_path() != m_impl.home.path;
        auto found = guarded(m_impl.db, [&]() -> Result<void> {
            {
                Query open = m_impl.db.query(
                    "SELECT run_id, meta_stamp, status = 'planned' FROM runs WHERE status IN ('planned', 'queued', 'running')");
                while (open.next()) rows.push_back({RunId(open.text(0)), open.integer(1), open.integer(2) != 0});
            }
            if (!isShared) return {};
            // Several computers with an index each: finished runs change too (tags, notes, the trash), but rarely.
            std::int64_t& next = m_impl.seen.nextFinalRow;
            Query final = m_impl.db.query(
                "SELECT id, run_id, meta_stamp FROM runs WHERE id >= ? AND status NOT IN ('planned', 'queued', 'running') ORDER BY id LIMIT ?");
            final.bind(1, next).bind(2, kFinalRowsPerLook);
            next = 0;
            while (final.next()) {
                rows.push_back({RunId(final.text(1)), final.integer(2)});
                next = final.integer(0) + 1;
            }
            return {};
        });
        if (!found) return fail(found.error());
        FolderReader reader(m_store, m_state.epoch, m_now, m_report.issues);
        std::int64_t changed = 0;
        for (const auto& [id, stamp, isPlanned] : rows) {
            const auto folder = m_impl.home.run(id);
            if (!folder) continue;
            std::error_code code;
            const bool followedByOthers = fs::exists(folder->launch(), code);
            if (isPlanned && !followedByOthers && !store::creatorMayLive(*folder)) {
                if (giveUp(id)) ++changed;
                continue;
            }
            const std::int64_t now = fileStamp(folder->meta());
            if (now == stamp && followedByOthers) continue;
            if (now == 0 && !fs::exists(folder->path, code)) continue;
            if (now == stamp && fs::file_size(folder->metrics(), code) == offsetOf(id)) continue;
            const auto news = reader.refresh(id);
            if (!news) return fail(news.error());
            changed += *news ? 1 : 0;
        }
        return changed;
    }

    [[nodiscard]] bool isComplete() const { return m_state.complete; }
    [[nodiscard]] std::int64_t epoch() const { return m_state.epoch; }

private:
    bool goesOn() { return !m_progress || m_progress(m_done++, m_all); }

    /// Marks a run whose creator ended before starting it. A read-only home stays as it is.
    bool giveUp(const RunId& id) {
        RunChange change;
        change.status = RunStatus::Lost;
        change.reason = textOf("The run was never started: the program that created it ended too early."_text);
        change.endedUnixMilliseconds = m_now;
        return m_store.updateRun(id, change).has_value();
    }

    std::uintmax_t offsetOf(const RunId& id) {
        const auto offset = m_store.offset(id);
        return offset ? *offset : 0;
    }

    /// Adds the names that the kernel reported as new in the folder. False where the folder's time decides whether it is listed: at
    /// the first look, which begins the watch, after lost reports, and where other computers write too.
    bool takeReported(const fs::path& parent, Listing& listing, std::unique_ptr<FolderWatch>& watch,
                      const std::unordered_set<std::string>& known, std::vector<std::string>& pending) {
        const bool isShared = m_impl.home.index().parent_path() != m_impl.home.path;
        const bool isNew = !watch || !watch->isActive();
        if (isNew && !isShared) watch = std::make_unique<FolderWatch>(parent);
        // Before the reports: what the folder's time shows, with its grain, is among them.
        listing.modifiedUnixMilliseconds = modifiedUnixMilliseconds(parent);
        listing.stamp = fileStamp(parent);
        if (isNew || isShared || !m_state.complete) return false;
        const auto names = watch->take();
        if (!names) return false;
        for (const std::string& name : *names) {
            std::error_code ignored;
            if (!known.contains(name) && (isSafeId(name) || isStage(name)) && fs::is_directory(parent / name, ignored))
                pending.push_back(name);
        }
        return true;
    }

    /// Lists the folders; the first call also reads which of them are in the index.
    Result<void> list(const fs::path& parent, Listing& listing, std::unordered_set<std::string>& known,
                      const char* sql) {
        auto listed = foldersIn(parent);
        if (!listed) return fail(listed.error());
        listing = std::move(*listed);
        if (!known.empty()) return {};
        return guarded(m_impl.db, [&]() -> Result<void> {
            Query query = m_impl.db.query(sql);
            query.bind(1, m_state.epoch);
            while (query.next()) known.insert(query.text(0));
            return {};
        });
    }

    static std::vector<std::string> unknown(const Listing& listing, const std::unordered_set<std::string>& known) {
        std::vector<std::string> out;
        for (const std::string& name : listing.names)
            if (!known.contains(name)) out.push_back(name);
        std::sort(out.begin(), out.end());
        return out;
    }

    static bool isStage(const std::string& name) { return name.starts_with(store::kStagePrefix); }

    /// A stage is pending until it is a run, and then has another name, or until it is given up.
    void removeGivenUp() {
        std::erase_if(m_impl.seen.pending, [&](const std::string& name) {
            if (!isStage(name)) return false;
            const fs::path stage = m_impl.home.runs() / name;
            std::error_code code;
            if (!fs::exists(stage, code)) return true;
            if (m_now == 0 || modifiedUnixMilliseconds(stage) >= m_now - kGivenUpMilliseconds) return false;
            fs::remove_all(stage, code);
            return true;
        });
    }

    /// So that the next look, also by another program, lists nothing if nothing was added.
    Result<void> remember(bool newRuns, bool newSweeps) {
        const auto settled = [&](const Listing& listing) {
            return listing.stamp != 0 && listing.modifiedUnixMilliseconds < m_now - kGrainMilliseconds;
        };
        SeenFolders& seen = m_impl.seen;
        bool changed = false;
        if (newRuns && settled(m_runs) && seen.runsStamp != m_runs.stamp) {
            seen.runsStamp = m_runs.stamp;
            changed = true;
        }
        if (newSweeps && settled(m_sweeps) && seen.sweepsStamp != m_sweeps.stamp) {
            seen.sweepsStamp = m_sweeps.stamp;
            changed = true;
        }
        if (!changed || !seen.pendingSweeps.empty() || !std::all_of(seen.pending.begin(), seen.pending.end(), isStage))
            return {};
        return guarded(m_impl.db, [&]() -> Result<void> {
            WriteTransaction transaction(m_impl.db);
            IndexState state = store::readIndexState(m_impl.db);
            if (state.epoch == m_state.epoch) {
                state.runsStamp = seen.runsStamp;
                state.sweepsStamp = seen.sweepsStamp;
                store::writeIndexState(m_impl.db, state);
            }
            transaction.commit();
            return {};
        });
    }

    /// Removes rows that have no folder now: a folder created since the listing is left alone.
    std::int64_t prune(const char* select, const char* remove, std::vector<std::string>& listed,
                       const fs::path& parent) {
        std::sort(listed.begin(), listed.end());
        std::vector<std::string> gone;
        {
            Query query = m_impl.db.query(select);
            while (query.next()) {
                const std::string name = query.text(0);
                std::error_code code;
                if (!std::binary_search(listed.begin(), listed.end(), name) && !fs::exists(parent / name, code))
                    gone.push_back(name);
            }
        }
        for (const std::string& name : gone) m_impl.db.query(remove).bind(1, name).run();
        if (!gone.empty()) store::noteListChange(m_impl.db);
        return static_cast<std::int64_t>(gone.size());
    }

    RunStore& m_store;
    RunStore::Impl& m_impl;
    std::int64_t m_now;
    ReindexReport& m_report;
    const ReindexProgress& m_progress;
    IndexState m_state;
    Listing m_runs, m_sweeps;
    std::int64_t m_done = 0, m_all = 0;
};

namespace {

Result<ReindexReport> reindexUnderLock(RunStore& store, std::int64_t now, const ReindexProgress& progress) {
    ReindexReport report;
    IndexKeeper keeper(store, now, report, progress);
    if (auto begun = keeper.beginRebuild(); !begun) return fail(begun.error());
    if (auto done = keeper.finishRebuild(); !done) return fail(done.error());
    return report;
}

}  // namespace

Result<ReindexReport> rebuildIndex(const Home& home, std::int64_t now, const ReindexProgress& progress) {
    const fs::path index = home.index();
    if (auto made = makeFolders(index.parent_path()); !made) return fail(made.error());
    auto lock = FileLock::tryLock(index.string() + ".lock");
    if (!lock && lock.error().code == "locked")
        return fail("index_rebuilding", "Another program is rebuilding the run index; try again when it is done."_text,
                    index.string());
    if (!lock) return fail(lock.error());
    fs::path aside;
    auto store = RunStore::open(home, OpenMode::ReadWrite);
    const bool damaged = store ? !store->check() : store.error().code == "store_corrupt";
    if (!store && !damaged) return fail(store.error());
    if (damaged) {
        store = fail("store_corrupt", Message::name("closed"));  // closes the connection before the files move
        aside = index.string() + ".damaged-" + std::to_string(now);
        // The log first: a database without its log is just older, but its log would be applied to the next database.
        for (const char* suffix : {"-wal", "-shm", ""}) {
            std::error_code code;
            if (!fs::exists(fs::symlink_status(index.string() + suffix, code))) continue;
            fs::rename(index.string() + suffix, aside.string() + suffix, code);
            if (code)
                return fail("file_unwritable", "The damaged index could not be moved aside: %1."_text(code.message()),
                            index.string() + suffix);
        }
        store = RunStore::open(home, OpenMode::ReadWrite);
        if (!store) return fail(store.error());
    }
    auto report = reindexUnderLock(*store, now, progress);
    if (report) report->damagedCopy = aside;
    return report;
}

Result<AdoptReport> adoptFolders(RunStore& store, std::int64_t now, const ReindexProgress& progress) {
    ReindexReport report;
    AdoptReport out;
    IndexKeeper keeper(store, now, report, progress);
    if (auto loaded = keeper.load(); !loaded) return fail(loaded.error());
    if (!keeper.isComplete()) {
        const auto lock = rebuildLock(store);
        if (!lock) return fail(lock.error());
        if (auto done = keeper.finishRebuild(); !done) return fail(done.error());
        out.finishedRebuild = report.runs + report.sweeps + report.removed > 0;
    } else if (auto looked = keeper.look(); !looked) {
        return fail(looked.error());
    }
    auto changed = keeper.refreshOpen();
    if (!changed) return fail(changed.error());
    out.runs = report.runs;
    out.sweeps = report.sweeps;
    out.changed = *changed;
    return out;
}

Result<void> adoptRun(RunStore& store, const RunId& id, std::int64_t now) {
    const auto folder = store.home().run(id);
    if (!folder) return fail(folder.error());
    ReindexReport report;
    const ReindexProgress unwatched;
    IndexKeeper keeper(store, now, report, unwatched);
    if (auto loaded = keeper.load(); !loaded) return fail(loaded.error());
    FolderReader reader(store, keeper.epoch(), now, report.issues);
    const auto outcome = reader.run(id.value);
    if (!outcome) return fail(outcome.error());
    if (*outcome != FolderOutcome::NotYet) return {};
    return fail("run_missing", "The folder of run %1 was deleted."_text(id.value), id.value);
}

}  // namespace slipway
