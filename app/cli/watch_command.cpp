// watch: output of another program becomes a run that can be followed live.
#include "app/cli/commands.h"
#include "app/cli/interrupts.h"
#include "app/cli/print.h"
#include "app/cli/run_tools.h"
#include "core/base/json.h"
#include "core/base/untrusted_text.h"
#include "core/run/watch.h"

#include <nlohmann/json.hpp>

namespace slipway {
namespace {

class WatchCommand : public Command {
public:
    std::string name() const override { return "watch"; }
    Message summary() const override { return "Follow another program's logs, tables or TensorBoard files live"_text; }
    Examples examples() const override {
        return {{"slipway watch runs/exp1", "event files, tables or logs of a folder, as they grow"_text},
                {"slipway watch train.log --once", "read the existing lines and return"_text},
                {"slipway watch metrics.csv --map step=iter,loss=train_loss"},
                {"", "Ctrl-C ends the watch; another one of the same source continues its run."_text}};
    }
    void declare(Arguments& arguments) override {
        arguments.option("source", m_source, "File or folder"_text).required().shownAs("SOURCE");
        arguments.option("--name", m_name, "Name of a new run; default: the source's"_text).shownAs("NAME");
        arguments
            .option("--log-format", m_reading.format,
                    "Format of logs: auto, csv, tensorboard, %1; default: auto"_text(interop::liveFormats()))
            .shownAs("FORMAT");
        arguments
            .option("--pattern", m_reading.pattern,
                    "Regular expression for the lines of logs, with named groups: (?<step>\\d+), (?<loss>\\S+)"_text)
            .shownAs("REGEX")
            .oneEach();
        arguments
            .option("--map", m_reading.columns,
                    "Columns of a CSV under other names: step=iter,loss=train_loss; =COLUMN leaves one out"_text)
            .shownAs("NAME=COLUMN")
            .oneEach()
            .separatedBy(',');
        arguments.flag("--once", m_once, "Read the existing lines and return"_text);
    }
    Result<int> run(CliContext& context) override {
        if (auto named = checkName(m_name, "--name"); !named) return fail(named.error());
        if (!m_reading.pattern.empty()) m_reading.format = "pattern";
        auto store = openStore(context);
        if (!store) return fail(store.error());
        handleInterrupts();
        auto watch = Watch::begin(*store, context.home, {m_source, m_reading, m_name}, context.now());
        if (!watch) return fail(watch.error());
        auto session = RunSession::attach(*store, context.home, watch->id(), context.now(), context.programs);
        if (!session) return fail(session.error());
        const int before = context.interrupts();
        std::int64_t steps = 0;
        std::optional<Error> failed;
        while (context.interrupts() == before && !watch->isStopped()) {
            const auto more = watch->advance(context.now());
            if (!more) {
                failed = more.error();
                break;
            }
            steps += *more;
            (void)session->poll(context.now());
            if (m_once && watch->isAtEnd()) break;
            progressLine(context, "%1: step %2"_text(session->config().name, session->lastStep()));
            if (watch->isAtEnd()) context.pause();
        }
        endProgressLine(context);
        const bool isInterrupted = context.interrupts() != before;
        if (auto ended = watch->end(context.now()); !ended) return fail(ended.error());
        for (int i = 0; i < kMostPolls && !session->done(); ++i) {
            (void)session->poll(context.now());
            if (session->status() != RunStatus::Running) context.waitFor(session->newsFds());
        }
        if (failed) return fail(*failed);
        if ((m_once || isInterrupted) && steps == 0 && session->lastStep() == 0)
            context.err << "No file here gives figures by step; name the format with --log-format or --pattern."_text
                        << '\n';
        else if (steps == 0 && (!m_reading.columns.empty() || !m_reading.pattern.empty()))
            context.err
                << "All lines were read before: --map and --pattern apply to new lines. To read the old ones again, use slipway rm %1 first."_text(
                       session->id().value)
                << '\n';
        tell(context, *session, *watch, steps);
        return isInterrupted ? kExitInterrupted : kExitDone;
    }

private:
    static constexpr int kMostPolls = 10000;

    static void tell(CliContext& context, const RunSession& session, const Watch& watch, std::int64_t steps) {
        if (context.json) {
            context.out << dumpJson(Json{{"run_id", session.id().value},
                                         {"status", wordOf(session.status())},
                                         {"steps_read", steps},
                                         {"last_step", session.lastStep()},
                                         {"files", watch.files()}},
                                    true);
            return;
        }
        for (const std::string& file : watch.files()) context.err << printable(file) << '\n';
        context.out << session.id().value << "  "
                    << plural(steps, "%1 step read, the last %2"_text, "%1 steps read, the last %2"_text)(
                           steps, session.lastStep())
                    << '\n';
    }

    std::string m_source, m_name;
    interop::LogReading m_reading;
    bool m_once = false;
};

}  // namespace

std::unique_ptr<Command> makeWatchCommand() {
    return std::make_unique<WatchCommand>();
}

}  // namespace slipway
