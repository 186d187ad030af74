#include "app/cli/commands.h"
#include "app/cli/print.h"
#include "app/cli/run_tools.h"
#include "core/base/file.h"
#include "core/base/untrusted_text.h"
#include "core/base/utf8.h"
#include "core/run/end_file.h"
#include "core/run/log_search.h"
#include "core/run/run_session.h"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <map>
#include <optional>

namespace slipway {
namespace {

constexpr std::size_t kChunkBytes = 1U << 20;

/// End of the text without the bytes of a character that is not yet completely written or read.
std::size_t endOfWholeCharacters(const std::string& text) {
    for (std::size_t back = 1; back <= std::min<std::size_t>(3, text.size()); ++back) {
        const auto byte = static_cast<unsigned char>(text[text.size() - back]);
        if (byte >= 0xC0) return utf8Length(text, text.size() - back) == 0 ? text.size() - back : text.size();
        if (byte < 0x80) break;
    }
    return text.size();
}

/// "2026-11-21 13:05:09" in local time; spaces where it is unknown.
std::string lineTime(std::optional<std::int64_t> unixMilliseconds) {
    if (!unixMilliseconds) return std::string(19, ' ');
    const auto time = static_cast<std::time_t>(*unixMilliseconds / 1000);
    std::tm parts{};
    localtime_r(&time, &parts);
    char text[40];
    std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts);
    return text;
}

class LogsCommand : public Command {
public:
    std::string name() const override { return "logs"; }
    Message summary() const override { return "Print the logs of a run's ranks"_text; }
    Examples examples() const override {
        return {{"slipway logs tp2"},
                {"slipway logs -f tp2 --rank 1", "follow one rank until the run ends"_text},
                {"slipway logs tp2 --search NaN", "matching lines with time and rank, in logs of any size"_text}};
    }
    void declare(Arguments& arguments) override {
        arguments.option("run", m_run, kRunHelp).required().shownAs("RUN");
        arguments.flag("--follow,-f", m_follow, "Continue until the run ends"_text);
        arguments.option("--rank", m_rank, "One rank only"_text).notNegative();
        arguments.option("--search", m_search, "Print the lines with this text, in any case, with time and rank"_text)
            .shownAs("TEXT")
            .oneEach();
    }
    bool hasJson() const override { return false; }
    Result<int> run(CliContext& context) override {
        auto store = openStore(context);
        if (!store) return fail(store.error());
        const auto record = store->findRun(m_run);
        if (!record) return fail(record.error());
        const RunDir folder{record->folder};
        if (!m_search.empty()) return search(context, folder, record->id);
        // A follower of a run fetches the output of its nodes, and restarts it when due.
        std::optional<RunSession> session;
        if (m_follow && !isFinal(record->status))
            if (auto attached = RunSession::attach(*store, context.home, record->id, context.now(), context.programs))
                session.emplace(std::move(*attached));
        std::map<std::filesystem::path, std::uint64_t> offsets;
        while (true) {
            // The status first: lines written before the end are then printed after it.
            if (session) (void)session->poll(context.now());
            const auto now = store->run(record->id);
            const bool ended = !now || isFinal(now->status) || (!session && std::filesystem::exists(endMark(folder)));
            const bool printed = printNew(context, folder, offsets);
            context.out.flush();
            if (!m_follow || (ended && !printed) || context.interrupts() > 0) break;
            if (!printed) context.pause();
        }
        if (offsets.empty()) return noLogs(record->id);
        printReason(context, *store, record->id);
        return context.interrupts() > 0 ? kExitInterrupted : kExitDone;
    }

private:
    [[nodiscard]] Result<int> noLogs(const RunId& id) const {
        return fail(
            "no_logs",
            m_rank ? "This run has no logs of rank %1 yet."_text(*m_rank) : Message("This run has no logs yet."_text),
            id.value);
    }
    Result<int> search(CliContext& context, const RunDir& folder, const RunId& id) const {
        if (m_follow) return fail("usage", "--search reads existing lines only; leave out --follow."_text, "--search");
        std::vector<std::int64_t> ranks;
        for (const auto& file : logFiles(folder)) {
            const std::string name = file.filename().string();
            const std::int64_t rank = name.starts_with("rank_") ? std::atoll(name.c_str() + 5) : -1;
            if (file == folder.rankLog(rank) && (!m_rank || *m_rank == rank)) ranks.push_back(rank);
        }
        if (ranks.empty()) return noLogs(id);
        LogSearch search(folder, ranks, {m_search, LogLevel::Info});
        const bool whole = search.advance(true, [&](double) { return context.interrupts() == 0; });
        const std::vector<LogEntry> hits = search.hits();
        for (const LogEntry& hit : hits)
            context.out << lineTime(hit.unixMilliseconds) << "  "
                        << "rank %1"_text(hit.rank) << "  " << printable(hit.text) << '\n';
        if (search.numMatches() > static_cast<std::int64_t>(hits.size()))
            context.note(
                "%1 lines match; the first and the latest of each rank are printed."_text(search.numMatches()));
        return whole ? kExitDone : kExitInterrupted;
    }

    /// The reason of the end, beside the logs: the last lines of a rank may be those of a bystander.
    static void printReason(CliContext& context, RunStore& store, const RunId& id) {
        const auto run = store.run(id);
        if (!run || (run->status != RunStatus::Failed && run->status != RunStatus::Lost) || run->reason.empty()) return;
        const auto end = readEnd(RunDir{run->folder}, run->attempts);
        context.err << statusText(run->status) << ": "
                    << (end && run->status == RunStatus::Failed ? Words(sentence(end->diagnosis)) : Words(run->reason))
                    << '\n';
    }

    /// The logs of all ranks and of a Slurm job, by name.
    static std::vector<std::filesystem::path> logFiles(const RunDir& folder) {
        std::vector<std::filesystem::path> files;
        std::error_code failed;
        for (const auto& entry : std::filesystem::directory_iterator(folder.rankLog(0).parent_path(), failed))
            if (entry.is_regular_file(failed) && entry.path().extension() == ".log") files.push_back(entry.path());
        std::sort(files.begin(), files.end());
        return files;
    }

    static std::filesystem::path endMark(const RunDir& folder) { return folder.agentFolder("local") / "exit.json"; }

    bool printNew(CliContext& context, const RunDir& folder,
                  std::map<std::filesystem::path, std::uint64_t>& offsets) const {
        const std::vector<std::filesystem::path> files = logFiles(folder);
        bool any = false;
        for (const auto& file : files) {
            if (m_rank && file != folder.rankLog(*m_rank)) continue;
            std::uint64_t& offset = offsets[file];
            auto text = readFileFrom(file, offset, kChunkBytes);
            if (!text || text->empty()) continue;
            // An incomplete character at the end of the file is printed as bytes.
            if (const std::size_t end = endOfWholeCharacters(*text); end > 0) text->resize(end);
            if (!m_rank && files.size() > 1) context.out << "==> " << printable(file.stem().string()) << " <==\n";
            context.out << UntrustedText(*text).plainLines();
            if (text->back() != '\n') context.out << '\n';
            offset += text->size();
            any = true;
        }
        return any;
    }

    std::string m_run;
    bool m_follow = false;
    std::optional<std::int64_t> m_rank;
    std::string m_search;
};

}  // namespace

std::unique_ptr<Command> makeLogsCommand() {
    return std::make_unique<LogsCommand>();
}

}  // namespace slipway
