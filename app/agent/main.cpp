#include "app/agent/agent.h"
#include "app/agent/agent_log.h"
#include "app/agent/agent_options.h"
#include "app/agent/begin_job.h"
#include "app/agent/detach.h"
#include "app/agent/serve.h"
#include "core/base/file.h"
#include "core/base/file_mode.h"
#include "core/base/version.h"
#include "core/process/proc_facts.h"
#include "core/remote/ask_door.h"
#include "core/remote/keychain.h"
#include "core/remote/ssh_messages.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

using namespace slipway;

namespace {

constexpr int kUsage = 2, kNotStarted = 3, kAlreadyStarted = 4;

int sayError(const Error& error, int code) {
    std::fprintf(stderr, "slipway-agent: %s\n", error.text().c_str());
    return code;
}

// Answers from the keychain, or passes a question for a person on to the program that started ssh, if it listens.
int handOn(const std::string& question) {
    const char* socket = std::getenv("SLIPWAY_ASKPASS_SOCKET");
    const char* host = std::getenv("SLIPWAY_ASKPASS_KEYCHAIN");
    const char* hint = std::getenv("SSH_ASKPASS_PROMPT");
    const std::string_view kind = hint == nullptr ? "" : hint;
    std::optional<std::string> answer;
    if (host != nullptr && kind.empty()) answer = secretInKeychain(host, question);
    if (socket != nullptr)
        answer = askThrough(socket,
                            {kind == "confirm" ? AskQuestion::Kind::Confirm
                             : kind == "none"  ? AskQuestion::Kind::Notice
                                               : AskQuestion::Kind::Secret,
                             question},
                            answer);
    if (!answer) return 1;
    std::puts(answer->c_str());
    return 0;
}

// As SSH_ASKPASS of ssh: prints the fingerprint of the host key in the question; accepts the one given by the person.
int answerSsh(const std::string& question, const std::string& accepted) {
    const std::string fingerprint = slipway::fingerprintIn(question);
    if (fingerprint.empty() || question.find("authenticity of host") == std::string::npos) return handOn(question);
    std::fprintf(stderr, "slipway-host-key %s %s\n", slipway::keyKindIn(question).c_str(), fingerprint.c_str());
    std::puts(fingerprint == accepted ? "yes" : "no");
    return 0;
}

// Prepares, starts and watches; `report` gets the outcome of the start.
int runAgent(const AgentOptions& options, StartReport report) {
    const auto refuse = [&](const Error& error) {
        const int code = error.code == "already_started" ? kAlreadyStarted : kNotStarted;
        agentLog(error.text());
        report.tell(code, error.text());
        return code;
    };
    auto agent = Agent::prepare(RunDir{options.runDir}, options.node);
    if (!agent) return refuse(agent.error());
    if (!options.masterAddress.empty()) agent->meetAt(options.masterAddress, options.masterPort);
    if (const auto started = agent->start(); !started) return refuse(started.error());
    report.tell(0, "");
    return agent->watch();
}

}  // namespace

int main(int argc, char** argv) {
    if (const char* accepted = std::getenv("SLIPWAY_ASKPASS"); accepted != nullptr && argc == 2)
        return answerSsh(argv[1], accepted);
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
    if (options->task == AgentOptions::Task::Serve)
        return serveAgent(STDIN_FILENO, STDOUT_FILENO, options->nonce, programFolder() / "slipway-agent");
    options->runDir = std::filesystem::absolute(options->runDir);
    takeUmaskOf(options->runDir);
    if (options->task == AgentOptions::Task::BeginJob) {
        const auto start = parseJobStart(options->jobStart);
        if (!start) return sayError(start.error(), kUsage);
        const auto begun = beginJob(RunDir{options->runDir}, *start);
        if (begun) return 0;
        return sayError(begun.error(), begun.error().code == "already_started" ? kAlreadyStarted : kNotStarted);
    }
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
