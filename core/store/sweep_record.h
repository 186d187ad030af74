// The store's records of sweeps and their trials.
#pragma once

#include "core/base/ids.h"

#include <cstdint>
#include <optional>
#include <string>

namespace slipway {

/// A sweep as stored; its document is the resolved sweep file. The store keeps sweeps/<id>/sweep.json in line with it.
struct SweepRecord {
    SweepId id;
    std::string name;
    std::string identity;  ///< hash of the resolved file and the trainer's version
    std::string status;    ///< planned, running, paused, completed, failed, cancelled
    std::int64_t createdUnixMilliseconds = 0;
    std::optional<std::int64_t> endedUnixMilliseconds;
    std::string document;  ///< JSON text
    std::string notes;
};

/// One point of a sweep. Each change is a line of sweeps/<id>/trials.jsonl; the last line of an index is valid.
struct TrialRecord {
    SweepId sweep;
    std::int64_t index = 0;
    std::string name;
    std::string status;  ///< words of RunStatus, skipped or infeasible
    std::string reason;
    RunId run;  ///< empty: not created (yet)
    std::string configHash;
    std::string point;  ///< JSON text: the values of the axes
};

}  // namespace slipway
