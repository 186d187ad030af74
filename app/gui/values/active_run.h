// One line of "In progress" at the left edge of the window.
#pragma once

#include "core/spec/run_dir.h"

#include <QString>
#include <cstdint>

namespace slipway::gui {

struct ActiveRun {
    RunId id;
    QString name;
    RunStatus status = RunStatus::Running;
    std::int64_t lastStep = 0;
    std::int64_t numSteps = 0;
};

}  // namespace slipway::gui
