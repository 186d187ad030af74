// stop and resume: control of runs that were started earlier.
#include "app/cli/commands.h"
#include "app/cli/interrupts.h"
#include "app/cli/print.h"
#include "app/cli/run_tools.h"
#include "core/base/json_fields.h"
#include "core/remote/node_record.h"
#include "core/run/restart.h"
#include "core/run/run_actions.h"

namespace slipway {
namespace {

Result<RunSession> attachTo(CliContext& context, RunStore& store, const std::string& name) {
    const auto record = store.findRun(name);
    if (!record) return fail(record.error());
    return RunSession::attach(store, context.home, record->id, context.now(), context.programs);
}

void printEnd(CliContext& context, const RunSession& session) {
    if (context.json)
        context.out << dumpJson(Json{{"run_id", session.id().value},
                                     {"status", wordOf(session.status())},
                                     {"reason", session.reason().empty() ? Json(nullptr) : Json(session.reason())}},
                                true);
    else
        context.out << session.id().value << "  " << statusText(context, session.status(), session.reason()) << '\n';
}

class StopCommand : public Command {
public:
    std::string name() const override { return "stop"; }
    Message summary() const override { return "Checkpoint a run and stop it after its current step"_text; }
    Examples examples() const override {
        return {{"slipway stop tp2"},
                {"slipway stop tp2 --kill", "at once, without a checkpoint"_text},
                {"slipway stop tp2 --no-wait"}};
    }
    void declare(Arguments& arguments) override {
        arguments.option("run", m_run, kRunHelp).required().shownAs("RUN");
        arguments.flag("--kill", m_kill, "End the ranks within seconds, without a checkpoint"_text);
        arguments.flag("--no-wait", m_noWait, "Ask and return at once"_text);
    }
    Result<int> run(CliContext& context) override {
        auto store = openStore(context);
        if (!store) return fail(store.error());
        auto session = attachTo(context, *store, m_run);
        if (!session) return stopWithoutFolder(context, *store, session.error());
        hearNodes(context, *session);
        if (session->done()) {
            context.err << "Nothing to stop:"_text << ' ';
            printEnd(context, *session);
            return kExitDone;
        }
        handleInterrupts();
        if (auto asked = m_kill ? session->kill(context.now()) : session->stop(context.now()); !asked)
            return fail(asked.error());
        // The next polls deliver the request.
        for (int i = 0; i < 3; ++i) (void)session->poll(context.now());
        hearNodes(context, *session);
        while (!m_noWait && !session->done() && context.interrupts() == 0) {
            (void)session->poll(context.now());
            progressLine(context, "Stopping %1 after its current step"_text(session->id().value));
            context.pause();
        }
        endProgressLine(context);
        printEnd(context, *session);
        return context.interrupts() > 0 ? kExitInterrupted : kExitDone;
    }

private:
    /// The processes of a run outlive its folder; they are found by the run's id.
    Result<int> stopWithoutFolder(CliContext& context, RunStore& store, const Error& why) const {
        const auto record = store.findRun(m_run);
        const RunId id = record ? record->id : RunId(m_run);
        std::error_code code;
        const auto folder = context.home.run(id);
        if (!folder || std::filesystem::exists(folder->path, code)) return fail(why);
        const std::int64_t numProcesses = endRunWithoutFolder(id, m_kill);
        if (numProcesses == 0) return fail(why);
        if (context.json)
            context.out << dumpJson(Json{{"run_id", id.value}, {"status", "stopping"}, {"num_processes", numProcesses}},
                                    true);
        else
            context.out << "The folder of %1 was deleted; its %2 processes were ended."_text(id.value, numProcesses)
                        << '\n';
        return kExitDone;
    }

    std::string m_run;
    bool m_kill = false, m_noWait = false;
};

class ResumeCommand : public Command {
public:
    std::string name() const override { return "resume"; }
    Message summary() const override {
        return "Continue a stopped, failed or lost run from its newest checkpoint"_text;
    }
    Examples examples() const override {
        return {{"slipway resume tp2"},
                {"slipway resume tp2 --nodes gpu2", "on another node, from its newest checkpoint"_text}};
    }
    void declare(Arguments& arguments) override {
        arguments.option("run", m_run, kRunHelp).required().shownAs("RUN");
        arguments.flag("--detach,-d", m_detach, "Return at once; the run continues"_text);
        arguments
            .option("--nodes", m_nodes, "Continue on these nodes (slipway nodes list); default: on those it had"_text)
            .shownAs("NODE,NODE")
            .oneEach()
            .separatedBy(',');
    }
    Result<int> run(CliContext& context) override {
        auto store = openStore(context);
        if (!store) return fail(store.error());
        auto session = attachTo(context, *store, m_run);
        if (!session) return fail(session.error());
        hearNodes(context, *session);
        if (!m_nodes.empty())
            if (auto moved = moveTo(context, *session); !moved) return fail(moved.error());
        handleInterrupts();
        const bool isPlanned = session->status() == RunStatus::Planned;
        auto resumed = isPlanned ? session->launch(context.now()) : session->resume(context.now());
        while (!resumed && resumed.error().code == "nodes_unheard" && context.interrupts() == 0) {
            context.pause();
            resumed = session->resume(context.now());
        }
        if (!resumed) return fail(resumed.error());
        context.err << "Run %1, attempt %2 started."_text(session->id().value, session->attempt()) << '\n';
        if (m_detach && (session->isRemote() || session->isBusy())) hearNodes(context, *session);
        if (m_detach && restartOrder(session->folder()).isAutomatic())
            if (const auto followed = followDetached(context, session->id()); !followed) return fail(followed.error());
        const int code = m_detach ? kExitDone : followRun(context, *session);
        printEnd(context, *session);
        return code;
    }

private:
    /// Moves the run with its newest checkpoint.
    Result<void> moveTo(const CliContext& context, RunSession& session) const {
        std::vector<NodeRecord> records;
        for (const std::string& name : m_nodes) {
            auto node = findNode(context.home, name);
            if (!node) return fail(node.error());
            records.push_back(std::move(*node));
        }
        const auto shares = shareRanks(session.config(), records);
        if (!shares) return fail(shares.error());
        return session.useNodes(*shares);
    }

    std::string m_run;
    std::vector<std::string> m_nodes;
    bool m_detach = false;
};

}  // namespace

std::unique_ptr<Command> makeStopCommand() {
    return std::make_unique<StopCommand>();
}

std::unique_ptr<Command> makeResumeCommand() {
    return std::make_unique<ResumeCommand>();
}

}  // namespace slipway
