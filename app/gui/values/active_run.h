// One line of "In progress" at the left edge of the window.
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
    std::vector<std::string> nodes = {};  ///< that it runs on, reached over SSH; empty: this computer
    QString link = {};                    ///< why a node cannot be reached now, and since when; empty: all can
};

}  // namespace slipway::gui
