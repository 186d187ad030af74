#include "app/gui/pages/nodes_data.h"

#include "app/gui/look/theme.h"
#include "app/gui/text/format.h"
#include "app/gui/text/text.h"
#include "core/launch/computer.h"

#include <QCoreApplication>
#include <algorithm>
#include <filesystem>

namespace slipway::gui {
namespace {

QString say(const char* text) {
    return QCoreApplication::translate("Nodes", text);
}

const NodeStep* firstFailed(const std::vector<NodeStep>& steps) {
    // Without an address for other nodes, a node can still run alone.
    const auto found = std::find_if(steps.begin(), steps.end(), [](const NodeStep& step) {
        return step.state == NodeStep::State::Failed && step.code != "no_interface";
    });
    return found == steps.end() ? nullptr : &*found;
}

QString labelOf(const std::string& step) {
    if (step == "reach") return say(QT_TRANSLATE_NOOP("Nodes", "Reach"));
    if (step == "host_key") return say(QT_TRANSLATE_NOOP("Nodes", "Host key"));
    if (step == "login") return say(QT_TRANSLATE_NOOP("Nodes", "Login"));
    if (step == "agent") return say(QT_TRANSLATE_NOOP("Nodes", "Agent"));
    if (step == "trainer") return say(QT_TRANSLATE_NOOP("Nodes", "Trainer"));
    if (step == "devices") return say(QT_TRANSLATE_NOOP("Nodes", "Devices"));
    if (step == "disk") return say(QT_TRANSLATE_NOOP("Nodes", "Disk"));
    if (step == "clock") return say(QT_TRANSLATE_NOOP("Nodes", "Clock"));
    return say(QT_TRANSLATE_NOOP("Nodes", "Interface"));
}

// Sentences of core name commands; the window has buttons instead.
QString textOfStep(const NodeStep& step, const std::string& hostKey) {
    if (step.code == "host_key_unknown" && !hostKey.empty())
        return say(QT_TRANSLATE_NOOP(
                       "Nodes",
                       "The host key is not known yet: %1. Compare it with the fingerprint that the node itself prints."))
            .arg(qs(hostKey));
    if (step.key == "trainer" && step.code == "program_missing")
        return say(QT_TRANSLATE_NOOP("Nodes", "There is no trainer yet; Set up installs it."));
    if (step.key == "trainer" && step.code == "version_mismatch")
        return say(
            QT_TRANSLATE_NOOP("Nodes", "The trainer's version is not this program's; Set up installs the right one."));
    return messageText(step.text);
}

}  // namespace

LocalFacts localFacts(const Home& home, const Programs& programs) {
    LocalFacts out;
    const ComputerFacts computer = thisComputer();
    out.facts.host = computer.host;
    out.facts.cpu = computer.cpu;
    out.facts.cpus = computer.cpus;
    out.facts.memoryBytes = computer.memoryBytes.value_or(0);
    out.availableMemoryBytes = computer.availableMemoryBytes.value_or(0);
    out.facts.home = home.path.string();
    out.facts.freeDiskBytes = freeDiskBytes(home.path).value_or(0);
    out.facts.trainer = programs.trainer.string();
    if (!programs.trainer.empty())
        out.facts.trainerVersion =
            versionIn(programVersion(programs.trainer, home.path / "programs.json").value_or(""));
    std::error_code code;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/driver/nvidia/gpus", code))
        if (entry.exists(code)) out.facts.gpus.emplace_back("GPU");
    out.measured = machineProfile(home);
    return out;
}

NodeState stateOf(const NodeRow& row) {
    if (row.isLocal) return row.runs.empty() ? NodeState::Ready : NodeState::Running;
    if (row.job != 0) return row.isSetUp ? NodeState::SettingUp : NodeState::Checking;
    const bool isOut =
        std::any_of(row.runs.begin(), row.runs.end(), [](const ActiveRun& run) { return !run.link.isEmpty(); });
    if (row.report.steps.empty())
        return isOut ? NodeState::NoContact : row.runs.empty() ? NodeState::NotChecked : NodeState::Running;
    if (const NodeStep* failed = firstFailed(row.report.steps)) {
        if (failed->key == "reach") return NodeState::NoContact;
        if (failed->key == "host_key")
            return failed->code == "host_key_changed" ? NodeState::KeyChanged : NodeState::KeyUnknown;
        if (failed->key == "login") return NodeState::LoginNeeded;
        return failed->key == "trainer" ? NodeState::SetUpNeeded : NodeState::Problem;
    }
    // A check that ended midway: the link was lost.
    const bool isWhole = std::none_of(row.report.steps.begin(), row.report.steps.end(),
                                      [](const NodeStep& step) { return step.state == NodeStep::State::NotReached; });
    if (isOut || !isWhole) return NodeState::NoContact;
    return row.runs.empty() ? NodeState::Ready : NodeState::Running;
}

QString stateText(NodeState state) {
    switch (state) {
        case NodeState::Ready: return say(QT_TRANSLATE_NOOP("Nodes", "Ready"));
        case NodeState::Running: return say(QT_TRANSLATE_NOOP("Nodes", "Running"));
        case NodeState::Checking: return say(QT_TRANSLATE_NOOP("Nodes", "Checking…"));
        case NodeState::SettingUp: return say(QT_TRANSLATE_NOOP("Nodes", "Setting up…"));
        case NodeState::NotChecked: return say(QT_TRANSLATE_NOOP("Nodes", "Not checked"));
        case NodeState::NoContact: return say(QT_TRANSLATE_NOOP("Nodes", "No contact"));
        case NodeState::LoginNeeded: return say(QT_TRANSLATE_NOOP("Nodes", "Login needed"));
        case NodeState::KeyUnknown: return say(QT_TRANSLATE_NOOP("Nodes", "Key unknown"));
        case NodeState::KeyChanged: return say(QT_TRANSLATE_NOOP("Nodes", "Host key changed"));
        case NodeState::SetUpNeeded: return say(QT_TRANSLATE_NOOP("Nodes", "Set-up needed"));
        case NodeState::Problem: return say(QT_TRANSLATE_NOOP("Nodes", "Problem"));
    }
    return {};
}

Icon stateIcon(NodeState state) {
    switch (state) {
        case NodeState::Ready: return Icon::Good;
        case NodeState::Running: return Icon::Running;
        case NodeState::Checking:
        case NodeState::SettingUp: return Icon::Queued;
        case NodeState::NotChecked: return Icon::Planned;
        case NodeState::NoContact: return Icon::Lost;
        case NodeState::KeyChanged: return Icon::Error;
        default: return Icon::Warning;
    }
}

QColor stateColour(NodeState state) {
    const Theme& t = theme();
    switch (state) {
        case NodeState::Ready: return t.ok;
        case NodeState::Running:
        case NodeState::Checking:
        case NodeState::SettingUp: return t.accent;
        case NodeState::NotChecked: return t.idle;
        case NodeState::KeyChanged: return t.bad;
        default: return t.warn;
    }
}

bool canRun(NodeState state) {
    return state == NodeState::Ready || state == NodeState::Running;
}

QString sentenceOf(const NodeRow& row) {
    if (row.isSetUp && row.job != 0) return messageText(row.setUp.progress);
    if (row.job != 0) return {};
    for (const ActiveRun& run : row.runs)
        if (!run.link.isEmpty()) return run.link;
    if (row.setUp.error) return errorText(*row.setUp.error);
    if (row.report.error) return errorText(*row.report.error);
    if (row.isLocal || row.report.steps.empty()) return {};
    const NodeStep* failed = firstFailed(row.report.steps);
    if (!failed)
        return stateOf(row) == NodeState::NoContact
                   ? say(QT_TRANSLATE_NOOP("Nodes", "The link was lost during the check."))
                   : QString();
    const QString text = textOfStep(*failed, row.report.hostKey);
    return failed->key == "login"
               ? say(QT_TRANSLATE_NOOP("Nodes", "%1 Check opens a dialog for a password where the node requires one."))
                     .arg(text)
               : text;
}

QString devicesText(const NodeFacts& facts) {
    if (!facts.gpus.empty()) return QStringLiteral("%1 × %2").arg(facts.gpus.size()).arg(qs(facts.gpus.front()));
    if (facts.cpus <= 0) return unknownText();
    return NodeJobs::tr("%n CPU(s)", nullptr, static_cast<int>(facts.cpus));
}

QString ageText(std::int64_t then, std::int64_t now) {
    constexpr std::int64_t kNow = 10000;
    if (then <= 0) return unknownText();
    if (now - then < kNow) return say(QT_TRANSLATE_NOOP("Nodes", "now"));
    constexpr std::int64_t kMinute = 60000, kHour = 60 * kMinute, kDay = 24 * kHour;
    const std::int64_t age = now - then;
    if (age < kMinute) return say(QT_TRANSLATE_NOOP("Nodes", "%1 s ago")).arg(age / kNow * (kNow / 1000));
    if (age < kHour) return say(QT_TRANSLATE_NOOP("Nodes", "%1 min ago")).arg(age / kMinute);
    if (age < kDay) return say(QT_TRANSLATE_NOOP("Nodes", "%1 h ago")).arg(age / kHour);
    return say(QT_TRANSLATE_NOOP("Nodes", "%1 d ago")).arg(age / kDay);
}

QString addressText(const NodeRecord& node) {
    return node.port == 0 ? qs(node.host)
                          : say(QT_TRANSLATE_NOOP("Nodes", "%1, port %2")).arg(qs(node.host)).arg(node.port);
}

QString runsText(const std::vector<ActiveRun>& runs) {
    if (runs.empty()) return QStringLiteral("0");
    return runs.size() == 1 ? runs.front().name : QString::number(runs.size());
}

std::vector<StepRow> stepRows(const std::vector<NodeStep>& steps, const std::string& hostKey, bool isRunning) {
    const Theme& t = theme();
    std::vector<StepRow> rows;
    bool isNext = isRunning;
    for (const NodeStep& step : steps) {
        StepRow row;
        row.name = labelOf(step.key);
        row.text = textOfStep(step, hostKey);
        if (step.state == NodeStep::State::Ok) {
            row.icon = Icon::Good;
            row.colour = t.ok;
            row.state = say(QT_TRANSLATE_NOOP("Nodes", "passed"));
        } else if (step.state == NodeStep::State::Failed) {
            const bool isWarning = step.key != "host_key" || step.code != "host_key_changed";
            row.icon = isWarning ? Icon::Warning : Icon::Error;
            row.colour = isWarning ? t.warn : t.bad;
            row.state = isWarning ? say(QT_TRANSLATE_NOOP("Nodes", "action needed"))
                                  : say(QT_TRANSLATE_NOOP("Nodes", "stopped"));
            row.isStrong = true;
        } else {
            row.icon = isNext ? Icon::Running : Icon::Planned;
            row.colour = isNext ? t.accent : t.idle;
            row.state =
                isNext ? say(QT_TRANSLATE_NOOP("Nodes", "underway")) : say(QT_TRANSLATE_NOOP("Nodes", "not tried"));
            row.text = isNext ? say(QT_TRANSLATE_NOOP("Nodes", "Checking…")) : unknownText();
            isNext = false;
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

QString stepCountText(const std::vector<NodeStep>& steps) {
    if (steps.empty()) return {};
    const auto passed = std::count_if(steps.begin(), steps.end(),
                                      [](const NodeStep& step) { return step.state == NodeStep::State::Ok; });
    return say(QT_TRANSLATE_NOOP("Nodes", "%1 of %2 passed")).arg(passed).arg(steps.size());
}

}  // namespace slipway::gui
