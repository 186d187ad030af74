// Data of a node on the Nodes page: its record, its newest check's findings, its runs; and the texts.
#pragma once

#include "app/gui/engine/node_jobs.h"
#include "app/gui/look/icons.h"
#include "app/gui/values/active_run.h"
#include "app/gui/widgets/step_list.h"
#include "core/run/machine.h"

#include <QColor>
#include <QString>
#include <optional>
#include <vector>

namespace slipway::gui {

enum class NodeState {
    Ready,
    Running,
    Checking,
    SettingUp,
    NotChecked,
    NoContact,  ///< never "failed": its runs continue
    LoginNeeded,
    KeyUnknown,
    KeyChanged,
    SetUpNeeded,
    Problem,
};

/// This computer, as a node.
struct LocalFacts {
    NodeFacts facts;
    double availableMemoryBytes = 0;
    std::optional<MachineProfile> measured;
};
/// Runs programs for their versions: not for the main thread.
LocalFacts localFacts(const Home& home, const Programs& programs);

struct NodeRow {
    NodeRecord record;
    bool isLocal = false;
    int job = 0;           ///< check or set-up in progress
    bool isSetUp = false;  ///< kind of the job
    NodeReport report;     ///< of the newest check; without steps: none yet
    NodeReport setUp;      ///< of the newest set-up
    NodeFacts facts;       ///< newest ones known
    double availableMemoryBytes = 0;
    std::optional<MachineProfile> measured;
    std::int64_t heardUnixMilliseconds = 0;  ///< newest answer of the node; 0: none yet
    std::vector<ActiveRun> runs;             ///< runs on it now
};

NodeState stateOf(const NodeRow& row);
QString stateText(NodeState state);
Icon stateIcon(NodeState state);
QColor stateColour(NodeState state);
/// Whether ranks can be started there, as far as is known.
bool canRun(NodeState state);

/// Reason of the node's state and remedy, as one sentence; empty without a problem.
QString sentenceOf(const NodeRow& row);
/// "8 × H100 SXM" or "16 CPUs".
QString devicesText(const NodeFacts& facts);
/// "now", "4 min ago"; unknownText() for 0.
QString ageText(std::int64_t unixMilliseconds, std::int64_t nowUnixMilliseconds);
/// "anna@gpu1, port 2222".
QString addressText(const NodeRecord& node);
QString runsText(const std::vector<ActiveRun>& runs);
/// The steps of a check with their words. @param isRunning the first one without a result is in progress
std::vector<StepRow> stepRows(const std::vector<NodeStep>& steps, const std::string& hostKey, bool isRunning);
/// "7 of 9 passed".
QString stepCountText(const std::vector<NodeStep>& steps);

}  // namespace slipway::gui
