#include "app/agent/agent.h"
#include "app/agent/agent_log.h"
#include "app/agent/agent_options.h"
#include "app/agent/detach.h"
#include "core/base/file.h"
#include "core/base/file_mode.h"
#include "core/base/version.h"

#include <cstdio>
#include <utility>

using namespace slipway;

namespace {

constexpr int kUsage = 2, kNotStarted = 3, kAlreadyStarted = 4;

int sayError(const Error& error, int code) {
    std::fprintf(stderr, "slipway-agent: %s\n", error.text().c_str());
    return code;
}

// Prepares, starts and watches; `report` hears how the start went.
int runAgent(const AgentOptions& options, StartReport report) {
    const auto refuse = [&](const Error& error) {
        const int code = error.code == "already_started" ? kAlreadyStarted : kNotStarted;
        agentLog(error.text());
        report.tell(code, error.text());
        return code;
    };
    auto agent = Agent::prepare(RunDir{options.runDir}, options.node);
    if (!agent) return refuse(agent.error());
    if (const auto started = agent->start(); !started) return refuse(started.error());
    report.tell(0, "");
    return agent->watch();
}

}  // namespace

int main(int argc, char** argv) {
    auto options = parseAgentOptions({argv + 1, argv + argc});
    if (!options) return sayError(options.error(), kUsage);
    if (options->task == AgentOptions::Task::Version) {
        std::printf("slipway-agent %s\n", versionText().c_str());
        return 0;
    }
    if (options->task == AgentOptions::Task::Help) {
        std::fputs(agentHelp().c_str(), stdout);
        return 0;
    }
    options->runDir = std::filesystem::absolute(options->runDir);
    takeUmaskOf(options->runDir);
    if (options->foreground) return runAgent(*options, {});

    const auto folder = RunDir{options->runDir}.agentFolder(options->node);
    if (const auto made = makeFolders(folder); !made) return sayError(made.error(), kNotStarted);
    auto detached = detach(folder / "agent.log");
    if (!detached) return sayError(detached.error(), kNotStarted);
    if (detached->isCaller) {
        if (!detached->words.empty()) std::fprintf(stderr, "slipway-agent: %s\n", detached->words.c_str());
        return detached->exitCode;
    }
    return runAgent(*options, std::move(detached->report));
}
