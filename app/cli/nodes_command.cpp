// nodes: computers on which runs can be launched over SSH.
#include "app/cli/commands.h"
#include "app/cli/nodes_bench.h"
#include "app/cli/print.h"
#include "app/cli/run_tools.h"
#include "app/cli/terminal_answers.h"
#include "core/base/clock.h"
#include "core/base/json_fields.h"
#include "core/base/units.h"
#include "core/base/version.h"
#include "core/launch/lost_attempts.h"
#include "core/remote/last_check.h"
#include "core/remote/node_check.h"
#include "core/remote/node_setup.h"
#include "core/run/audit_log.h"
#include "core/run/slow_nodes.h"

#include <unistd.h>

#include <algorithm>

namespace slipway {
namespace {

constexpr double kWaitSeconds = 0.1;
constexpr SourceText kNoNodes = "There are no nodes; `slipway nodes add HOST` adds one."_text;

SourceText labelOf(const std::string& step) {
    if (step == "reach") return "reach"_text;
    if (step == "host_key") return "host key"_text;
    if (step == "login") return "login"_text;
    if (step == "agent") return "agent"_text;
    if (step == "trainer") return "trainer"_text;
    if (step == "devices") return "devices"_text;
    if (step == "disk") return "disk"_text;
    if (step == "clock") return "clock"_text;
    return "interface"_text;
}

SourceText labelOf(NodeStep::State state) {
    return state == NodeStep::State::Ok       ? "ok"_text
           : state == NodeStep::State::Failed ? "failed"_text
                                              : "not tried"_text;
}

class NodesCommand : public Command {
public:
    std::string name() const override { return "nodes"; }
    Message summary() const override {
        return "Add, check, set up, measure and remove computers to launch on over SSH"_text;
    }
    Examples examples() const override {
        return {{"slipway nodes add gpu1", "a Host of ~/.ssh/config, a name or USER@NAME; tries it step by step"_text},
                {"slipway nodes check gpu1 --accept-host-key SHA256:..."},
                {"slipway nodes check gpu1 --remember", "stores its password in the keychain of this computer"_text},
                {"slipway nodes setup gpu1", "copies the trainer, fetches libtorch there"_text},
                {"slipway nodes bench gpu1,gpu2", "then plan --cluster nodes:gpu1,gpu2"_text},
                {"slipway nodes list --json"},
                {"slipway nodes remove gpu1"},
                {"slipway nodes log",
                 "starts and ends on each computer, this one included; whether a line was changed"_text}};
    }
    void declare(Arguments& arguments) override {
        arguments.option("action", m_action, "add, list, check, setup, bench, remove, log"_text)
            .required()
            .oneOf({"add", "list", "check", "setup", "bench", "remove", "log"})
            .shownAs("ACTION");
        arguments
            .option(
                "node", m_target,
                "add: the host for ssh; bench: names of nodes, separated by commas; check: all nodes without a name; else the name of a node"_text)
            .shownAs("NODE");
        arguments.option("--name", m_name, "add: name of the node; default: the host's"_text).shownAs("NAME");
        arguments.option("--port", m_port, "add: port of its SSH server; default: ssh's own"_text)
            .between(1, 65535)
            .shownAs("PORT");
        arguments
            .option("--home-on-node", m_home, "add: folder of runs there; default: ~/.local/share/slipway-node"_text)
            .shownAs("DIR");
        arguments.option("--trainer", m_trainer, "add: slipway-trainer there; default: looked for"_text)
            .shownAs("FILE");
        arguments.option("--address", m_address, "add: where other nodes reach it; default: found at launch"_text)
            .shownAs("ADDRESS");
        arguments.option("--slots", m_slots, "add: ranks it takes; default: the nodes of a run share them evenly"_text)
            .between(1, 4096)
            .shownAs("N");
        arguments.flag("--no-check", m_noCheck, "add: do not try it now"_text);
        arguments
            .option("--torch", m_torch,
                    "setup: folder of a torch package there; default: python3's, else fetch one"_text)
            .shownAs("FOLDER");
        arguments.flag("--upload-torch", m_uploadTorch,
                       "setup: copy this computer's libtorch instead of fetching it there"_text);
        arguments
            .option("--accept-host-key", m_fingerprint, "add, check: accept the host key with this fingerprint"_text)
            .shownAs("SHA256:...");
        arguments.flag("--remember", m_remember,
                       "add, check: store the typed password or passphrase in the keychain, for later logins"_text);
    }
    Result<int> run(CliContext& context) override {
        if (m_action == "list") return list(context);
        if (m_action == "log") return showLog(context);
        if (m_action == "check" && m_target.empty()) return checkAll(context);
        if (m_target.empty())
            return fail("usage", m_action == "add" ? Message("Name the host: slipway nodes add HOST."_text)
                                                   : "Name the node: slipway nodes %1 NODE."_text(m_action));
        if (m_action == "add") return add(context);
        if (m_action == "remove") {
            const auto before = findNode(context.home, m_target);
            if (const auto removed = removeNode(context.home, m_target); !removed) return fail(removed.error());
            if (before && before->isInKeychain) removeFromKeychain(before->host);
            removeLastCheck(context.home, m_target);
            forgetSlowNode(context.home, m_target);
            if (context.json)
                context.out << dumpJson(Json{{"removed", m_target}}, true);
            else
                context.out << context.text("Removed node %1; its files remain on it."_text(m_target)) << '\n';
            return kExitDone;
        }
        if (m_action == "bench") return bench(context);
        const auto node = findNode(context.home, m_target);
        if (!node) return fail(node.error());
        return m_action == "setup" ? setup(context, *node) : check(context, *node);
    }

private:
    static bool isPersonThere(const CliContext& context) {
        return context.errIsTerminal && ::isatty(STDIN_FILENO) != 0 && !context.json;
    }

    SshOptions options(const CliContext& context) const {
        SshOptions options;
        options.agent = context.programs.agent;
        options.fingerprint = m_fingerprint;
        // A person at a terminal answers ssh's own questions: new host keys, passwords, second factors.
        const bool isPerson = m_fingerprint.empty() && isPersonThere(context);
        options.questions = isPerson && !m_answers ? SshQuestions::Person : SshQuestions::HostKey;
        if (m_answers) options.askSocket = m_answers->socket();
        return options;
    }

    /// Where the keychain takes part, the person is asked here and not by ssh.
    Result<void> openAnswers(const CliContext& context, const NodeRecord& node) {
        if (!isPersonThere(context)) {
            if (!m_remember) return {};
            return fail("usage", "--remember needs a person at a terminal who types the password."_text, "remember");
        }
        if (!m_remember && !node.isInKeychain) return {};
        auto answers = TerminalAnswers::open(m_remember);
        if (!answers) return fail(answers.error());
        m_answers.emplace(std::move(*answers));
        return {};
    }
    void pollAnswers(CliContext& context, const NodeLink& link) {
        if (m_answers) m_answers->poll(context, link);
    }

    Result<int> bench(CliContext& context) const {
        std::vector<NodeRecord> nodes;
        for (const std::string& name : namesIn(m_target)) {
            auto node = findNode(context.home, name);
            if (!node) return fail(node.error());
            for (const NodeRecord& other : nodes)
                if (other.name == name) return fail("usage", "%1 is named twice."_text(name), "node");
            nodes.push_back(std::move(*node));
        }
        return benchNodes(context, nodes, options(context));
    }

    Result<int> setup(CliContext& context, const NodeRecord& node) {
        if (const auto opened = openAnswers(context, node); !opened) return fail(opened.error());
        auto files = trainerFiles(context.programs.trainer);
        if (!files) return fail(files.error());
        NodeSetup setup(node, options(context), {versionText(), std::move(*files), m_torch, m_uploadTorch});
        std::string told;
        while (!setup.done()) {
            setup.poll(monotonicSecondsNow());
            pollAnswers(context, setup.link());
            if (context.interrupts() > 0) return kExitInterrupted;
            const std::string progress = context.text(setup.progress());
            if (context.errIsTerminal)
                progressLine(context, setup.progress());
            else if (const std::string stage = progress.substr(0, progress.find(':')); stage != told)
                context.err << printable(told = stage) << '\n';
            if (!setup.done()) waitForLinks({&setup.link()}, kWaitSeconds);
        }
        endProgressLine(context);
        const Json entry = auditOfSetup(node, setup.error() ? setup.error()->code : "");
        if (const auto kept = appendAudit(context.home, entry, context.now()); !kept)
            context.note(kept.error().sentence());
        if (setup.error()) return fail(*setup.error());
        // Lists show the current state of the node.
        NodeCheck after(node, options(context), versionText());
        if (!examine(context, after, node.name, [](const NodeCheck&) {})) return kExitInterrupted;
        if (context.json)
            context.out << dumpJson(Json{{"node", node.name},
                                         {"trainer", setup.trainer()},
                                         {"version", versionText()},
                                         {"was_ready", setup.wasReady()}},
                                    true);
        else
            context.out << printable(context.text((setup.wasReady() ? "Nothing to do on %1: %2 is version %3."_text
                                                                    : "The trainer starts on %1: %2, version %3."_text)(
                               node.name, setup.trainer(), versionText())))
                        << '\n';
        return kExitDone;
    }

    static Message actionOf(const Json& entry) {
        const auto text = [&](const char* key) {
            return entry.contains(key) && entry[key].is_string() ? entry[key].get<std::string>() : std::string();
        };
        std::vector<Message> facts{Message::name(text("action"))};
        for (const char* key : {"run", "node", "host", "launcher", "code"})
            if (const std::string value = text(key); !value.empty()) facts.push_back(Message::name(value));
        if (entry.contains("nodes") && entry["nodes"].is_array())
            for (const Json& node : entry["nodes"])
                if (node.is_object() && node.contains("node") && node["node"].is_string())
                    facts.push_back(Message::name(node["node"].get<std::string>()));
        return listOf(facts);
    }

    Result<int> showLog(CliContext& context) const {
        const auto log = readAudit(context.home);
        if (!log) return fail(log.error());
        if (context.json) {
            Json entries = Json::array();
            for (const Json& entry : log->entries) entries.push_back(entry);
            context.out << dumpJson(
                Json{{"entries", std::move(entries)},
                     {"first_broken_line", log->firstBrokenLine ? Json(*log->firstBrokenLine) : Json(nullptr)}},
                true);
        } else {
            FactLines lines;
            for (const Json& entry : log->entries) {
                const bool hasTime = entry.contains("time_unix_ms") && entry["time_unix_ms"].is_number_integer();
                lines.emplace_back(timeText(hasTime ? entry["time_unix_ms"].get<std::int64_t>() : 0), actionOf(entry));
            }
            printFacts(context.out, lines);
            if (log->firstBrokenLine)
                context.note(
                    "Line %1 of audit.jsonl does not follow from the one before: lines were changed or removed."_text(
                        *log->firstBrokenLine));
        }
        return log->firstBrokenLine ? kExitFailed : kExitDone;
    }

    static Message placeOf(const NodeRecord& node) {
        std::vector<Message> facts{Message::name(node.host)};
        if (node.port != 0) facts.push_back("port %1"_text(node.port));
        if (node.numSlots != 0) facts.push_back("%1 ranks"_text(node.numSlots));
        if (node.isInKeychain) facts.push_back("login with the keychain"_text);
        return listOf(facts);
    }

    Result<int> list(CliContext& context) const {
        Issues issues;
        const std::vector<NodeRecord> nodes = nodesOf(context.home, issues);
        for (const Issue& issue : issues) context.note("%1: %2"_text(issue.field, issue.sentence()));
        if (context.json) {
            Json list = Json::array();
            for (const NodeRecord& node : nodes) {
                const auto last = lastCheck(context.home, node.name);
                list.push_back(fields::toJson(node));
                list.back()["last_check"] = last ? *parseJson(last->document, node.name) : Json(nullptr);
                const auto proposal = exclusionProposal(context.home, node.name, context.now());
                list.back()["proposal"] = proposal ? Json(textOf(*proposal)) : Json(nullptr);
                list.back()["lost_runs"] = lostRunsOn(context.home, node.name);
            }
            context.out << dumpJson(list, true);
            return kExitDone;
        }
        if (nodes.empty()) {
            context.out << context.text(kNoNodes) << '\n';
            return kExitDone;
        }
        FactLines lines;
        for (const NodeRecord& node : nodes) {
            const auto last = lastCheck(context.home, node.name);
            const Message checked = !last ? Message("not checked yet"_text)
                                    : last->passed
                                        ? "ready at %1"_text(timeText(last->unixMilliseconds))
                                        : "not ready at %1: %2"_text(timeText(last->unixMilliseconds), last->problem);
            Message line = "%1; %2"_text(placeOf(node), checked);
            if (const auto proposal = exclusionProposal(context.home, node.name, context.now()))
                line = "%1; %2"_text(line, *proposal);
            if (const auto lost = lostRanksOn(context.home, node.name)) line = "%1; %2"_text(line, lost->sentence());
            lines.emplace_back(node.name, line);
        }
        printFacts(context.out, lines);
        return kExitDone;
    }

    Result<int> add(CliContext& context) {
        NodeRecord node;
        node.host = m_target;
        node.name = m_name.empty() ? nodeNameOf(m_target) : m_name;
        node.port = m_port;
        node.home = m_home;
        node.trainer = m_trainer;
        node.address = m_address;
        node.numSlots = m_slots;
        node.addedUnixMilliseconds = context.now();
        // The same node again, now with the accepted host key: nothing new to write.
        const auto known = findNode(context.home, node.name);
        if (known) {
            node.addedUnixMilliseconds = known->addedUnixMilliseconds;
            node.isInKeychain = known->isInKeychain && known->host == node.host;
        }
        const bool isKnown = known && fields::toJson(*known) == fields::toJson(node);
        if (const auto written = writeNode(context.home, node, isKnown); !written) return fail(written.error());
        const auto checked = m_noCheck ? Result<int>(kExitDone) : check(context, node);
        // A typing error leaves no node behind.
        if (!isKnown && m_isHostUnknown) {
            if (const auto removed = removeNode(context.home, node.name); !removed) return fail(removed.error());
            removeLastCheck(context.home, node.name);
            context.note("Node %1 was not added; --no-check adds it without a try."_text(node.name));
            return checked;
        }
        context.err << context.text((isKnown ? "Node %1 is known already."_text : "Added node %1."_text)(node.name))
                    << '\n';
        if (!m_noCheck) return checked;
        if (context.json) context.out << dumpJson(fields::toJson(node), true);
        return kExitDone;
    }

    /// Checks the node and stores the findings as a document, which is returned; empty after an interrupt.
    template <class Told>
    std::optional<Json> examine(CliContext& context, NodeCheck& check, const std::string& name, Told told) {
        while (!check.done() || (m_answers && m_answers->isBusy())) {
            check.poll(monotonicSecondsNow(), context.now());
            pollAnswers(context, check.link());
            if (context.interrupts() > 0) return {};
            told(check);
            if (!check.done()) waitForLinks({&check.link()}, kWaitSeconds);
        }
        if (m_answers)
            if (const auto stored = m_answers->finish(context.home, check.link().node()); !stored)
                context.note(stored.error().sentence());
        Json found = toJson(check, name);
        if (const auto written = writeLastCheck(context.home, name, found, context.now()); !written)
            context.note(written.error().sentence());
        return found;
    }

    Result<int> check(CliContext& context, const NodeRecord& node) {
        if (const auto opened = openAnswers(context, node); !opened) return fail(opened.error());
        NodeCheck check(node, options(context), versionText());
        const auto found = showSteps(context, check, node.name);
        if (!found) return kExitInterrupted;
        m_isHostUnknown = check.steps().front().code == "unknown_host";
        if (context.json) context.out << dumpJson(*found, true);
        return isReady(context, check, node.name) ? kExitDone : kExitFailed;
    }

    static bool isReady(const CliContext& context, const NodeCheck& check, const std::string& name) {
        return check.passed() && lostRunsOn(context.home, name).empty();
    }

    /// Stops what attempts that were given up have left on the node.
    static void stopLostRanks(CliContext& context, const std::string& name) {
        constexpr std::int64_t kMostMilliseconds = 30'000;
        LostRanks ranks(context.home, std::make_shared<NodeLinks>(context.programs.agent));
        const std::int64_t until = context.now() + kMostMilliseconds;
        while (ranks.mayRunOn(name) && context.now() < until && context.interrupts() == 0) {
            for (const LostRanks::Stopped& stopped : ranks.poll({name}, context.now()))
                context.note(lostRanksStoppedText(stopped.attempt, stopped.node));
            if (ranks.mayRunOn(name)) context.pause();
        }
        if (const auto lost = lostRanksOn(context.home, name)) context.note(lost->sentence());
    }

    Result<int> checkAll(CliContext& context) {
        if (m_remember)
            return fail("usage", "Name the node whose password is stored: slipway nodes check NODE --remember."_text);
        if (!m_fingerprint.empty())
            return fail("usage", "A host key belongs to one node: slipway nodes check NODE --accept-host-key %1."_text(
                                     m_fingerprint));
        Issues issues;
        Json all = Json::array();
        bool passed = true;
        for (const NodeRecord& node : nodesOf(context.home, issues)) {
            m_answers.reset();
            if (const auto opened = openAnswers(context, node); !opened) return fail(opened.error());
            NodeCheck check(node, options(context), versionText());
            if (!context.json) context.out << printable(node.name) << '\n';
            auto found = showSteps(context, check, node.name);
            if (!found) return kExitInterrupted;
            all.push_back(std::move(*found));
            passed = passed && isReady(context, check, node.name);
        }
        for (const Issue& issue : issues) context.note("%1: %2"_text(issue.field, issue.sentence()));
        if (context.json)
            context.out << dumpJson(all, true);
        else if (all.empty())
            context.out << context.text(kNoNodes) << '\n';
        return passed ? kExitDone : kExitFailed;
    }

    std::optional<Json> showSteps(CliContext& context, NodeCheck& check, const std::string& name) {
        std::size_t shown = 0;
        auto found = examine(context, check, name, [&](const NodeCheck& now) {
            if (!context.json) show(context, now, shown);
        });
        for (; found && !context.json && shown < check.steps().size(); ++shown) print(context, check.steps()[shown]);
        const bool isReached = std::ranges::any_of(check.steps(), [](const NodeStep& step) {
            return step.key == "agent" && step.state == NodeStep::State::Ok;
        });
        if (found && isReached) stopLostRanks(context, name);
        if (found) (*found)["lost_runs"] = lostRunsOn(context.home, name);
        return found;
    }

    /// Completed steps, in their order.
    static void show(CliContext& context, const NodeCheck& check, std::size_t& shown) {
        while (shown < check.steps().size() && check.steps()[shown].state != NodeStep::State::NotReached)
            print(context, check.steps()[shown++]);
    }

    static void print(CliContext& context, const NodeStep& step) {
        constexpr std::size_t kLabel = 12, kState = 13;
        const auto padded = [](std::string text, std::size_t width) {
            const std::size_t used = displayWidth(text);
            return text + std::string(used < width ? width - used : 1, ' ');
        };
        context.out << padded(context.text(labelOf(step.key)), kLabel)
                    << padded(context.text(labelOf(step.state)), kState) << printable(context.text(step.text))
                    << std::endl;
    }

    std::string m_action, m_target, m_name, m_home, m_trainer, m_address, m_fingerprint, m_torch;
    int m_port = 0, m_slots = 0;
    bool m_noCheck = false, m_uploadTorch = false, m_remember = false, m_isHostUnknown = false;
    std::optional<TerminalAnswers> m_answers;
};

}  // namespace

std::unique_ptr<Command> makeNodesCommand() {
    return std::make_unique<NodesCommand>();
}

}  // namespace slipway
