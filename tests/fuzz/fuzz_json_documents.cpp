// Every JSON document of ours that a stranger may have written: run configs, sweeps, the agent's files.
#include "core/base/json.h"
#include "core/spec/agent_files.h"
#include "core/spec/run_config.h"
#include "core/sweep/sweep_file.h"
#include "core/sweep/trial.h"
#include "tests/fuzz/fuzz.h"

#include <nlohmann/json.hpp>

using namespace slipway;
using namespace slipway::test;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text = textOf(data, size);
    (void)valueOrError(parseLaunchPlan(text, "fuzz"));
    (void)valueOrError(parseAgentId(text, "fuzz"));
    (void)valueOrError(parseAgentHeartbeat(text, "fuzz"));
    (void)valueOrError(parseAgentExit(text, "fuzz"));
    (void)valueOrError(parseRankError(text, "fuzz"));

    const Result<Json> json = parseJson(text, "fuzz");
    if (!valueOrError(json)) return 0;
    const Result<Json> again = parseJson(dumpJson(*json, true), "fuzz");
    require(again && *again == *json, "a document that is written differs when it is read");
    if (const Result<RunConfig> config = parseRunConfig(*json, "fuzz"); valueOrError(config)) {
        (void)validate(*config);
        const Result<RunConfig> same = parseRunConfig(toJson(*config), "fuzz");
        require(same && toJson(*same) == toJson(*config), "a run config that is written differs when it is read");
    }
    Issues issues;
    const SweepFile sweep = sweepFileFromJson(*json, issues);
    if (!hasErrors(issues)) require(sweep.countTrials() <= kMostTrials, "a sweep of more trials than allowed");
    return 0;
}
