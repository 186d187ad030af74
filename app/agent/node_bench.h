// NodeBench: slipway-trainer bench on this node, alone or as ranks of several nodes, while the launcher waits for it.
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/process/process.h"

#include <string>
#include <vector>

namespace slipway {

class NodeBench {
public:
    NodeBench() = default;
    NodeBench(const NodeBench&) = delete;
    NodeBench& operator=(const NodeBench&) = delete;
    /// Kills running measurements.
    ~NodeBench();

    /// {"trainer": path, "parts": ["gemm", ...]} starts one process; with {"ranks", "first", "world", "address", "port", "secret"} this
    /// many ranks of that world. Earlier measurements are killed. "bad_request", and the errors of Process::start().
    Result<void> start(const Json& request);
    /// {"running": true}, or {"running": false, "ok", "words"} once; `bytes` is the output of the first process.
    /// "no_bench" when none was started.
    Result<Json> look(std::string& bytes);

private:
    void end();
    std::vector<Process> m_processes;
};

}  // namespace slipway
