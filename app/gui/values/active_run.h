// One line of "In progress" on the left of the window.
#pragma once

#include "core/spec/run_dir.h"

#include <QString>
#include <cstdint>
#include <string>
#include <vector>

namespace slipway::gui {

struct ActiveRun {
    RunId id;
    QString name;
    RunStatus status = RunStatus::Running;
    std::int64_t lastStep = 0;
    std::int64_t numSteps = 0;
    std::vector<std::string> nodes = {};  ///< of the run, reached over SSH; empty: this computer
    QString link = {};                    ///< reason and start of a node's unreachability; empty: all are reachable
};

}  // namespace slipway::gui
